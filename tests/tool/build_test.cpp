// crivo build: its input, its errors, and its output.
#include <algorithm>

#include "crivo/kinds.h"
#include "shell.h"

namespace crivo::testing {
namespace {

using namespace std::string_literals;

TEST_F(ToolTest, BuildsEveryKindAndFindsEveryKeyAgain) {
  const std::string keys = numbered_lines(5000);
  write("keys", keys);
  std::vector<std::string> texts = {"spectral:16", "scalable:4", "compressed"};
  for (const KindInfo& kind : kinds()) {  // range_test.cpp and value_test.cpp test the kinds with another line format
    if (kind.hash_id == HashId::kXxh3_64 && !kind.can.needs_values()) texts.emplace_back(kind.name);
  }
  for (const std::string& kind : texts) {
    ASSERT_THAT(crivo("build -q -o f --kind " + kind + " keys"), Succeeds("")) << kind;
    EXPECT_EQ(crivo("query f", keys).out, keys) << kind;
    EXPECT_THAT(crivo("verify f"), Succeeds()) << kind;
  }
}

TEST_F(ToolTest, ReadsSeveralFilesAndStandardInputInTheirOrder) {
  write("a", "from a\n");
  write("b", "from b");
  ASSERT_THAT(crivo("build -o f a - b", "from stdin\n"), Succeeds());
  EXPECT_EQ(crivo("query f 'from a' 'from stdin' 'from b'").out, "from a\nfrom stdin\nfrom b\n");
}

TEST_F(ToolTest, TakesALineWithoutItsNewlineAsTheKey) {
  // Includes the empty key, a carriage return, a NUL, and a last line without a newline.
  const std::string lines = "\nends in return\r\nhas \0 inside\n  spaces  \nlast"s;
  ASSERT_THAT(crivo("build -o f --fp-rate 1e-9 --seed 7", lines), Succeeds());
  EXPECT_THAT(crivo("info --json f").out, HasSubstr("\"keys\":5,"));
  EXPECT_EQ(crivo("query f", lines).out, lines + "\n");
  EXPECT_EQ(crivo("query f 'ends in return' spaces 'has '").out, "");
}

TEST_F(ToolTest, SaysOnceThatCarriageReturnsArePartOfTheKeys) {
  EXPECT_THAT(crivo("build -q -o f", "a\r\nb\r\nc\r\n"),
              Succeeds("crivo build: note: lines of standard input end in '\\r', which is part of the key\n"));
  EXPECT_EQ(crivo("build -q -o f", "a\nb\n").err, "");
}

TEST_F(ToolTest, SaysThatAFileIsNotTheTextThatItsLinesAreTakenFor) {
  write("text", "a\n\x1f\x8b\n");
  write("packed.gz", "\x1f\x8b\x08\n\n");
  ASSERT_EQ(crivo("build -q -o f text").err, "");
  EXPECT_THAT(crivo("build -q -o g text packed.gz -", read("f")),
              Succeeds("crivo build: note: packed.gz begins like gzip; its lines are used unchanged\n"
                       "crivo build: note: standard input begins like a filter; its lines are used unchanged\n"));
  EXPECT_EQ(crivo("build -q -o f", "\xef\xbb\xbfkey\n").err,
            "crivo build: note: standard input begins like UTF-8; its lines are used unchanged\n");
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "\xef\xbb\xbfkey\n";  // more than one read
  EXPECT_EQ(crivo("build -q -o f", many).err, crivo("build -q -o f", "\xef\xbb\xbfkey\n").err) << "of a file's start";
}

TEST_F(ToolTest, TakesLinesLongerThanItsBuffer) {
  const std::string longest(5'000'000, 'x');
  const std::string lines = "short\n" + longest + "\nlast\n";
  ASSERT_THAT(crivo("build -o f --fp-rate 1e-9", lines), Succeeds());
  EXPECT_EQ(crivo("query f", lines).out, lines);
  EXPECT_THAT(crivo("query f", longest + "x\n"), Exits(1));
}

TEST_F(ToolTest, EndsLinesOfEveryLengthAtTheirNewlines) {
  std::string lines;
  std::string as_arguments;
  for (std::size_t length = 1; length < 200; ++length) {
    const std::string key = std::to_string(length) + std::string(length, 'x');
    lines += key + "\n" + std::string(length % 3, '\n');
    as_arguments += " " + key;
  }
  ASSERT_THAT(crivo("build -o f --fp-rate 1e-9", lines), Succeeds());
  EXPECT_THAT(crivo("info --json f").out,
              HasSubstr("\"keys\":" + std::to_string(std::count(lines.begin(), lines.end(), '\n')) + ","));
  EXPECT_EQ(crivo("query --count f" + as_arguments + " ''").out, "200\n");
  EXPECT_EQ(crivo("query --count f 1 2 x xx 199 " + std::string(199, 'x')).out, "0\n");
}

TEST_F(ToolTest, TakesACapacityInUnitsOf1024AndASizeByBits) {
  EXPECT_THAT(crivo("build -o f --capacity 2M --bits-per-key 12", "a").err,
              HasSubstr("capacity 2097152, fp_rate 0.00"));
  EXPECT_THAT(crivo("info f").out, HasSubstr("payload_bytes     3145728\n"));
  for (const char* bits : {"0", "1001", "nan", "-1"}) {
    EXPECT_THAT(crivo("build -o f --capacity 9 --bits-per-key " + std::string(bits), "a").err,
                AllOf(StartsWith("crivo build: bits_per_key must "), EndsWith(std::string(", got ") + bits + "\n")));
  }
  EXPECT_THAT(crivo("build -o f --bits-per-key x", "a").err, HasSubstr("bits_per_key must be a number, got x\n"));
  EXPECT_THAT(crivo("build -o f --bits-per-key 9 --fp-rate 0.1", "a"), Exits(2));
}

TEST_F(ToolTest, NamesTheWrongPartOfAWindow) {
  EXPECT_EQ(crivo("build -o f --kind '7 days'", "a").err.find("crivo build: kind must be one of classic, "), 0U);
  for (const char* panes : {"0", "257"}) {
    EXPECT_EQ(crivo("build -o f --kind 'window:7days/"s + panes + "'", "a").err,
              "crivo build: panes must be in [1, 256], got "s + panes + "\n");
  }
  EXPECT_EQ(crivo("build -o f --kind 'window:0 days/7'", "a").err,
            "crivo build: kind window must be written alone or as window:<length up to 100 years, like '7 days' or "
            "seconds[/panes: 1 to 256]>, got 'window:0 days/7'\n");
}

TEST_F(ToolTest, NotesThatTheInputHasNoKeys) {
  const std::string note = "crivo build: note: the input has no keys\n";
  EXPECT_THAT(crivo("build -q -o f", ""), Succeeds(note));
  EXPECT_THAT(crivo("build -q -o s --shards 2", ""), Succeeds(note));
  EXPECT_THAT(crivo("build -q -o f", "\n"), Succeeds("")) << "an empty line is a key";
}

TEST_F(ToolTest, SaysInOneLineWhatItBuilt) {
  const Outcome built = crivo("build -o f --capacity 500 --fp-rate 0.001 --kind classic", numbered_lines(300));
  EXPECT_EQ(built.err, "crivo build: f: kind classic, capacity 500, fp_rate 0.001, keys 300, " +
                           std::to_string(read("f").size()) + " bytes\n");
  EXPECT_THAT(crivo("build -o - --capacity 500 --fp-rate 0.001 --kind classic", numbered_lines(300)),
              Exits(0, StartsWith("crivo build: standard output: kind classic, "), read("f")));
  EXPECT_THAT(crivo("build -q -o f", numbered_lines(300)), Exits(0, "", ""));
}

TEST_F(ToolTest, NotesThatAFilterHoldsMoreThanItPromised) {
  EXPECT_THAT(crivo("build -q --capacity 10 -o f", numbered_lines(1000)),
              Succeeds(MatchesRegex("crivo build: note: 1000 keys exceed the capacity of 10: current_fp_rate is .* "
                                    "instead of 0.01; raise or omit --capacity\n")));
  EXPECT_EQ(crivo("query f", numbered_lines(1000)).out, numbered_lines(1000));
}

TEST_F(ToolTest, SaysWhatToDoAboutAFullFilter) {
  for (const char* kind : {"cuckoo", "hash_compaction"}) {
    EXPECT_THAT(crivo("build --capacity 10 -o f --kind " + std::string(kind), numbered_lines(1000)),
                Fails(AllOf(StartsWith("crivo build: filter must have a free slot: "),
                            EndsWith("; raise or omit --capacity\n"))));
    EXPECT_THAT(crivo("build -o g --kind " + std::string(kind), numbered_lines(1000)), Succeeds());
  }
  EXPECT_THAT(crivo("build --capacity 1000 -o f --kind cuckoo", "a\na\na\na\na\na\na\na\na\n"),
              Fails(AllOf(StartsWith("crivo build: additions of one key must be at most 8"),
                          EndsWith("; remove repeated keys, as sort -u does\n"))));
  std::string repeated;
  for (int i = 0; i < 100; ++i) repeated += "key\n";
  EXPECT_THAT(crivo("build -o f --kind cuckoo", repeated).err, EndsWith("; remove repeated keys, as sort -u does\n"));
  EXPECT_EQ(files(), 1U);
}

TEST_F(ToolTest, RefusesBadOptionsByNameAndLeavesNoFile) {
  struct Rule {
    const char* options;  // the value follows the last option
    std::string message;  // the text before the value
    std::vector<std::string> values;
  };
  const Rule rules[] = {
      {"--capacity",
       "capacity must be an integer from 1 to 1099511627776, such as 1000000 or 1M",
       {"0", "-5", "1.5", "10k", "nan", " 1", "1099511627777", ""}},
      {"--fp-rate", "fp_rate must be in (0, 1), or be 1 for map and exact", {"0", "1.5", "nan"}},
      {"--fp-rate", "fp_rate must be in (0, 1)", {"1"}},
      {"--fp-rate", "fp_rate must be a number in (0, 1), or 1 for map and exact", {"1%"}},
      {"--capacity 1e12 --fp-rate",
       "fp_rate must be above 5.421010862427522e-08, the collision rate of 64-bit hashes of 1000000000000 keys",
       {"1e-09"}},
      {"--seed", "seed must be a 64-bit integer", {"1.5", "18446744073709551616", "[1]"}},
      {"--threads", "threads must be an integer from 1 to 1024, or all", {"-1", "1025", "0"}},
      {"--max-bytes",
       "max-bytes must be a number of bytes from 1 to 64T, such as 4G or 4GB",
       {"0", "65T", "1Gb", "1gB", "GB", "1.5G", "99999TB", ""}},
  };
  const auto expect_refused = [&](const std::string& options, const std::string& message) {
    EXPECT_THAT(crivo("build -o f " + options, "key\n"), Exits(2, "crivo build: " + message + "\n", "")) << options;
  };
  for (const auto& [options, message, values] : rules) {
    for (const std::string& value : values) {
      expect_refused(options + (value.empty() ? "=" : " '" + value + "'"), message + ", got " + value);
    }
  }
  expect_refused("--kind classic --capacity 1T --bits-per-key 1000",
                 "capacity must fit the kind classic, got 1099511627776: its number of bits must be in [1, "
                 "70368744177664], got 1099511627776000");
  for (const char* kind : {"bloom", "''", "Blocked", "blocked:3", "spectral:", "spectral:x"}) {
    EXPECT_THAT(crivo("build -o f --kind " + std::string(kind), "key\n"),
                Fails(AllOf(StartsWith("crivo build: kind "), HasSubstr(" must "))))
        << kind;
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(ToolTest, RefusesUsageItDoesNotKnow) {
  for (const char* arguments :
       {"build", "build -o", "info", "verify", "build -o f --raw --compress", "build -o f --capacity"}) {
    EXPECT_THAT(crivo(arguments), Fails(StartsWith("crivo"))) << arguments;
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(ToolTest, NamesACommandItDoesNotKnow) {
  const std::string rule =
      "crivo: COMMAND must be one of build, add, union, query, info, verify, sketch, diff, sst, rocksdb, help, got ";
  EXPECT_EQ(crivo("frobnicate -o f").err, rule + "frobnicate; see crivo --help\n");
  EXPECT_EQ(crivo("Build --help").err, rule + "Build; see crivo --help\n");
  EXPECT_EQ(crivo("").err, rule + "none; see crivo --help\n");
}

TEST_F(ToolTest, RefusesWhatDoesNotFitIntoTheMachine) {
  EXPECT_THAT(crivo("build -o f --capacity 1099511627776 --fp-rate 1e-5", "key\n"),
              Fails(AllOf(StartsWith("crivo build: capacity must fit in "), HasSubstr("got 1099511627776 keys"),
                          HasSubstr("this machine's memory"))));
}

// The filter has 1280 bytes. A limit of at least this size succeeds. The error for a smaller limit repeats the limit as
// it was given, and has the filter's size in the same unit.
TEST_F(ToolTest, TakesSizesInUnitsOfAThousandAndOf1024) {
  for (const char* fits : {"1280", "2K", "2KiB", "2KB", "2kB", "1M", "1MB", "1MiB", "1T"}) {
    EXPECT_EQ(crivo("build -q -o f --capacity 1000 --max-bytes " + std::string(fits), "key\n").err, "") << fits;
  }
  for (const std::string limit : {"1279", "1K", "1KiB", "1KB"}) {
    EXPECT_EQ(crivo("build -q -o f --capacity 1000 --max-bytes " + limit, "key\n").err,
              "crivo build: max-bytes must be at least 1280, got " + limit + "\n");
  }
  EXPECT_EQ(crivo("build -q -o f --capacity 1000000 --max-bytes 1MB", "key\n").err,
            "crivo build: max-bytes must be at least 1240KB, got 1MB\n");
  EXPECT_EQ(crivo("build -q -o f --capacity 1000000 --max-bytes 999999", "key\n").err,
            "crivo build: max-bytes must be at least 1239808, got 999999\n");
}

TEST_F(ToolTest, NamesAMistypedOptionBeforeAMissingOne) {
  EXPECT_THAT(crivo("build --ouput a"), Fails(HasSubstr("got --ouput")));
  EXPECT_THAT(crivo("query --foo"), Fails(HasSubstr("got --foo")));
  EXPECT_THAT(crivo("-V"), Fails(HasSubstr("got -V")));
  EXPECT_THAT(crivo("build --capacity x --ouput a"), Fails(HasSubstr("capacity")));
  EXPECT_THAT(crivo("query"), Fails(HasSubstr("FILTER is required")));
}

TEST_F(ToolTest, NamesUnexpectedArgumentsInTheirOrderAndInQuotes) {
  const std::string rule = "arguments must be known to the command, got ";
  EXPECT_EQ(crivo("info a 'b c' d --nosuch").err,
            "crivo info: " + rule + "'b c' d --nosuch (-- ends the options); see crivo info --help\n");
  EXPECT_EQ(crivo("build --fp_rate=0.1 -o f").err,
            "crivo build: " + rule + "'--fp_rate=0.1' (--fp_rate is spelled --fp-rate); see crivo build --help\n");
  EXPECT_EQ(crivo("build --bits_per_key 9 --no_such -o f").err,
            "crivo build: " + rule + "--bits_per_key --no_such (--bits_per_key is spelled --bits-per-key); see " +
                "crivo build --help\n");
  EXPECT_EQ(crivo("query a -x").err, "crivo query: " + rule + "-x (-- ends the options); see crivo query --help\n");
  EXPECT_EQ(crivo("help build extra").err, "crivo help: " + rule + "extra; see crivo help --help\n");
}

TEST_F(ToolTest, PutsPathsInQuotesThatAShellWouldTakeApart) {
  write("my keys", "a\xff\n");
  EXPECT_THAT(crivo("build -o 'my filter' 'my keys'").err, StartsWith("crivo build: 'my filter': kind "));
  EXPECT_EQ(crivo("build -o f \"it's\"").err,
            "crivo build: FILE must be readable, got 'it'\\''s': No such file or directory\n");
  EXPECT_EQ(crivo("build -o './my keys' 'my keys'").err,
            "crivo build: output must differ from the input 'my keys', got './my keys'\n");
  const auto read = [&](const std::string& as_typed) { return crivo("build -o f " + as_typed).err; };
  for (const std::string& path : {"09azAZ+-./:=@_%,"s, "'['"s, "'`'"s, "'{'"s, "'$x'"s, "'a*'"s, "';'"s}) {
    EXPECT_EQ(read(path), "crivo build: FILE must be readable, got " + path + ": No such file or directory\n");
  }
}

TEST_F(ToolTest, EndsKeysWithANulWhenAsked) {
  const std::string keys = "two\nlines\0\0ends in return\r\0last"s;
  write("keys", keys);
  EXPECT_THAT(crivo("build -q -0 -o f --fp-rate 1e-9 keys"), Succeeds(""));
  EXPECT_THAT(crivo("info --json f").out, HasSubstr("\"keys\":4,"));
  EXPECT_EQ(crivo("query --null f", keys).out, keys + '\0');
  EXPECT_EQ(crivo("query -0v f", keys + "\0absent\nkey"s).out, "absent\nkey\0"s);
  EXPECT_EQ(crivo("query -0 f last 'two\nlines' two").out, "last\0two\nlines\0"s);
  EXPECT_EQ(crivo("query f", "two\nlines\n").out, "");
  EXPECT_THAT(crivo("query f -- -0"), Exits(1));
}

TEST_F(ToolTest, SaysWhichFileItCannotRead) {
  EXPECT_EQ(crivo("build -o f nowhere").err,
            "crivo build: FILE must be readable, got nowhere: No such file or directory\n");
  EXPECT_EQ(crivo("build -o f .").err, "crivo build: FILE must be readable, got .: Is a directory\n");
  EXPECT_THAT(crivo("build -o f nowhere"), Exits(2));
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace crivo::testing
