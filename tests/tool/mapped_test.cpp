// The tool maps large filter files, and reports damage and changes.
#include <algorithm>

#include "shell.h"

namespace crivo::testing {
namespace {

class Mapped : public ToolTest {
 protected:
  // 125 KB, large enough for the tool to store checksums.
  Mapped() { EXPECT_THAT(crivo("build -q -o f", numbered_lines(100'000)), Succeeds()); }

  /// Flips one bit of the file's payload.
  void damage(const std::string& name, std::size_t offset) {
    std::string blob = read("f");
    blob[64 + offset] = static_cast<char>(blob[64 + offset] ^ 1);
    write(name, blob);
  }
};

TEST_F(Mapped, ALargeFilterIsMappableUnlessItIsToldOtherwise) {
  EXPECT_THAT(crivo("info --json f").out, HasSubstr("\"codec\":\"raw+sums\""));
  EXPECT_THAT(crivo("verify f"), Succeeds());
  EXPECT_EQ(crivo("query f 'key 5'").out, "key 5\n");
  ASSERT_THAT(crivo("build -q --raw -o raw", numbered_lines(100'000)), Succeeds());
  EXPECT_THAT(crivo("info --json raw").out, HasSubstr("\"codec\":\"raw\""));
  ASSERT_THAT(crivo("build -q -o small", numbered_lines(1000)), Succeeds());
  EXPECT_THAT(crivo("info --json small").out, HasSubstr("\"codec\":\"raw\""));
  ASSERT_THAT(crivo("build -q --mappable -o small", numbered_lines(10)), Succeeds());
  EXPECT_THAT(crivo("info --json small").out, HasSubstr("\"codec\":\"raw+sums\""));
  EXPECT_EQ(crivo("query small 'key 5'").out, "key 5\n");
  for (const char* pair : {"--raw", "--compress"}) {
    EXPECT_THAT(crivo(std::string("build -o f --mappable ") + pair, "a\n"), Exits(2)) << pair;
  }
}

// 0.2% of the file are checksums, which do not count for the limit.
TEST_F(Mapped, ALimitOfItsPayloadLetsAFilterThroughAPipe) {
  ASSERT_THAT(crivo("build -q --capacity 2e6 --mappable -o f", numbered_lines(10)), Succeeds());
  const std::string info = crivo("info f").out;
  const std::string payload = std::to_string(std::stoul(info.substr(info.find("payload_bytes") + 13)));
  EXPECT_EQ(crivo("query --max-bytes " + payload + " - 'key 5' <f").out, "key 5\n");
  EXPECT_EQ(crivo("query --max-bytes " + payload + "0 - 'key 5' <f").out, "key 5\n");
  EXPECT_THAT(crivo("query --max-bytes 1M - 'key 5' <f"), Exits(2));
}

TEST_F(Mapped, ADamagedFileIsAnErrorWhereItIsDamaged) {
  damage("damaged", 20 * 4096);
  EXPECT_THAT(
      crivo("verify damaged"),
      Exits(1, HasSubstr("crivo verify: damaged: segment 20 (bytes 81920 to 86015 of the payload) must match its")));
  EXPECT_THAT(crivo("info damaged"), Exits(2));
}

// A key without an answer is printed as possibly present, so that a script that reads only the output loses no key.
TEST_F(Mapped, ADamagedPlaceLeavesTheOtherKeysTheirAnswers) {
  damage("damaged", 20 * 4096);
  const std::string keys = numbered_lines(100'000);
  const Outcome present = crivo("query damaged", keys);
  EXPECT_EQ(present.exit_code, 2);
  EXPECT_TRUE(present.out == keys);
  EXPECT_THAT(present.err, HasSubstr("has no answer, and counts as \"maybe\": segment 20 (bytes 81920 to 86015"));
  EXPECT_EQ(std::count(present.err.begin(), present.err.end(), '\n'), 6) << "five keys, and their number";
  EXPECT_THAT(present.err, ContainsRegex("crivo query: [0-9]+ keys have no answer, and count as \"maybe\"\n$"));

  EXPECT_THAT(crivo("query --invert damaged", keys), Exits(2, _, ""));
  const std::string absent = numbered_lines(20'000, "absent ");
  const std::string answered = crivo("query --invert damaged", absent).out;
  const std::string whole = crivo("query --invert f", absent).out;
  EXPECT_LT(answered.size(), whole.size());
  EXPECT_GT(answered.size(), whole.size() * 9 / 10) << "a segment is a 31st of this filter";
  EXPECT_EQ(crivo("query --count damaged", keys).out, "100000\n");
}

TEST_F(Mapped, AKeyWithoutAnAnswerIsNamedAndIsNoYes) {
  damage("damaged", 20 * 4096);
  int unanswered = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string key = "key " + std::to_string(i);
    const Outcome run = crivo("query damaged '" + key + "'");
    ASSERT_THAT(crivo("query -q damaged '" + key + "'"), Exits(run.exit_code));
    ASSERT_EQ(run.out, key + "\n");
    if (run.exit_code == 0) continue;
    ASSERT_THAT(run,
                Fails(StartsWith("crivo query: '" + key + "' has no answer, and counts as \"maybe\": segment 20 ")));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1);
    ++unanswered;
  }
  EXPECT_GT(unanswered, 0);
  EXPECT_LT(unanswered, 60);
}

TEST_F(Mapped, AFileThatIsChangedOrCutWhileItIsAskedIsAnError) {
  for (const char* change : {"printf x | dd of=f bs=1 seek=500 conv=notrunc 2>&-", "truncate -s 5000 f", ": >f"}) {
    ASSERT_THAT(crivo("build -q -o f", numbered_lines(100'000)), Succeeds());
    // The second key is written only after the first answer was read and the file was changed.
    const Outcome run =
        shell("mkfifo keys answers; '" CRIVO_TOOL
              "' query f <keys >answers & exec 3>keys 4<answers\n"
              "echo key 1 >&3; read first <&4; echo $first\n" +
              std::string(change) + "\necho key 2 >&3; exec 3>&-; cat <&4; wait $!; echo $?; rm keys answers");
    EXPECT_EQ(run.out, "key 1\n2\n") << change;
    EXPECT_THAT(run.err, HasSubstr("crivo query: f: file must ")) << change;
  }
}

}  // namespace
}  // namespace crivo::testing
