// crivo sketch and crivo diff: the difference of two files of keys.
#include "shell.h"

namespace crivo::testing {
namespace {

using namespace std::string_literals;

class Sketches : public ToolTest {
 protected:
  void SetUp() override {
    ToolTest::SetUp();
    std::string both;
    for (int i = 1; i <= 5000; ++i) both += std::to_string(i * 1000) + '\n';
    write("mine", both + "-7\n42\n");
    write("theirs", "43\n" + both);
  }
  /// The output of diff for the sketches of both files, made with these options.
  Outcome difference(const std::string& options, const std::string& more = "") {
    EXPECT_THAT(crivo("sketch -q -o mine.sketch " + options + " mine"), Succeeds(""));
    EXPECT_THAT(crivo("sketch -q -o theirs.sketch " + options + " theirs"), Succeeds(""));
    return crivo("diff mine.sketch theirs.sketch " + more);
  }
};

TEST_F(Sketches, PrintWhatOnlyOneFileHas) {
  const Outcome integers = difference("--differences 3 --keys integers");
  EXPECT_EQ(integers.out, "< -7\n< 42\n> 43\n");
  EXPECT_EQ(integers.exit_code, 1);
  const Outcome lines = difference("--symbols 60 --seed 5", "--lines mine --lines theirs");
  EXPECT_EQ(lines.out, "< -7\n< 42\n> 43\n");
  EXPECT_EQ(lines.exit_code, 1);
  const Outcome hashes = difference("--symbols 60", "--lines mine");
  EXPECT_THAT(hashes.out, StartsWith("< -7\n< 42\n> "));
  EXPECT_EQ(std::ranges::count(hashes.out, '\n'), 3);
}

TEST_F(Sketches, AreDescribed) {
  EXPECT_THAT(crivo("sketch -q -o a --symbols 40 --first 2 --keys bytes:3 --seed -1", "ann\nbob\n"), Succeeds(""));
  EXPECT_EQ(crivo("info --json a").out,
            R"({"kind":"sketch","key_type":"bytes","key_bytes":3,"first":2,"symbols":40,"keys":2,"seed":-1,)"
            R"("blob_bytes":)" +
                std::to_string(read("a").size()) + "}\n");
  EXPECT_EQ(crivo("info -", read("a")).out, crivo("info a").out);
  EXPECT_EQ(crivo("info --max-bytes 100 a").err,
            "crivo info: a: FILTER must have at most 164 bytes, got more; --max-bytes raises the limit\n");
}

TEST_F(Sketches, AreVerifiedToTheLastByte) {
  EXPECT_THAT(crivo("sketch -q -o a --symbols 3", "ann\n"), Succeeds(""));
  EXPECT_THAT(crivo("build -q -o f", "ann\n"), Succeeds(""));
  EXPECT_EQ(crivo("verify a f").out, "a: valid\nf: valid\n");
  EXPECT_THAT(crivo("verify -", read("a")), Exits(0, ""));
  std::string damaged = read("a");
  damaged.back() = static_cast<char>(damaged.back() ^ 0x10);
  write("damaged", damaged);
  EXPECT_THAT(crivo("verify damaged"), Exits(1, StartsWith("crivo verify: damaged: ")));
}

TEST_F(Sketches, TakeStringsOfALength) {
  EXPECT_THAT(crivo("sketch -q -o a --symbols 40 --keys bytes:3", "ann\nbob\n"), Succeeds(""));
  EXPECT_THAT(crivo("sketch -q -o b --symbols 40 --keys bytes:3", "bob\ncid\n"), Succeeds(""));
  EXPECT_EQ(crivo("diff a b").out, "< ann\n> cid\n");
  EXPECT_EQ(crivo("diff -0 a b").out, "< ann\0> cid\0"s);
  EXPECT_THAT(crivo("sketch -q -o c --symbols 40 --keys bytes:3 -0", "a\nb\0"s), Succeeds(""));
  EXPECT_THAT(crivo("sketch -q -o d --symbols 40 --keys bytes:3", "a\0b\n"s), Succeeds(""));
  EXPECT_EQ(crivo("diff c d").out, "< a\nb\n> a\0b\n"s);
  EXPECT_EQ(crivo("diff --hex c d").out, "< 610A62\n> 610062\n");
  EXPECT_THAT(crivo("sketch -q -o a --symbols 40 --keys bytes:3", "ann\nbobby\n"),
              Fails("crivo sketch: key must have the 3 bytes of the sketch's keys, got 5: 'bobby'\n"));
}

TEST_F(Sketches, SayWhatIsWrong) {
  EXPECT_THAT(difference("--symbols 2").err,
              StartsWith("crivo diff: symbols must be more than 2 to decode the difference"));
  EXPECT_EQ(crivo("diff mine.sketch theirs.sketch").exit_code, 2);
  EXPECT_THAT(crivo("sketch -o a mine"), Fails("crivo sketch: symbols or differences must be set, got neither\n"));
  EXPECT_THAT(crivo("sketch -o a --symbols 0 mine"),
              Fails(HasSubstr("symbols must be an integer from 1 to 4294967296")));
  EXPECT_THAT(
      crivo("sketch -o a --symbols 9 --keys integers", "x\n"),
      Fails(
          "crivo sketch: line 1 of standard input must be an integer of 64 bits for a sketch of integers, got 'x'\n"));
  EXPECT_THAT(crivo("sketch -o a --symbols 9 --keys words mine"), Fails(HasSubstr("keys must be hashes, integers or")));
  EXPECT_THAT(crivo("sketch -o a --symbols 1M --max-bytes 1M mine"),
              Fails(HasSubstr("symbols must fit in 1048576 bytes")));
  EXPECT_THAT(crivo("diff missing mine.sketch"), Fails(HasSubstr("FIRST must be readable, got missing")));
  EXPECT_THAT(crivo("diff mine mine"), Fails(HasSubstr("mine: magic must be C3 52 56 4F")));
  EXPECT_THAT(crivo("build -q -o filter mine"), Succeeds());
  EXPECT_THAT(crivo("diff filter filter"), Fails("crivo diff: filter: kind must be sketch, got blocked, a filter\n"));
  EXPECT_THAT(crivo("query mine.sketch 42"),
              Fails("crivo query: mine.sketch: kind must be that of a filter, got sketch\n"));
}

TEST_F(Sketches, ContinueOneAnother) {
  EXPECT_THAT(crivo("sketch -q -o all --symbols 9 mine"), Succeeds(""));
  EXPECT_THAT(crivo("sketch -q -o begin --symbols 9 --first 0 mine"), Succeeds(""));
  EXPECT_EQ(read("begin"), read("all"));
  EXPECT_THAT(crivo("sketch -o rest --symbols 5 --first 4 mine"),
              Succeeds("crivo sketch: rest: symbols 4 to 8, keys 5002, 152 bytes\n"));
  EXPECT_EQ(read("all").substr(64 + 8 + 4 * 16), read("rest").substr(64 + 8));
}

}  // namespace
}  // namespace crivo::testing
