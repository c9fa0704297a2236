// A missing page of a mapped file, and whether a handler of SIGBUS gets its address.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>

#include "temp_folder.h"

namespace crivo::testing {

/// The page after the end of a mapped file that has no guard (mapped_guard.h). Reading the page raises SIGBUS.
inline const volatile char* missing_page() {
  const std::string path = temp_file("ends_early");
  std::ofstream(path) << "ten bytes.";
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const void* mapped = ::mmap(nullptr, 2 * page, PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  return static_cast<const volatile char*>(mapped) + page;
}

/// Reads a missing page, and exits with 0 if the handler gets the address of that page.
[[noreturn]] inline void exit_with_fault_address_check(const volatile char* missing) {
  static std::uintptr_t expected;
  expected = reinterpret_cast<std::uintptr_t>(missing);
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    ::_exit(reinterpret_cast<std::uintptr_t>(info->si_addr) / page == expected / page ? 0 : 3);
  };
  ::sigaction(SIGBUS, &action, nullptr);
  (void)*missing;
  ::_exit(4);
}

/// Whether handlers get the missing page's address, by which a guard finds its file. QEMU on s390x passes another one.
inline bool sigbus_reports_the_address() {
  const volatile char* missing = missing_page();
  const pid_t child = ::fork();
  if (child == 0) exit_with_fault_address_check(missing);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

inline constexpr const char* kNoFaultAddress = "SIGBUS does not report the fault address on this system";

}  // namespace crivo::testing
