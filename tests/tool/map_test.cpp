// Maps in the tool: lines with values.
#include "shell.h"

namespace crivo::testing {
namespace {

class Maps : public ToolTest {
 protected:
  static std::string pairs(std::uint64_t n) {
    std::string lines;
    for (std::uint64_t i = 1; i <= n; ++i)
      lines += "key " + std::to_string(i) + '\t' + std::to_string(i * i % 1009) + '\n';
    return lines;
  }
  static std::string keys(std::uint64_t n) {
    std::string lines;
    for (std::uint64_t i = 1; i <= n; ++i) lines += "key " + std::to_string(i) + '\n';
    return lines;
  }
};

TEST_F(Maps, PrintEveryKeyWithItsValue) {
  for (const std::uint64_t n : {1U, 300U, 70'000U}) {
    for (const std::string options : {"", "--fp-rate 1", "--kind map:10 --mappable", "--max-memory 16M --threads 2"}) {
      write("pairs", pairs(n));
      ASSERT_THAT(crivo("build -q --values -o f " + options + " pairs"), Succeeds("")) << options;
      EXPECT_EQ(crivo("query f", keys(n)).out, pairs(n)) << options;
      EXPECT_THAT(crivo("verify f"), Succeeds());
    }
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
  EXPECT_THAT(crivo("build --values -o f one two"), Fails(HasSubstr("got 2 and 4 for the key with the hash ")));
  EXPECT_THAT(crivo("build --values -o f one two"), Fails(HasSubstr(": 'b' in line 2 of one")));
  EXPECT_THAT(crivo("build --values -o f one two", ""), Fails(Not(HasSubstr("standard input"))));
  EXPECT_THAT(crivo("build --values -o f", "a\t1\na\t2\n"), Fails(HasSubstr("got 1 and 2 for the key with the hash ")));
}

TEST_F(Maps, NeedValuesAndTheirKind) {
  EXPECT_THAT(crivo("build --kind map -o f", "a\n"),
              Fails("crivo build: kind must be another one without --values, got map\n"));
  EXPECT_THAT(crivo("build --kind ribbon --values -o f", "a\t1\n"),
              Fails("crivo build: kind must be map with --values, got ribbon\n"));
  EXPECT_THAT(crivo("build --kind map:2 --values -o f", "a\t4\n"),
              Fails(HasSubstr("line 1 of standard input must be a key, a tab and an integer from 0 to 3, got ")));
}

}  // namespace
}  // namespace crivo::testing
