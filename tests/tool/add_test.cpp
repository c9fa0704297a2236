// crivo add and crivo union: a changed file loses no key, and an error leaves it unchanged.
#include "shell.h"

namespace crivo::testing {
namespace {

class Change : public ToolTest {
 protected:
  /// Builds a file from these keys, "key 0" to "key 299" or some of them.
  void build(const std::string& name, const std::string& options, const std::string& keys) {
    const std::string note = keys.empty() ? "crivo build: note: the input has no keys\n" : "";
    ASSERT_EQ(crivo("build -q -o " + name + " --capacity 300 " + options, keys).err, note);
  }
  std::string all_ = numbered_lines(300);
  std::string first_ = numbered_lines(200);
  std::string rest_ = all_.substr(first_.size());
};

TEST_F(Change, AddingMakesTheFileThatOneBuildOfAllKeysMakes) {
  for (const std::string kind : {"blocked", "scalable", "window:86400/1"}) {
    for (const char* form : {"--raw", "--mappable"}) {
      const std::string options = std::string(form) + " --kind " + kind;
      build("whole", options, all_);
      build("f", options, first_);
      ASSERT_THAT(crivo("add f", rest_), Succeeds(AllOf(StartsWith("crivo add: f: kind "),
                                                        HasSubstr(", capacity 300, fp_rate 0.01, keys 300, "))))
          << options;
      EXPECT_EQ(read("f"), read("whole")) << options;
    }
  }
}

TEST_F(Change, AWindowIsMadeByItsFirstKeysAndForgetsThem) {
  const std::string window = "add -q --window '1 day/24' --capacity 1000 --fpr 1e-9 ";
  ASSERT_THAT(crivo(window + "--time '2024-03-01 12:00' seen", "early\n"), Succeeds());
  ASSERT_THAT(crivo(window + "--time 2024-03-02T12:59:59Z seen", "late\n"), Succeeds());
  EXPECT_EQ(crivo("query seen early late").out, "early\nlate\n");
  ASSERT_THAT(crivo("add -q --time 1709384400 seen"), Succeeds());  // 13:00
  EXPECT_EQ(crivo("query seen early late").out, "late\n");
  EXPECT_THAT(crivo("info seen").out, AllOf(HasSubstr("window            86400\n"), HasSubstr("panes             24\n"),
                                            HasSubstr("next_pane         1709388000\n")));
  ASSERT_THAT(crivo("add -q seen", "now\n"), Succeeds());
  EXPECT_EQ(crivo("query seen early late now").out, "now\n");
}

TEST_F(Change, AWindowThatIsRefusedLeavesNoFile) {
  build("plain", "", "a\n");
  const auto refuses = [this](const std::string& options, const std::string& message) {
    EXPECT_THAT(crivo("add " + options, "a\n"), Fails(HasSubstr(message))) << options;
  };
  refuses("--window '7 days' new",
          "capacity must be set for a new window, got none: it is the number of keys per window");
  refuses("--window '7 moons' --capacity 9 new", "window must be a length of time like '7 days'");
  refuses("--window '7 days' --capacity 1e9 --max-bytes 1M new", "max-bytes must be at least");
  refuses("--window '7 days' --capacity 9 --time yesterday new", "time must be a time from 1970 to 9999 in UTC");
  refuses("--window '7 days' --capacity 9 --time 2023-02-29 new", "got 2023-02-29");
  EXPECT_EQ(shell("ls").out, "plain\n");
  refuses("--window '7 days' --capacity 9 seen missing", "missing: No such file");
  EXPECT_EQ(crivo("query -c seen a").out, "0\n") << "it is there, without keys";
  EXPECT_EQ(files(), 2U);
  refuses("--window '7 days' plain", "window must be that of the filter, which has none, got '7 days'");
  refuses("--time 0 plain", "kind must support advance (window), got blocked");
  shell("rm seen");
  ASSERT_THAT(crivo("add -q --window '7 days/7' --capacity 9 seen", "a\n"), Succeeds());
  refuses("--window '7 days' seen", "window must be that of the filter, 604800 seconds/7, got '7 days'");
  EXPECT_EQ(crivo("query seen a").out, "a\n");
}

TEST_F(Change, AWindowWithTooManyKeysAtOnceSaysSo) {
  EXPECT_THAT(
      crivo("add -q --window '7 days' --capacity 100 seen", all_),
      Succeeds(StartsWith(
          "crivo add: note: a pane has more keys than an even share of the capacity of 100: current_fp_rate is ")));
  EXPECT_THAT(crivo("add -q --capacity 5 seen"), Fails(HasSubstr("--window")));
  EXPECT_THAT(crivo("build -q --time 0 -o f", all_), Fails(HasSubstr("kind must be window with --time, got blocked")));
  ASSERT_THAT(crivo("build -q --kind 'window:1 day/24' --time 2024-03-01 -o f", all_), Succeeds(""));
  EXPECT_THAT(crivo("info f").out, HasSubstr("next_pane         1709254800\n"));  // an hour later
}

TEST_F(Change, AnAddThatFailsKeepsNobodyWhoWaitsFromAdding) {
  const std::string add = "'" CRIVO_TOOL "' add -q --window 60 --capacity 100 seen ";
  shell("(sleep 0.3 | " + add + "- missing) & sleep 0.1; echo b | " + add + "; wait");
  EXPECT_EQ(crivo("query seen b").out, "b\n");
}

// Twenty processes create the file if it is missing, and wait for each other.
TEST_F(Change, ManyThatMakeOneWindowLoseNoKey) {
  shell("for i in $(seq 20); do echo key $i | '" CRIVO_TOOL "' add -q --window 60 --capacity 100 seen & done; wait");
  EXPECT_EQ(crivo("query -c seen", shell("seq -f 'key %g' 20").out).out, "20\n");
}

TEST_F(Change, AddingReadsFilesAndTheSeedOfTheFilter) {
  build("f", "--seed 7", first_);
  write("a", "from a\n");
  write("b", std::string("from\nb\0", 7));
  ASSERT_EQ(crivo("add -q f a - ", "from stdin\n").err, "");
  ASSERT_EQ(crivo("add -q -0 f b").err, "");
  EXPECT_EQ(crivo("query f 'from a' 'from stdin' 'from\nb'").out, "from a\nfrom stdin\nfrom\nb\n");
}

TEST_F(Change, AddingPrintsTheKeysThatAreNewInTheirOrder) {
  ASSERT_THAT(crivo("build -q --capacity 1000 --fp-rate 1e-9 -o f", "pear\n"), Succeeds());
  shell("cp f g");
  const std::string keys = "plum\napple\nplum\npear\n\napple\nfig";
  EXPECT_EQ(crivo("add -q --print-new f", keys).out, "plum\napple\n\nfig\n");
  EXPECT_EQ(crivo("add -q --print-new f", keys).out, "");
  crivo("add -q g", keys + "\n" + keys);
  EXPECT_EQ(read("f"), read("g"));
  EXPECT_EQ(crivo("add -q -0 --print-new f", std::string_view("x\n\0plum", 7)).out, std::string_view("x\n\0", 3));
  std::string lines = numbered_lines(100'000);
  ASSERT_THAT(crivo("build -q --capacity 1e6 --fp-rate 1e-9 -o f", ""), Succeeds());
  EXPECT_EQ(crivo("add -q --print-new f", lines + lines).out, lines);
}

TEST_F(Change, AddingRefusesAKindThatIsBuiltOnceBeforeItReads) {
  build("f", "--kind ribbon", first_);
  const std::string before = read("f");
  EXPECT_THAT(shell("yes | timeout 20 '" CRIVO_TOOL "' add f"),
              Fails(AllOf(StartsWith("crivo add: f: kind must support add ("), EndsWith(", got ribbon\n"))));
  EXPECT_EQ(read("f"), before);
}

TEST_F(Change, AddingLeavesAFullFilterAsItWasAndNotesTooManyKeys) {
  build("full", "--kind cuckoo", first_);
  const std::string before = read("full");
  EXPECT_THAT(crivo("add full", numbered_lines(3000)),
              Fails(AllOf(StartsWith("crivo add: full: filter must have a free slot: "),
                          EndsWith("; crivo build makes a larger filter\n"))));
  EXPECT_EQ(read("full"), before);

  build("f", "", first_);
  EXPECT_THAT(crivo("add -q f", numbered_lines(1000, "more ")),
              Succeeds(StartsWith("crivo add: note: 1200 keys exceed the capacity of 300: current_fp_rate is ")));
  EXPECT_EQ(crivo("query --count f", first_ + numbered_lines(1000, "more ")).out, "1200\n");
}

TEST_F(Change, AddingTakesNoMoreMemoryThanAllowed) {
  ASSERT_THAT(crivo("build -q -o f", numbered_lines(100'000)), Succeeds());
  const std::string before = read("f");
  EXPECT_EQ(crivo("add --max-bytes 64K f", "a\n").err, "crivo add: f: max-bytes must be at least 122K, got 64K\n");
  EXPECT_THAT(crivo("add --max-bytes 64kB f", "a\n"), Exits(2));
  build("exact", "--raw", all_);  // a payload of 384 bytes, and the header
  EXPECT_EQ(crivo("add --max-bytes 383 exact", "a\n").err,
            "crivo add: exact: max-bytes must be at least 384, got 383\n");
  EXPECT_THAT(crivo("add -q --max-bytes 384 exact", "key 1\n"), Succeeds());
  EXPECT_EQ(read("f"), before);
  build("grows", "--kind scalable", first_);
  EXPECT_THAT(crivo("add --max-bytes 4K grows", numbered_lines(100'000)),
              Fails(MatchesRegex("crivo add: grows: max-bytes must be at least [0-9]+, got 4K\n")));
}

TEST_F(Change, AddingNeedsAFileThatCanBeReplaced) {
  EXPECT_EQ(crivo("add - f", first_).err,
            "crivo add: FILTER must be a file, because it is replaced, got standard input\n");
  EXPECT_EQ(crivo("add /dev/null").err, "crivo add: FILTER must be a file, because it is replaced, got /dev/null\n");
  EXPECT_EQ(crivo("add 'no where'").err,
            "crivo add: FILTER must be readable, got 'no where': No such file or directory\n");
  write("keys", first_);
  EXPECT_EQ(crivo("add keys keys").err, "crivo add: output must differ from the input keys, got keys\n");
  EXPECT_THAT(crivo("add keys", "a\n"), Exits(2));
  EXPECT_EQ(read("keys"), first_);
}

// The first process has the lock, and is waiting for its keys, when the second one starts.
TEST_F(Change, TwoThatAddAtOnceLoseNoKeyOfEither) {
  build("f", "", first_);
  const Outcome run = shell("mkfifo keys; timeout 20 '" CRIVO_TOOL
                            "' add -q f <keys & exec 3>keys; while flock -n f true; do sleep 0.01; done\n"
                            "echo second | timeout 20 '" CRIVO_TOOL
                            "' add f 2>second 3>&- & until grep -q waiting second; do sleep 0.01; done\n"
                            "echo first >&3; exec 3>&-; wait; '" CRIVO_TOOL "' query f first second");
  EXPECT_EQ(run.out, "first\nsecond\n") << run.err;
  EXPECT_EQ(crivo("query --count f", first_).out, "200\n");
}

// When the process gets the lock, the path has another file, which is locked too.
TEST_F(Change, AddingSaysOnceThatItWaitsAndNothingIfQuiet) {
  build("f", "", first_);
  const std::string until_it_waits =
      "until grep -q -- \"-> FLOCK.*:$(stat -c %i f) \" /proc/locks; do sleep 0.01; done\n";
  for (const std::string option : {"", "-q"}) {
    const Outcome run =
        shell("exec 3<f; flock 3; cp f g; exec 4<g; flock 4\necho key | timeout 20 '" CRIVO_TOOL "' add " + option +
              " f 3<&- 4<&- &\n" + until_it_waits + "mv g f; exec 3<&-\n" + until_it_waits + "exec 4<&-; wait $!");
    EXPECT_THAT(run,
                Succeeds(MatchesRegex(option.empty() ? "crivo add: waiting for [^:]* to f\ncrivo add: f: [^:]*" : "")));
  }
}

TEST_F(Change, AddingReplacesNoFilterThatAnotherProgramPutThereMeanwhile) {
  for (const char* change : {"build -q -o f", "build -q -o g; cat g >f; :"}) {
    build("f", "", first_);
    const Outcome run = shell("mkfifo keys; timeout 20 '" CRIVO_TOOL
                              "' add -q f <keys & exec 3>keys; while flock -n f true; do sleep 0.01; done\n"
                              "echo newer | '" CRIVO_TOOL "' " +
                              std::string(change) + "\necho key >&3; exec 3>&-; wait $!; echo $?; rm keys");
    EXPECT_EQ(run.out, "2\n") << change;
    EXPECT_THAT(run.err, EndsWith("crivo add: FILTER must not be changed while keys are added, got f\n")) << change;
    EXPECT_EQ(crivo("query f newer").out, "newer\n") << change;
  }
}

TEST_F(Change, AUnionIsTheFilterThatOneBuildOfAllKeysMakes) {
  build("whole", "--seed 3", all_);
  build("a", "--seed 3", first_);
  build("b", "--seed 3", rest_);
  build("none", "--seed 3", "");
  ASSERT_THAT(crivo("union -o all a b none"), Succeeds(StartsWith("crivo union: all: kind blocked, capacity 300, ")));
  EXPECT_EQ(read("all"), read("whole"));
  EXPECT_EQ(crivo("union -q -o - a - none", read("b")).out, read("whole"));
  ASSERT_THAT(crivo("union -q --mappable -o mappable a b"), Succeeds());
  EXPECT_THAT(crivo("union -q -o again mappable a"), Succeeds());
  EXPECT_EQ(crivo("query again", all_).out, all_);
}

TEST_F(Change, AUnionOfLargeFilesReadsThemWhereTheyAre) {
  ASSERT_THAT(crivo("build -q --capacity 200000 -o a", numbered_lines(100'000)), Succeeds());
  ASSERT_THAT(crivo("build -q --capacity 200000 -o b", numbered_lines(100'000, "other ")), Succeeds());
  ASSERT_THAT(crivo("union -q -o all a b"), Succeeds());
  EXPECT_EQ(crivo("query --count all", numbered_lines(100'000) + numbered_lines(100'000, "other ")).out, "200000\n");
  EXPECT_THAT(crivo("info all").out, HasSubstr("raw+sums"));
  EXPECT_EQ(crivo("union --max-bytes 64K -o no a b").err, "crivo union: a: max-bytes must be at least 243K, got 64K\n");
  std::string damaged = read("b");
  damaged[50'000] = static_cast<char>(damaged[50'000] ^ 1);
  write("b", damaged);
  EXPECT_THAT(crivo("union -o no a b"), Fails(StartsWith("crivo union: b: segment 12 ")));
  EXPECT_FALSE(std::filesystem::exists(path("no")));
}

TEST_F(Change, AUnionNamesTheFileAndTheFieldInWhichItDiffers) {
  build("f", "", first_);
  build("'of another kind'", "--kind classic", first_);
  build("seed", "--seed 1", first_);
  ASSERT_THAT(crivo("build -q --capacity 9000 -o size", first_), Succeeds());
  build("ribbon", "--kind ribbon", first_);
  write("text", "not a filter\n");
  const std::string rule = " must equal the first filter's ";
  EXPECT_EQ(crivo("union -o u f f 'of another kind'").err,
            "crivo union: 'of another kind': kind" + rule + "blocked, got classic\n");
  EXPECT_EQ(crivo("union -o u f seed").err, "crivo union: seed: seed" + rule + "0, got 1\n");
  EXPECT_EQ(crivo("union -o u f size").err,
            "crivo union: size: k" + rule + "5, got 6; create both with the same capacity and rate\n");
  EXPECT_THAT(crivo("union -o u ribbon ribbon").err, StartsWith("crivo union: ribbon: kind must support unite"));
  EXPECT_THAT(crivo("union -o u ribbon f").err, StartsWith("crivo union: ribbon: kind must support unite"));
  EXPECT_THAT(crivo("union -o u f text").err, StartsWith("crivo union: text: "));
  EXPECT_EQ(crivo("union -o u f nowhere").err,
            "crivo union: FILTER must be readable, got nowhere: No such file or directory\n");
  EXPECT_EQ(crivo("union -o ./f f f").err, "crivo union: output must differ from the input f, got ./f\n");
  EXPECT_THAT(crivo("union -o u f"), Exits(2));
  EXPECT_FALSE(std::filesystem::exists(path("u")));
}

}  // namespace
}  // namespace crivo::testing
