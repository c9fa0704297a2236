// Maps and exact filters in the tool: lines with values, and members in one file with all other keys in another.
#include "shell.h"

namespace crivo::testing {
namespace {

class Maps : public ToolTest {};
class Exacts : public ToolTest {};

TEST_F(Maps, PrintEveryKeyWithItsValue) {
  std::string pairs;
  for (int i = 0; i < 300; ++i) pairs += "key " + std::to_string(i) + '\t' + std::to_string(i * i % 1009) + '\n';
  write("pairs", pairs);
  for (const std::string options : {"", "--kind map:10 --mappable --fp-rate 1 --max-memory 16M --threads 2"}) {
    ASSERT_THAT(crivo("build -q --values -o f " + options + " pairs"), Succeeds("")) << options;
    EXPECT_EQ(crivo("query f", numbered_lines(300)).out, pairs) << options;
    EXPECT_THAT(crivo("verify f"), Succeeds());
  }
}

TEST_F(Maps, SelectAsEveryFilterDoes) {
  ASSERT_THAT(crivo("build -q --values --fp-rate 1e-9 -o f", "a\t1\nb\t\t2\n\t3\n"), Succeeds(""));
  EXPECT_EQ(crivo("query f a x").out, "a\t1\n");
  EXPECT_EQ(crivo("query -v f a x").out, "x\n");
  EXPECT_EQ(crivo("query -c f a x").out, "1\n");
  EXPECT_EQ(crivo("query f", "b\t\n\n").out, "b\t\t2\n\t3\n") << "the last tab ends the key, which may be empty";
  EXPECT_THAT(crivo("query -q f x"), Exits(1));
  ASSERT_THAT(crivo("build -q --values -0 -o g", std::string("two\nlines\t7\0", 12)), Succeeds(""));
  EXPECT_EQ(crivo("query -0 g", std::string("two\nlines\0", 10)).out, std::string("two\nlines\t7\0", 12));
  EXPECT_THAT(crivo("info f").out, AllOf(HasSubstr("kind              map"), HasSubstr("option            2")));
}

TEST_F(Maps, SayWhichLineIsNoPair) {
  const auto refused = [&](const std::string& lines) { return crivo("build --values -o f", lines); };
  const std::string rule = " of standard input must be a key, a tab and an integer from 0 to 4294967295, got ";
  EXPECT_THAT(refused("a\t1\nb\n"), Fails("crivo build: line 2" + rule + "'b'\n"));
  EXPECT_THAT(refused("a\t-1\n"), Fails(HasSubstr("line 1" + rule)));
  EXPECT_THAT(refused("a\t4294967296\n"), Fails(HasSubstr("line 1" + rule)));
  EXPECT_THAT(refused("a\t 1\n"), Fails(HasSubstr("line 1" + rule)));
  EXPECT_THAT(refused("a\t\n"), Fails(HasSubstr("line 1" + rule)));
}

TEST_F(Maps, SayWhichKeyHasTwoValues) {
  write("one", "a\t1\nb\t2\n");
  write("two", "c\t3\nb\t4\n");
  EXPECT_THAT(crivo("build --values -o f one two"), Fails(HasSubstr("got 2 and 4 for the key with hash ")));
  EXPECT_THAT(crivo("build --values -o f one two"), Fails(HasSubstr(": 'b' in line 2 of one")));
  EXPECT_THAT(crivo("build --values -o f one two", ""), Fails(Not(HasSubstr("standard input"))));
  EXPECT_THAT(crivo("build --values -o f", "a\t1\na\t2\n"), Fails(HasSubstr("got 1 and 2 for the key with hash ")));
}

TEST_F(Maps, NeedValuesAndTheirKind) {
  EXPECT_THAT(crivo("build --kind map -o f", "a\n"),
              Fails("crivo build: kind must not be map without --values, got map\n"));
  EXPECT_THAT(crivo("build --kind ribbon --values -o f", "a\t1\n"),
              Fails("crivo build: kind must be map with --values, got ribbon\n"));
  EXPECT_THAT(crivo("build --kind map:2 --values -o f", "a\t4\n"),
              Fails(HasSubstr("line 1 of standard input must be a key, a tab and an integer from 0 to 3, got ")));
}

TEST_F(Exacts, AreCertainOfBothFiles) {
  const std::string revoked = numbered_lines(300, "bad ");
  const std::string valid = numbered_lines(3000, "good ");
  write("revoked", revoked);
  write("valid", valid);
  for (const std::string options : {"", "--kind exact --mappable --fp-rate 0.01 --max-memory 16M --threads 2"}) {
    ASSERT_THAT(crivo("build -q -o f " + options + " --absent valid revoked"), Succeeds("")) << options;
    EXPECT_EQ(crivo("query f", revoked + valid).out, revoked) << options;
    EXPECT_THAT(crivo("verify f"), Succeeds());
  }
  EXPECT_THAT(crivo("info f").out, AllOf(HasSubstr("kind              exact"), HasSubstr("keys              3300")));
}

TEST_F(Exacts, SayWhichKeyIsInBothFiles) {
  write("revoked", "a\nb\n");
  write("valid", "c\nd\nb\n");
  EXPECT_THAT(crivo("build --absent valid -o f revoked"),
              Fails(AllOf(HasSubstr("key must be in only one set, got one in both, or two with the same hash, "),
                          HasSubstr(": 'b' in line 2 of revoked and 'b' in line 3 of valid"))));
}

TEST_F(Exacts, NeedTheAbsentKeysAndTheirKind) {
  write("valid", "c\n");
  EXPECT_THAT(crivo("build --kind exact -o f", "a\n"),
              Fails("crivo build: kind must not be exact without --absent, got exact\n"));
  EXPECT_THAT(crivo("build --kind ribbon --absent valid -o f", "a\n"),
              Fails("crivo build: kind must be exact with --absent, got ribbon\n"));
  EXPECT_THAT(crivo("build --values --absent valid -o f", "a\t1\n"), Fails(HasSubstr("--values")));
  EXPECT_THAT(crivo("build --absent none -o f", "a\n"), Fails(HasSubstr("none")));
  EXPECT_THAT(crivo("build --absent - -o f", "a\n"),
              Fails("crivo build: absent must be a file if the keys come from standard input, got -\n"));
}

}  // namespace
}  // namespace crivo::testing
