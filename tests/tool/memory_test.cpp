// crivo build --max-memory: its peak memory, its temporary files, its messages, and the progress of a build.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "crivo/host/system.h"
#include "shell.h"
#include "zero_page.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;

class Memory : public ToolTest {
 protected:
  /// Runs a shell command in the scratch folder. Returns the peak memory in bytes of its largest program.
  std::uint64_t peak_of(const std::string& command) {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string line = "cd '" + path(".").string() + "' && " + command;
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    struct rusage usage {};
    EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
    EXPECT_EQ(status, 0) << command;
    return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }
  std::uint64_t peak_of_build(const std::string& arguments) { return peak_of(kTool + ("build -q " + arguments)); }
};

TEST_F(Memory, IsNoMoreThanABuildWasGiven) {
#ifdef CRIVO_SANITIZED
  GTEST_SKIP() << "the sanitizers take memory of their own";
#endif
  shell("seq 0 2499999 >keys");  // a large string in this process would count as its children's memory
  for (const std::string kind : {"ribbon --threads 16", "blocked"}) {
    const std::string build = "--kind " + kind + " keys";
    EXPECT_LE(peak_of_build("-o limited --max-memory 16M " + build), 16 * kMegabyte) << kind;
    EXPECT_GT(peak_of_build("-o whole " + build), 20 * kMegabyte) << "the hashes alone";
    EXPECT_EQ(read("limited"), read("whole")) << kind;
  }
}

TEST_F(Memory, LongBuildOf100MillionKeysKeepsTheLimit) {
#ifdef CRIVO_SANITIZED
  GTEST_SKIP() << "the sanitizers take memory of their own";
#endif
  const std::string build = "seq 100000000 | " + std::string(kTool) + "build -q --kind ribbon --threads all ";
  EXPECT_LE(peak_of(build + "--max-memory 256M -o limited"), 256 * kMegabyte);
  EXPECT_GT(peak_of(build + "-o whole"), 800 * kMegabyte);
  EXPECT_EQ(shell("cmp limited whole").out, "");
  EXPECT_EQ(shell("seq 100000000 | " + std::string(kTool) + "query --invert --count limited").out, "0\n");
}

TEST_F(Memory, IsNotEnoughForALineThatIsTooLong) {
  const std::string lines = "(echo a; head -c 9000000 /dev/zero) | ";
  shell("{ echo a; echo b; head -c 9000000 /dev/zero; } >keys");
  for (const auto& [command, line, limit] :
       {std::tuple("build -o f --max-memory 16M", "line 2 of standard input", "1048576 bytes, by max-memory 16M"),
        std::tuple("build -o f --max-memory 16M - keys", "line 3 of keys", "1048576 bytes, by max-memory 16M"),
        std::tuple("query --max-bytes 4M g", "line 2 of standard input", "4194304 bytes, by max-bytes 4M"),
        std::tuple("add --max-bytes 4M g", "line 2 of standard input", "4194304 bytes, by max-bytes 4M")}) {
    ASSERT_THAT(crivo("build -q -o g", "x\n"), Succeeds());
    const bool piped = std::string_view(line).ends_with("input");
    EXPECT_THAT(shell((piped ? lines : "echo a | ") + kTool + command),
                Fails(EndsWith(std::string(line) + " must be shorter than " + limit + ", got a longer one\n")))
        << command;
  }
}

TEST_F(Memory, ALineOverTheLimitIsRefused) {
  ASSERT_THAT(crivo("build -q -o g", "x\n"), Succeeds());
  for (const char* command : {"query g", "add g"}) {
    EXPECT_THAT(shell("head -c 70000000 /dev/zero | " + std::string(kTool) + command),
                Fails(EndsWith("line 1 of standard input must be shorter than 67108864 bytes, by this program, got a "
                               "longer one\n")))
        << command;
  }
}

TEST_F(Memory, OfLongLinesAndManyIsNoMoreThanABuildWasGiven) {
#ifdef CRIVO_SANITIZED
  GTEST_SKIP() << "the sanitizers take memory of their own";
#endif
  shell("{ head -c 1000000 /dev/zero; yes '' | head -n 10000000; seq 2000000; } >keys");
  EXPECT_LE(peak_of_build("-o f --max-memory 16M keys"), 16 * kMegabyte);
}

TEST_F(Memory, IsNotTakenForTheZerosOfASparseFilter) {
#ifdef CRIVO_SANITIZED
  GTEST_SKIP() << "the sanitizers take memory of their own";
#endif
  if (!has_zero_page()) GTEST_SKIP() << "this system has no page of zeros for memory that is only read";
  shell("seq 10 >keys");
  ASSERT_THAT(crivo("build -q -o f --kind classic --capacity 800M keys"), Succeeds());
  for (const char* command : {"add -q f keys", "union -q -o g f f", "query -q f 1"}) {
    EXPECT_LE(peak_of(kTool + std::string(command)), 32 * kMegabyte) << command;
  }
}

TEST_F(Memory, NotesThatTemporaryFilesWouldLieInIt) {
  if (!system::is_memory_folder("/dev/shm")) GTEST_SKIP() << "/dev/shm is not a memory file system here";
  const std::string note =
      "crivo build: note: temp-folder /dev/shm is in memory, which --max-memory does not include; ";
  EXPECT_THAT(crivo("build -o f --max-memory 16M --temp-folder /dev/shm", "a").err, StartsWith(note));
  EXPECT_THAT(shell("TMPDIR=/dev/shm " + std::string(kTool) + "build -o f --max-memory 16M").err, StartsWith(note));
  EXPECT_THAT(crivo("build -o f --temp-folder /dev/shm", "a").err, Not(HasSubstr("note")));
}

