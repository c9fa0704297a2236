// crivo info, crivo verify, crivo --version and the help.
#include <algorithm>
#include <sstream>

#include "crivo/version.h"
#include "shell.h"

namespace crivo::testing {
namespace {

TEST_F(ToolTest, DescribesAFilter) {
  ASSERT_THAT(crivo("build -o f --capacity 1e3 --fp-rate 0.001 --kind classic --seed -1 --raw", "a\nb\n"), Succeeds());
  const std::string json = crivo("info --json f").out;
  EXPECT_THAT(json, StartsWith("{\"kind\":\"classic\",\"capacity\":1000,\"fp_rate\":0.001,\"keys\":2,"));
  EXPECT_THAT(json, HasSubstr("\"seed\":-1,\"codec\":\"raw\","));
  EXPECT_THAT(json, HasSubstr("\"blob_bytes\":" + std::to_string(read("f").size()) + "}\n"));
  EXPECT_THAT(crivo("info f").out,
              StartsWith("kind              classic\ncapacity          1000\nfp_rate           0.001\n"));
  EXPECT_EQ(crivo("info -", read("f")).out, crivo("info f").out);
}

TEST_F(ToolTest, ReadsASeedAsSignedOrUnsigned) {
  ASSERT_THAT(crivo("build -o signed --seed -1", "a\n"), Succeeds());
  ASSERT_THAT(crivo("build -o unsigned --seed 18446744073709551615", "a\n"), Succeeds());
  EXPECT_EQ(read("signed"), read("unsigned"));
}

TEST_F(ToolTest, VerifiesEveryByte) {
  ASSERT_THAT(crivo("build -o f", numbered_lines(20)), Succeeds());
  EXPECT_THAT(crivo("verify f"), Exits(0, "", ""));
  const std::string blob = read("f");
  for (std::size_t i = 0; i < blob.size(); i += i < 64 ? 1 : 5) {
    std::string damaged = blob;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write("damaged", damaged);
    ASSERT_THAT(crivo("verify damaged"), Exits(1, StartsWith("crivo verify: "))) << "byte " << i;
  }
}

TEST_F(ToolTest, TellsWhatIsNoFilterFromWhatCannotBeRead) {
  ASSERT_THAT(crivo("build -o f", "a\n"), Succeeds());
  const std::string blob = read("f");
  for (const std::string& wrong :
       {std::string(), blob.substr(0, 63), blob.substr(0, blob.size() - 1), blob + "x",
        std::string("\x7f"
                    "ELF and so on, certainly not a filter, but more than sixty-four bytes")}) {
    write("wrong", wrong);
    EXPECT_THAT(crivo("verify wrong"), Exits(1));
    EXPECT_THAT(crivo("info wrong"), Exits(2));
  }
  EXPECT_THAT(crivo("verify nowhere"), Exits(2));
  EXPECT_EQ(crivo("verify nowhere").err,
            "crivo verify: FILTER must be readable, got nowhere: No such file or directory\n");
  EXPECT_THAT(crivo("verify ."), Exits(2));
}

TEST_F(ToolTest, CallsATruncatedFileTruncated) {
  ASSERT_THAT(crivo("build -o f --raw --capacity 1000", "a\n"), Succeeds());
  const std::string blob = read("f");
  const std::string payload_bytes = std::to_string(blob.size() - 64);
  for (const std::size_t kept : {std::size_t{64}, std::size_t{100}, blob.size() - 1}) {
    write("cut", blob.substr(0, kept));
    EXPECT_EQ(crivo("verify cut").err, "crivo verify: cut: blob must be complete, with the " + payload_bytes +
                                           " payload bytes that its header states, got " + std::to_string(kept - 64) +
                                           ": it is truncated\n");
  }
  ASSERT_THAT(crivo("build -o f --capacity 1000", "a\n"),
              Succeeds());  // compressed, and states no stored size
  for (const std::size_t kept : {std::size_t{1}, std::size_t{63}, read("f").size() - 1}) {
    write("cut", read("f").substr(0, kept));
    EXPECT_THAT(crivo("verify cut").err, HasSubstr("truncated")) << kept;
  }
}

TEST_F(ToolTest, ReadsNoFilterOfMoreBytesThanAllowed) {
  // 60 million zero bits: a small file that needs much memory.
  ASSERT_THAT(crivo("build -o bomb --kind classic --capacity 6e6"), Succeeds());
  ASSERT_LT(read("bomb").size(), 100U);
  for (const char* command : {"verify", "info", "query"}) {
    const std::string words = std::string(command) + " bomb --max-bytes ";
    EXPECT_THAT(crivo(words + "1M"), Fails(EndsWith(": max-bytes must be at least 7027K, got 1M\n"))) << command;
    EXPECT_EQ(crivo(words + "10M").err, "") << command;
  }
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kLittleMemory = "";  // sanitizers reserve terabytes of addresses
#else
constexpr const char* kLittleMemory = "ulimit -v 500000; ";
#endif

TEST_F(ToolTest, TakesNoMoreMemoryThanAllowedForAFile) {
  ASSERT_THAT(shell("truncate -s 2G large"), Succeeds());
  const std::string refused = "crivo verify: standard input: FILTER must have at most ";
  for (const char* input : {"verify - <large", "verify --max-bytes 2000M - <large"}) {
    EXPECT_THAT(shell(kLittleMemory + ("'" CRIVO_TOOL "' " + std::string(input))),
                Fails(AllOf(StartsWith(refused), EndsWith("; --max-bytes raises the limit\n"))))
        << input;
  }
  // A mapped file reserves addresses, but no memory.
  EXPECT_THAT(crivo("verify --max-bytes 1M large").err, StartsWith("crivo verify: large: magic must be C3 52 56 4F"));
  EXPECT_THAT(shell("yes | '" CRIVO_TOOL "' verify --max-bytes 1M -").err, StartsWith(refused));
}

TEST_F(ToolTest, VerifiesSeveralFilesWithALineForEach) {
  ASSERT_THAT(crivo("build -q -o f", "a\n"), Succeeds());
  write("no filter", read("f").substr(0, 70));
  EXPECT_THAT(crivo("verify f - f", read("f")), Exits(0, "", "f: valid\nstandard input: valid\nf: valid\n"));
  EXPECT_THAT(crivo("verify f 'no filter' f"),
              Exits(1, StartsWith("crivo verify: 'no filter': "), "f: valid\nf: valid\n"));
  EXPECT_THAT(
      crivo("verify nowhere 'no filter' f 2>&1"),
      Exits(2, _, AllOf(StartsWith("crivo verify: FILTER must be readable, got nowhere: "), EndsWith("\nf: valid\n"))));
}

TEST_F(ToolTest, HelpsInLinesOf80Columns) {
  for (const char* command : {"", "build", "add", "union", "query", "info", "verify", "help"}) {
    const Outcome helped = crivo(std::string(command) + " --help");
    EXPECT_THAT(helped, Says(HasSubstr("--help"))) << command;
    const std::string& help = helped.out;
    const std::string usage = *command ? std::string("crivo ") + command : "crivo";
    EXPECT_THAT(help, HasSubstr(usage + " [OPTIONS]"));  // not every version of CLI11 puts "Usage: " before it
    std::size_t longest = 0;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
    EXPECT_LE(longest, 80U) << help;
    EXPECT_EQ(crivo("help " + std::string(command)).out, *command == 'h' ? crivo("help --help").out : help);
  }
  EXPECT_EQ(crivo("help --").out, crivo("help --help").out);
  EXPECT_THAT(crivo("help nosuch"), Exits(2));
  EXPECT_THAT(crivo("help nosuch").err, EndsWith(", got nosuch; see crivo --help\n"));
}

TEST_F(ToolTest, SaysItsVersionAndHelps) {
  EXPECT_THAT(crivo("--version").out, StartsWith("crivo " + std::string(version()) + " ("));
  EXPECT_THAT(crivo("--version"), Succeeds());
  for (const char* command : {"build", "add", "union", "query", "info", "verify"}) {
    EXPECT_THAT(crivo(std::string(command) + " --help").out, HasSubstr("--max-bytes BYTES")) << command;
  }
  EXPECT_THAT(crivo("build --help").out, HasSubstr("A key is a line without its '\\n' and nothing else"));
}

}  // namespace
}  // namespace crivo::testing
