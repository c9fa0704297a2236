// crivo info, crivo verify, crivo --version and the help.
#include <gmock/gmock.h>

#include "crivo/version.h"
#include "shell.h"

namespace crivo::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(ToolTest, DescribesAFilter) {
  ASSERT_EQ(crivo("build -o f --capacity 1e3 --fpr 0.001 --kind classic --seed -1 --raw", "a\nb\n").exit_code, 0);
  const std::string json = crivo("info --json f").out;
  EXPECT_THAT(json, StartsWith("{\"kind\":\"classic\",\"capacity\":1000,\"fpr\":0.001,\"keys\":2,"));
  EXPECT_THAT(json, HasSubstr("\"seed\":-1,\"codec\":\"raw\","));
  EXPECT_THAT(json, HasSubstr("\"blob_bytes\":" + std::to_string(read("f").size()) + "}\n"));
  EXPECT_THAT(crivo("info f").out, StartsWith("kind           classic\ncapacity       1000\nfpr            0.001\n"));
  EXPECT_EQ(crivo("info -", read("f")).out, crivo("info f").out);
}

TEST_F(ToolTest, ReadsASeedAsSignedOrUnsigned) {
  ASSERT_EQ(crivo("build -o signed --seed -1", "a\n").exit_code, 0);
  ASSERT_EQ(crivo("build -o unsigned --seed 18446744073709551615", "a\n").exit_code, 0);
  EXPECT_EQ(read("signed"), read("unsigned"));
}

TEST_F(ToolTest, VerifiesEveryByte) {
  ASSERT_EQ(crivo("build -o f", numbered_lines(20)).exit_code, 0);
  const Outcome fine = crivo("verify f");
  EXPECT_EQ(fine.exit_code, 0);
  EXPECT_EQ(fine.out + fine.err, "");
  const std::string blob = read("f");
  for (std::size_t i = 0; i < blob.size(); ++i) {
    std::string damaged = blob;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write("damaged", damaged);
    const Outcome run = crivo("verify damaged");
    ASSERT_EQ(run.exit_code, 1) << "byte " << i;
    ASSERT_THAT(run.err, StartsWith("crivo verify: ")) << "byte " << i;
  }
}

TEST_F(ToolTest, TellsWhatIsNoFilterFromWhatCannotBeRead) {
  ASSERT_EQ(crivo("build -o f", "a\n").exit_code, 0);
  const std::string blob = read("f");
  for (const std::string& wrong :
       {std::string(), blob.substr(0, 63), blob.substr(0, blob.size() - 1), blob + "x",
        std::string("\x7f"
                    "ELF and so on, certainly not a filter, but more than sixty-four bytes")}) {
    write("wrong", wrong);
    EXPECT_EQ(crivo("verify wrong").exit_code, 1);
    EXPECT_EQ(crivo("info wrong").exit_code, 2);
  }
  EXPECT_EQ(crivo("verify nowhere").exit_code, 2);
  EXPECT_EQ(crivo("verify nowhere").err,
            "crivo verify: FILTER must be readable, got nowhere: No such file or directory\n");
  EXPECT_EQ(crivo("verify .").exit_code, 2);
}

TEST_F(ToolTest, SaysItsVersionAndHelps) {
  EXPECT_THAT(crivo("--version").out, StartsWith("crivo " + std::string(version()) + " ("));
  EXPECT_EQ(crivo("--version").exit_code, 0);
  for (const char* command : {"", "build", "query", "info", "verify"}) {
    const Outcome help = crivo(std::string(command) + " --help");
    EXPECT_EQ(help.exit_code, 0) << command;
    const std::string usage = *command ? std::string("crivo ") + command : "crivo";
    EXPECT_THAT(help.out, HasSubstr(usage + " [OPTIONS]"));  // which not every CLI11 puts "Usage: " before
  }
  EXPECT_THAT(crivo("build --help").out, HasSubstr("A key is a line without its '\\n' and nothing else"));
}

}  // namespace
}  // namespace crivo::testing
