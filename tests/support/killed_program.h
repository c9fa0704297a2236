// Starts programs that a test kills.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace crivo::testing {

/// Forks, and executes a program. Without exec, the child would inherit the locks of the parent's threads.
inline pid_t start_program(std::vector<std::string> args) {
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(argv.front(), argv.data());
    _exit(127);
  }
  return child;
}

/// Kills a program, which must still be running.
inline void kill_program(pid_t program) {
  ASSERT_EQ(kill(program, SIGKILL), 0);
  int status = 0;
  ASSERT_EQ(waitpid(program, &status, 0), program);
  ASSERT_TRUE(WIFSIGNALED(status)) << "the program must be killed, not end: " << status;
}

inline void sleep_us(std::uint64_t microseconds) {
  const timespec pause{0, static_cast<long>(microseconds) * 1000};
  nanosleep(&pause, nullptr);
}

}  // namespace crivo::testing
