// crivo query: its answers, and exit codes like those of grep.
#include "shell.h"

namespace crivo::testing {
namespace {

class Query : public ToolTest {
 protected:
  // At a rate of 1e-9 and with a fixed seed, these few absent keys are not found.
  Query() { crivo("build -o f --fpr 1e-9", "apple\npear\n[a,b]\n-x\n"); }
};

TEST_F(Query, ExitsAsGrepDoes) {
  EXPECT_THAT(crivo("query f apple"), Succeeds());
  EXPECT_THAT(crivo("query f plum apple"), Succeeds());
  EXPECT_THAT(crivo("query f plum"), Exits(1));
  EXPECT_THAT(crivo("query nowhere plum"), Exits(2));
  EXPECT_THAT(crivo("query f -v plum"), Succeeds());
  EXPECT_THAT(crivo("query f -v apple"), Exits(1));
  EXPECT_THAT(crivo("query f"), Exits(1));
}

TEST_F(Query, PrintsThePresentOrTheAbsentKeysInTheirOrder) {
  EXPECT_EQ(crivo("query f pear plum apple").out, "pear\napple\n");
  EXPECT_EQ(crivo("query -v f pear plum apple fig").out, "plum\nfig\n");
  EXPECT_EQ(crivo("query f", "pear\nplum\napple\n").out, "pear\napple\n");
  EXPECT_EQ(crivo("query f -v", "pear\nplum\napple").out, "plum\n");
}

TEST_F(Query, CountsInsteadOfPrinting) {
  EXPECT_EQ(crivo("query f -c pear plum apple").out, "2\n");
  EXPECT_EQ(crivo("query f -vc pear plum apple").out, "1\n");
  EXPECT_THAT(crivo("query f -c plum"), Exits(1, _, "0\n"));
}

TEST_F(Query, PrintsNothingWhenQuiet) {
  EXPECT_THAT(crivo("query f -q apple"), Exits(0, "", ""));
  EXPECT_THAT(crivo("query f -q plum"), Exits(1));
  EXPECT_THAT(crivo("query nowhere -q plum"), Exits(2));
}

TEST_F(Query, StopsReadingAtTheFirstHitWhenQuiet) {
  EXPECT_THAT(shell("(yes apple) | '" CRIVO_TOOL "' query f -q"), Succeeds());
}

TEST_F(Query, AnswersAPipeLineByLine) {
  // The second key is written only after the first answer was read.
  const Outcome run = shell("mkfifo keys answers; '" CRIVO_TOOL
                            "' query f <keys >answers & exec 3>keys 4<answers\n"
                            "echo apple >&3; read first <&4; echo pear >&3; read second <&4; echo $first $second");
  EXPECT_EQ(run.out, "apple pear\n");
}

TEST_F(Query, TakesAnyKeyAsAnArgument) {
  EXPECT_EQ(crivo("query f '[a,b]'").out, "[a,b]\n");
  EXPECT_EQ(crivo("query f -- -x").out, "-x\n");
  EXPECT_EQ(crivo("query -v f '' '[]' '{}' '%%' ++ - -1 build query -- -v --help").out,
            "\n[]\n{}\n%%\n++\n-\n-1\nbuild\nquery\n-v\n--help\n");
}

TEST_F(Query, NotesThatTheNameOfAFileIsAskedAsAKey) {
  write("keys", "apple\n");
  const std::string note = "crivo query: note: 'keys' is looked up as a key; use < keys for the lines of that file\n";
  EXPECT_EQ(crivo("query f plum keys f").err, note);
  EXPECT_EQ(crivo("query f -").err,
            "crivo query: note: '-' is looked up as a key; omit KEY to look up the lines of standard input\n");
  EXPECT_EQ(crivo("query -q f keys").err, "");
  EXPECT_EQ(crivo("query f apple").err, "");
}

TEST_F(Query, TakesNoFileForAStandardInputThatIsClosed) {
  ASSERT_THAT(crivo("build -q -o f", numbered_lines(1000)), Succeeds());
  EXPECT_THAT(shell("'" CRIVO_TOOL "' query f <&-"), Fails(HasSubstr("must be readable")));
}

TEST_F(Query, RefusesADamagedFilterInsteadOfAnswering) {
  std::string blob = read("f");
  blob.back() = static_cast<char>(blob.back() ^ 1);
  write("damaged", blob);
  for (const char* arguments : {"damaged apple", "damaged -v apple", "/dev/null apple", ". apple"}) {
    EXPECT_THAT(crivo("query " + std::string(arguments)), Exits(2, HasSubstr(" must "), "")) << arguments;
  }
}

}  // namespace
}  // namespace crivo::testing