TEST_F(Memory, LeavesNothingBehindWhenTheBuildIsKilledAtAnyTime) {
  write("keys", numbered_lines(1'200'000, ""));
  ASSERT_THAT(crivo("build -q -o f --kind ribbon", "old\n"), Succeeds());
  const std::string old = read("f");
  ASSERT_THAT(crivo("build -q -o new --kind ribbon keys"), Succeeds());
  const std::string whole = read("new");
  int killed = 0;
  for (int hundredths = 1; hundredths < 100 && read("f") != whole; hundredths += 1 + hundredths / 4) {
    const std::string time = std::to_string(hundredths / 100.0);
    const Outcome run = shell("timeout -s KILL " + time + " " + kTool +
                              "build -q -o f --kind ribbon --max-memory 16M --temp-folder . keys");
    killed += run.exit_code != 0;
    EXPECT_THAT(read("f"), ::testing::AnyOf(old, whole)) << time;
    for (const auto& file : std::filesystem::directory_iterator(path("."))) {  // just before the rename
      const std::string name = file.path().filename();
      if (!name.starts_with(".crivo-")) continue;
      EXPECT_EQ(read(name), whole) << time;
      std::filesystem::remove(file);
    }
    EXPECT_EQ(files(), 3U) << time;
  }
  EXPECT_GT(killed, 0);
}

// A limit of 4096 blocks of 512 bytes on every file simulates a full disk.
TEST_F(Memory, KeepsTheOldFileWhenTheTemporaryFolderIsFull) {
  write("keys", numbered_lines(1'200'000, ""));
  write("f", "old");
  EXPECT_THAT(shell("trap '' XFSZ; ulimit -f 4096; " + std::string(kTool) +
                    "build -o f --kind ribbon --max-memory 16M --temp-folder . keys"),
              Fails("crivo build: temp-folder must have space for the hashes of a build, got .: File too large\n"));
  EXPECT_EQ(read("f"), "old");
  // By default, the temporary files are beside the output.
  const std::string folder = std::filesystem::canonical(path(".")).string();
  EXPECT_THAT(shell("unset TMPDIR; trap '' XFSZ; ulimit -f 4096; " + std::string(kTool) +
                    "build -o new --kind ribbon --max-memory 16M keys"),
              Fails("crivo build: temp-folder must have space for the hashes of a build, got " + folder +
                    ": File too large\n"));
  EXPECT_EQ(files(), 2U);
}

TEST_F(Memory, SaysThatTheTemporaryFolderIsNone) {
  write("file", "");
  const std::pair<const char*, const char*> cases[] = {
      {"'no where'", "temp-folder must be writable, got 'no where': No such file or directory\n"},
      {"file", "temp-folder must be writable, got file: Not a directory\n"},
      {"''", "temp-folder must be the name of a folder, got an empty one\n"},
  };
  for (const auto& [folder, message] : cases) {  // the error comes before all of the endless input is read
    EXPECT_THAT(shell("yes | timeout 20 " + std::string(kTool) + "build -o f --temp-folder " + folder),
                Fails(std::string("crivo build: ") + message))
        << folder;
  }
  const std::string keys = numbered_lines(1'200'000, "");
  EXPECT_EQ(shell("TMPDIR=/elsewhere " + std::string(kTool) + "build -o f --max-memory 16M", keys).err,
            "crivo build: temp-folder must be writable, got /elsewhere: No such file or directory\n");
  EXPECT_EQ(files(), 1U);
}

TEST_F(Memory, RefusesTooLittleOfIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"--max-memory 15M", "crivo build: max-memory must be at least 16M, got 15M\n"},
      {"--max-memory lots",
       "crivo build: max-memory must be a number of bytes from 1 to 64T, such as 4G or 4GB, got lots\n"},
  };
  for (const auto& [options, message] : cases) EXPECT_EQ(crivo("build -o f " + std::string(options)).err, message);
  EXPECT_THAT(crivo("build -o f --max-memory 16M --capacity 20000000", "key\n"),
              Fails("crivo build: max-memory must be at least 33M, got 16M\n"));
  EXPECT_THAT(crivo("build -o f --max-memory 17MB --capacity 20000000", "key\n").err, EndsWith("MB, got 17MB\n"));
  EXPECT_EQ(files(), 0U);
}

// The build is stopped five times while it reads, so that it lasts more than a second on a machine of any speed.
TEST_F(Memory, ShowsTheRemainingTime) {
  if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "script, of bsdutils, makes the terminal";
  ASSERT_THAT(shell("seq 6000000 >keys"), Succeeds());
  // `script` provides the terminal. The inner shell keeps `script` itself from being stopped with the build.
  const Outcome run =
      shell("script -qfec \"" CRIVO_TOOL
            " build -q -o f --kind ribbon keys & echo \\$! >pid; wait\" terminal "
            ">/dev/null & while [ ! -s pid ]; do sleep 0.01; done; "
            "for i in 1 2 3 4 5; do kill -STOP $(cat pid); sleep 0.4; kill -CONT $(cat pid); sleep 0.005; done; wait");
  const std::string shown = read("terminal");
  EXPECT_THAT(shown, HasSubstr("%  reading, ")) << run.err;
  EXPECT_THAT(shown, HasSubstr("%  building, 6000000 keys"));
  EXPECT_THAT(shown, ContainsRegex(" keys, [0-9]+ (s|min) left"));
}

}  // namespace
}  // namespace crivo::testing
