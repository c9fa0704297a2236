// Exact filters in the tool: the keys of one file, beside all other keys in another.
#include "shell.h"

namespace crivo::testing {
namespace {

class Exacts : public ToolTest {
 protected:
  static std::string keys(const std::string& prefix, std::uint64_t n) {
    std::string lines;
    for (std::uint64_t i = 1; i <= n; ++i) lines += prefix + ' ' + std::to_string(i) + '\n';
    return lines;
  }
};

TEST_F(Exacts, AreCertainOfBothFiles) {
  for (const std::uint64_t n : {1U, 300U, 20'000U}) {
    for (const std::string options :
         {"", "--fp-rate 0.01", "--kind exact --mappable", "--max-memory 16M --threads 2"}) {
      write("revoked", keys("bad", n));
      write("valid", keys("good", 10 * n));
      ASSERT_THAT(crivo("build -q -o f " + options + " --absent valid revoked"), Succeeds("")) << options;
      EXPECT_EQ(crivo("query f", keys("bad", n)).out, keys("bad", n)) << options;
      EXPECT_EQ(crivo("query f", keys("good", 10 * n)).out, "") << options;
      EXPECT_THAT(crivo("verify f"), Succeeds());
    }
  }
  EXPECT_THAT(crivo("info f").out, AllOf(HasSubstr("kind              exact"), HasSubstr("keys              220000")));
}

TEST_F(Exacts, SayWhichKeyIsInBothFiles) {
  write("revoked", "a\nb\n");
  write("valid", "c\nd\nb\n");
  EXPECT_THAT(crivo("build --absent valid -o f revoked"),
              Fails(AllOf(HasSubstr("key must be a member or not, got one on both sides, or two with the same hash, "),
                          HasSubstr(": 'b' in line 2 of revoked and 'b' in line 3 of valid"))));
}

TEST_F(Exacts, NeedTheAbsentKeysAndTheirKind) {
  write("valid", "c\n");
  EXPECT_THAT(crivo("build --kind exact -o f", "a\n"),
              Fails("crivo build: kind must be another one without --absent, got exact\n"));
  EXPECT_THAT(crivo("build --kind ribbon --absent valid -o f", "a\n"),
              Fails("crivo build: kind must be exact with --absent, got ribbon\n"));
  EXPECT_THAT(crivo("build --values --absent valid -o f", "a\t1\n"), Fails(HasSubstr("--values")));
  EXPECT_THAT(crivo("build --absent none -o f", "a\n"), Fails(HasSubstr("none")));
  EXPECT_THAT(crivo("build --absent - -o f", "a\n"),
              Fails("crivo build: absent must be a file where the keys come from standard input, got -\n"));
}

}  // namespace
}  // namespace crivo::testing
