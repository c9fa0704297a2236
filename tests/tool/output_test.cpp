// Where crivo build writes: it destroys only filter files, and the old filter stays until the new one is complete.
#include <unistd.h>

#include "environment.h"
#include "shell.h"

namespace crivo::testing {
namespace {

TEST_F(ToolTest, SaysWhatItCannotWrite) {
  EXPECT_EQ(crivo("build -o nowhere/f", "a\n").err,
            "crivo build: output must be writable, got nowhere/f: No such file or directory\n");
  EXPECT_THAT(shell("yes | timeout 20 " + std::string(kTool) + "build -o nowhere/f"),
              Exits(2));  // without reading
  EXPECT_EQ(crivo("build -o .", "a\n").err, "crivo build: output must be writable, got .: Is a directory\n");
  EXPECT_THAT(crivo("build -o new/", "a\n"), Exits(2));
  EXPECT_EQ(crivo("build -o /dev/full", "a\n").err,
            "crivo build: output must be writable, got /dev/full: No space left on device\n");
  EXPECT_EQ(crivo("build -o /dev/fd/9 9>&-", "a\n").err,  // closed here, as the parent process may have opened it
            "crivo build: output must be writable, got /dev/fd/9: Bad file descriptor\n");
  EXPECT_EQ(files(), 0U);
}

TEST_F(ToolTest, SaysOfEveryCommandThatItsOutputIsLost) {
  ASSERT_THAT(crivo("build -q -o f", "a\n"), Succeeds());
  for (const char* command :
       {"info f", "info --json f", "verify f f", "verify f g", "query f a", "query -c f a", "build -o -",
        "union -o - f f", "add --print-new f", "--help", "build --help", "--version"}) {
    EXPECT_THAT(shell("'" CRIVO_TOOL "' " + std::string(command) + " >/dev/full", "b\n"),
                Fails(EndsWith(": output must be writable, got standard output: No space left on device\n")))
        << command;
  }
  EXPECT_THAT(crivo("query f b"), Exits(1)) << "what could not be printed was not added, either";
}

TEST_F(ToolTest, TakesNoInputForTheNameThatTheOutputLacks) {
  write("keys", "a\nb\n");
  for (const char* nothing : {"--output= keys", "--output '' keys", "-o '' keys"}) {
    EXPECT_EQ(crivo("build " + std::string(nothing)).err,
              "crivo build: output must be the name of a file, got an empty one\n");
  }
  EXPECT_EQ(read("keys"), "a\nb\n");
  EXPECT_EQ(files(), 1U);
  EXPECT_THAT(crivo("build '--output=[a,b]' keys"), Succeeds());
  EXPECT_EQ(crivo("query '[a,b]' a").out, "a\n");
}

TEST_F(ToolTest, NeverWritesOverItsInput) {
  write("keys", "a\nb\n");
  ASSERT_THAT(shell("ln keys hard; ln -s keys soft; mkdir folder; ln -s ../soft folder/far"), Succeeds());
  const char* cases[] = {"-o keys keys",      "-o ./keys keys",       "-o hard keys",      "-o soft keys",
                         "-o keys soft",      "-o folder/far keys",   "-o keys < keys",    "-o keys - < folder/far",
                         "-o keys <(:) keys", "-o keys - keys <soft", "-o - keys >> keys", "-o /dev/fd/3 keys 3>>hard"};
  for (const char* arguments : cases) {
    EXPECT_THAT(shell("bash -c \"" + std::string(kTool) + "build " + arguments + '"'),
                Fails(StartsWith("crivo build: output must differ from the input ")))
        << arguments;
    EXPECT_EQ(read("keys"), "a\nb\n") << arguments;
  }
  EXPECT_EQ(crivo("build -o ./keys keys").err, "crivo build: output must differ from the input keys, got ./keys\n");
  EXPECT_THAT(crivo("build -q -o /dev/null /dev/null"), Succeeds());  // nothing is lost in /dev/null
}

TEST_F(ToolTest, AppendsWhereTheShellHasAskedForThat) {
  ASSERT_THAT(crivo("build -o f", "a\n"), Succeeds());
  for (const char* output : {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "to-stdout", "/dev/fd/3"}) {
    write("log", "old ");
    const Outcome run = shell(
        "ln -sf /dev/stdout to-stdout; " + std::string(kTool) + "build -o " + output + " >> log 3>&1; echo new >> log",
        "a\n");
    EXPECT_EQ(read("log"), "old " + read("f") + "new\n") << output << ": " << run.err;
  }
}

TEST_F(ToolTest, WritesToPipesAndDevices) {
  ASSERT_THAT(crivo("build -o f", "a\n"), Succeeds());
  const Outcome run = shell("mkfifo pipe; cat pipe & " + std::string(kTool) + "build -q -o pipe; wait", "a\n");
  EXPECT_EQ(run.out, read("f")) << run.err;
  EXPECT_THAT(crivo("build -q -o /dev/null", "a\n"), Succeeds());
  EXPECT_THAT(shell("test -p pipe && test -c /dev/null"), Succeeds());
}

TEST_F(ToolTest, FollowsLinksToFilesThatAreYetToBeMade) {
  ASSERT_THAT(shell("mkdir folder; ln -s folder/second first; ln -s ../target folder/second; " + std::string(kTool) +
                        "build -q -o first",
                    "a\n"),
              Succeeds());
  EXPECT_TRUE(std::filesystem::is_symlink(path("first")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("folder/second")));
  EXPECT_EQ(crivo("query target a").out, "a\n");
  ASSERT_THAT(shell("ln -s folder/third third; " + std::string(kTool) + "build -q --shards 2 -o third", "a\n"),
              Succeeds());
  EXPECT_EQ(crivo("query third a").out + crivo("query folder/third a").out, "a\na\n");
  const Outcome circle = shell("ln -s circle circle; " + std::string(kTool) + "build -o circle", "a\n");
  EXPECT_EQ(circle.err, "crivo build: output must be writable, got circle: Too many levels of symbolic links\n");
  EXPECT_TRUE(std::filesystem::is_symlink(path("circle")));
}

TEST_F(ToolTest, TakesTheLongestNamesThereAre) {
  const std::string longest(255, 'x');
  for (int round = 0; round < 2; ++round) {  // the second round replaces the file of the first
    EXPECT_EQ(crivo("build -q -o " + longest, "a\n").err, "");
    EXPECT_EQ(crivo("query " + longest + " a").out, "a\n");
  }
  EXPECT_THAT(crivo("build -q -o x" + longest, "a\n"), Exits(2));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ToolTest, ReplacesAFileAndKeepsItsModeAndItsLinks) {
  write("target", "old");
  ASSERT_THAT(shell("chmod 640 target && ln -s target link && '" CRIVO_TOOL "' build -o link", "a\n"), Succeeds());
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(std::filesystem::status(path("target")).permissions(), std::filesystem::perms{0640});
  EXPECT_EQ(crivo("query target a").out, "a\n");
  EXPECT_EQ(shell("umask 027; '" CRIVO_TOOL "' build -o new && stat -c %a new").out, "640\n");
}

TEST_F(ToolTest, KeepsTheOwnerOfTheFileItReplaces) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files to others";
  write("f", "old");
  ASSERT_THAT(shell("chown 1234:1235 f && chmod 4640 f"), Succeeds());
  ASSERT_THAT(crivo("build -o f", "a\n"), Succeeds());
  EXPECT_EQ(shell("stat -c %u:%g:%a f").out, "1234:1235:4640\n");
  EXPECT_EQ(crivo("query f a").out, "a\n");
}

/// Runs as a user who is subject to file modes. The tests may run as root, who is not.
TEST_F(ToolTest, RespectsWhatIsProtectedFromBeingWritten) {
  const std::string user = ::geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  const std::string give = ::geteuid() == 0 ? "chown -R 65534:65534 . && " : "";
  const auto build = [&](const std::string& arguments) { return shell(user + "./crivo build -q " + arguments, "a\n"); };
  ASSERT_THAT(shell("cp " + std::string(kTool) + "crivo && mkdir closed && echo old > closed/f && echo old > f && " +
                    give + "chmod 444 f && chmod 555 closed"),
              Succeeds());
  EXPECT_EQ(build("-o f").err, "crivo build: output must be writable, got f: Permission denied\n");
  EXPECT_EQ(read("f"), "old\n");
  EXPECT_EQ(build("-o closed/f").err,
            "crivo build: the folder of the output must be writable, got closed: Permission denied\n");
  EXPECT_EQ(read("closed/f"), "old\n");
  EXPECT_THAT(build("-o closed/new nowhere").err,
              AllOf(StartsWith("crivo build: the folder of the output must be writable, got /"),
                    EndsWith("/closed: Permission denied\n")))
      << "before a key is read";
  EXPECT_EQ(build("-o new").err, "");
  shell("chmod 755 closed");
}

// A limit of 8 blocks of 512 bytes on every file simulates a full disk and, with its signal, a killed process.
TEST_F(ToolTest, KeepsTheOldFileWhenItCannotWriteTheNewOne) {
  ASSERT_THAT(crivo("build -o f --raw", numbered_lines(100)), Succeeds());
  const std::string before = read("f");
  EXPECT_THAT(shell("trap '' XFSZ; ulimit -f 8; '" CRIVO_TOOL "' build -o f --raw --capacity 100000", "a\n"),
              Fails("crivo build: output must be writable, got f: File too large\n"));
  EXPECT_EQ(read("f"), before);
  EXPECT_EQ(files(), 1U);
}

TEST_F(ToolTest, KeepsTheOldFileWhenItIsKilledWhileItWrites) {
  ASSERT_THAT(crivo("build -o f --raw", numbered_lines(100)), Succeeds());
  const std::string before = read("f");
  const Outcome run =
      shell("(ulimit -c 0; ulimit -f 8; exec '" CRIVO_TOOL "' build -o f --raw --capacity 100000); kill -l $?", "a\n");
  EXPECT_EQ(run.out, "XFSZ\n") << run.err;
  EXPECT_EQ(read("f"), before);
#ifndef CRIVO_POSIX_ONLY  // otherwise the new file is named from the start, and stays
  EXPECT_EQ(files(), 1U);
#endif
}

TEST_F(ToolTest, RefusesAnInstructionSetThatItDoesNotKnow) {
  const Environment altivec("CRIVO_ISA", "altivec");
  EXPECT_THAT(crivo("build -o f.crivo", "a\n"), Fails(HasSubstr("CRIVO_ISA must be one of scalar")));
}

/// What the tool prints on a terminal, which `script` (package bsdutils) provides.
class Terminal : public ToolTest {
 protected:
  void SetUp() override {
    if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "script makes the terminal";
    ASSERT_THAT(crivo("build -q -o f", "a\n"), Succeeds());
  }
  /// The terminal's output when the tool runs with this input.
  std::string shown_by(const std::string& arguments, std::string_view input = "") {
    return shell("timeout 20 script -qefc \"'" CRIVO_TOOL "' " + arguments + "\" typescript", input).out;
  }
};

TEST_F(Terminal, GetsNoBytesOfAFilterUnlessItIsNamed) {
  write("keys", "a\n");
  const std::string refused = "output must be a file or a pipe, got a terminal; -o /dev/stdout writes";
  EXPECT_THAT(shown_by("build -o - keys"), AllOf(HasSubstr("crivo build: " + refused), Not(HasSubstr("\xc3RVO"))));
  EXPECT_THAT(shown_by("union -o - f f"), AllOf(HasSubstr("crivo union: " + refused), Not(HasSubstr("\xc3RVO"))));
  EXPECT_THAT(shown_by("build -o /dev/stdout keys"), HasSubstr("\xc3RVO"));
  EXPECT_THAT(shown_by("build -q -o - keys | '" CRIVO_TOOL "' info -"), HasSubstr("blocked"));
}

TEST_F(Terminal, IsToldThatSomethingWaitsForIt) {
  const std::string waits = "crivo: reading from this terminal, until Ctrl-D";
  for (const char* command : {"build -o g", "add f", "query f"}) {
    EXPECT_THAT(shown_by(command, "a\n"), HasSubstr(waits)) << command;
  }
  EXPECT_THAT(shown_by("info -", "a\n"), HasSubstr(waits));
  EXPECT_THAT(shown_by("query f a"), Not(HasSubstr(waits)));
  EXPECT_THAT(crivo("query f", "a\n").err, Not(HasSubstr(waits)));
}

TEST_F(Terminal, SeesWhatIsDoneThatMayTakeLong) {
  EXPECT_THAT(shown_by("verify f"), HasSubstr("verifying"));
  EXPECT_THAT(shown_by("info f"), HasSubstr("reading"));
  EXPECT_THAT(shown_by("union -o u f f"), AllOf(HasSubstr("uniting"), HasSubstr("writing")));
  EXPECT_THAT(shown_by("query f a"), HasSubstr("opening"));
  EXPECT_EQ(crivo("verify f").err, "");
}

}  // namespace
}  // namespace crivo::testing
