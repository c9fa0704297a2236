// What the tool says to a person at a terminal, which `script`, of bsdutils, makes.
#include "shell.h"

namespace crivo::testing {
namespace {

class Terminal : public ToolTest {
 protected:
  void SetUp() override {
    if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "script makes the terminal";
    ASSERT_THAT(crivo("build -q -o f", "a\n"), Succeeds());
  }
  /// What a terminal shows on which this is run; after the input comes its end.
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
