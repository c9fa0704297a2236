// crivo sst info and probe, run as users run them.
#include <rocksdb/comparator.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sst/file_filters.h"
#include "sst_support.h"

namespace crivo::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kKeys = 4000;

std::string lines_of(std::uint64_t begin, std::uint64_t end) {
  std::string lines;
  for (std::uint64_t i = begin; i < end; ++i) lines += key_of(i) + "\n";
  return lines;
}

class SstTool : public SstToolTest {
 protected:
  void write_file_of(const rocksdb::Options& options, const std::string& name = "db") {
    const auto opened = open_database(options, path(name).string());
    put_keys(*opened, 0, kKeys);
  }
  /// Writes a database of one file. Returns the file's path relative to the scratch folder.
  std::string write_file(const rocksdb::Options& options, const std::string& name = "db") {
    write_file_of(options, name);
    return "'" + name + "/" + fs::path(sst_files(path(name).string()).at(0)).filename().string() + "'";
  }
  static rocksdb::Options one_file(const Policy& policy, bool partitioned = false) {
    rocksdb::Options options = many_files(policy, partitioned);
    options.target_file_size_base = 64 << 20;
    return options;
  }
  json info(const std::string& arguments, int exit_code = 0) {
    const Outcome result = crivo("sst info --json " + arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return json::parse(result.out);
  }
  std::uint64_t count(const std::string& arguments, const std::string& keys) {
    const Outcome counted = crivo("sst probe --count " + arguments, keys);
    EXPECT_LE(counted.exit_code, 1) << counted.err;
    return std::stoull(counted.out);
  }
};

TEST_F(SstTool, InfoDescribesEveryBlockOfAFile) {
  for (const PolicyMaker& policy : {our_policies()[1], builtin_policies()[0]}) {
    for (const bool partitioned : {false, true}) {
      SCOPED_TRACE(policy.label + (partitioned ? " partitioned" : ""));
      const std::string name = "a folder of " + policy.label + (partitioned ? " parts" : "");
      const std::string file = write_file(one_file(policy.make(10), partitioned), name);
      const json files = info(file);
      ASSERT_EQ(files.size(), 1U);
      const sst::FileFilters filters =
          sst::read_filters(*rocksdb::FileSystem::Default(), sst_files(path(name).string())[0]);
      EXPECT_EQ(files[0]["kind"], filters.kind());
      EXPECT_EQ(files[0]["policy"], policy.name);
      EXPECT_EQ(files[0]["keys"], kKeys);
      EXPECT_EQ(files[0]["level"], nullptr);
      EXPECT_EQ(files[0]["form"], partitioned ? "partitioned" : "full");
      EXPECT_DOUBLE_EQ(files[0]["current_fp_rate"], filters.current_fp_rate());
      ASSERT_EQ(files[0]["blocks"].size(), filters.blocks.size());
      EXPECT_EQ(files[0]["blocks"].size() > 1, partitioned);
      std::uint64_t bytes = 0;
      for (const json& block : files[0]["blocks"]) bytes += block["bytes"].get<std::uint64_t>();
      EXPECT_EQ(files[0]["bytes"], bytes);
      EXPECT_EQ(files[0]["blocks"][0]["damaged"], false);

      const Outcome table = crivo("sst info " + file);
      EXPECT_THAT(table, Says(HasSubstr("marker " + std::to_string(filters.blocks[0].facts.marker))));
      EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(table.out, '\n')), 2 + filters.blocks.size());
    }
  }
}

TEST_F(SstTool, InfoDescribesADatabaseThatIsInUseAndWritesNothing) {
  const rocksdb::Options options = many_files(crivo_ribbon());
  write_database(options, db(), kKeys);
  const auto opened = open_database(options, db());
  ASSERT_TRUE(opened->Put({}, "in the memtable", "").ok());
  const auto before = listing(db());
  const json files = info("db");
  EXPECT_EQ(listing(db()), before);
  EXPECT_EQ(files.size(), sst_files(db()).size());
  EXPECT_GT(files.size(), 10U);
  std::set<int> levels;
  for (const json& file : files) levels.insert(file["level"].get<int>());
  EXPECT_EQ(levels.size(), 2U) << "the first one and the last one";
  const Outcome table = crivo("sst info db");
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(table.out, '\n')), 1 + files.size());
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(crivo("sst info --blocks db").out, '\n')),
            1 + 2 * files.size());
}

TEST_F(SstTool, PrintsNoControlCharactersOfAName) {
  {
    const auto opened = open_database(one_file(crivo_bloom()), path("db").string());
    const Family other = create_family(*opened, one_file(crivo_bloom()), "red\x1b[31m\nline");
    put_keys(*opened, 0, 100, other.get());
  }
  for (const std::string command : {"sst info db", "sst advise db"}) {
    EXPECT_THAT(crivo(command).out, HasSubstr("red?[31m?line")) << command;
  }
}

TEST_F(SstTool, InfoOfAnEmptyDatabaseIsAnEmptyList) {
  open_database(one_file(crivo_bloom()), db()).reset();
  EXPECT_EQ(info("db").size(), 0U);
  EXPECT_THAT(crivo("sst info db"), Succeeds());
}

TEST_F(SstTool, InfoSaysWhatIsDamaged) {
  const std::string file = write_file(one_file(crivo_bloom(), true));
  const std::string where = sst_files(db())[0];
  std::string bytes = read_bytes(where);
  const auto blocks = filter_blocks(bytes);
  bytes[blocks[1].offset] = static_cast<char>(bytes[blocks[1].offset] ^ 1);
  write_bytes(where, bytes);
  const json files = info(file, 1);
  EXPECT_EQ(files[0]["damaged"], 1);
  EXPECT_EQ(files[0]["blocks"][0]["damaged"], false);
  EXPECT_EQ(files[0]["blocks"][1]["damaged"], true);
  EXPECT_THAT(crivo("sst info " + file).out, HasSubstr("damaged: block must match the file's checksum"));
  fs::resize_file(where, bytes.size() - 100);
  EXPECT_THAT(crivo("sst info " + file), Fails(HasSubstr("crivo sst info: FILE must be an SST file, got db/")));
  EXPECT_EQ(info("db", 1)[0]["kind"], "none") << "info of a database lists an unreadable file instead of failing";
}

TEST_F(SstTool, InfoRefusesWhatIsNoSstFile) {
  write("text", std::string(5000, 'x'));
  write("empty", "");
  for (const char* const name : {"text", "empty", "nowhere", "/dev/null"}) {
    EXPECT_THAT(crivo(std::string("sst info --json ") + name),
                Exits(2, HasSubstr(std::string("crivo sst info: FILE must be an SST file, got ") + name), IsEmpty()))
        << name;
  }
  fs::create_directory(path("folder"));  // a mistyped path must not look like a database without files
  EXPECT_THAT(crivo("sst info folder"),
              Fails(HasSubstr("FILE must be an SST file or a folder with such files, got folder")));
  EXPECT_THAT(crivo("sst info"), Exits(2));
  EXPECT_THAT(crivo("sst"), Exits(2));
  EXPECT_THAT(crivo("sst nonsense").err,
              HasSubstr("COMMAND must be one of advise, info, probe, refilter, run, got nonsense"));
}

TEST_F(SstTool, InfoOfADatabaseWithUnknownOptionsHasNoLevels) {
  const OwnOrder order;
  rocksdb::Options options = one_file(crivo_bloom());
  options.comparator = &order;
  write_file(options);
  const json files = info("db");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0]["kind"], "blocked");
  EXPECT_EQ(files[0]["level"], nullptr);
  EXPECT_EQ(files[0]["column_family"], "default") << "the file itself says so";
  write("db/999999.sst", "");  // as after a killed program
  EXPECT_THAT(crivo("sst info db"),
              Exits(0, AllOf(HasSubstr("note: levels are unknown"), HasSubstr("note: empty files are omitted")),
                    Not(HasSubstr("999999.sst"))));
}

// OPTIONS does not name the other folders. An incomplete list of files must not look complete.
TEST_F(SstTool, RefusesADatabaseWithFilesInOtherFolders) {
  rocksdb::Options options = one_file(crivo_bloom());
  options.db_paths = {{path("first").string(), 1U << 30}, {path("second").string(), 1U << 30}};
  write_file_of(options);
  for (const char* const arguments : {"sst info db", "sst info --json db", "sst refilter db"}) {
    EXPECT_THAT(crivo(arguments),
                Exits(2, HasSubstr("a database with files in db_paths or cf_paths cannot be opened here"), IsEmpty()))
        << arguments;
  }
  EXPECT_EQ(info("first").size(), 1U) << "each folder by itself";
  ASSERT_THAT(shell("cp first/*.sst db/000001.sst"), Succeeds());
  EXPECT_THAT(crivo("sst info db"), Exits(1)) << "some files are there, and others are not";
}

TEST_F(SstTool, ProbeLetsEveryKeyOfTheFilePass) {
  const OwnOrder own_order;
  const rocksdb::Comparator* const orders[] = {rocksdb::BytewiseComparator(), rocksdb::ReverseBytewiseComparator(),
                                               &own_order};
  int number = 0;
  for (const PolicyMaker& policy : {our_policies()[1], builtin_policies()[0]}) {
    for (const bool partitioned : {false, true}) {
      for (const rocksdb::Comparator* const order : orders) {
        if (!partitioned && order != orders[0]) continue;
        SCOPED_TRACE(policy.label + (partitioned ? " partitioned " : " ") + order->Name());
        rocksdb::Options options = one_file(policy.make(10), partitioned);
        options.comparator = order;
        const std::string file = write_file(options, "db" + std::to_string(++number));
        EXPECT_EQ(count(file, lines_of(0, kKeys)), kKeys);
        const double passed = static_cast<double>(count(file, lines_of(kKeys, 2 * kKeys)));
        const double expected = info(file)[0]["current_fp_rate"].get<double>() * static_cast<double>(kKeys);
        if (order == &own_order) {
          EXPECT_GT(passed, 2 * expected) << "every partition is queried, which a note says";
          EXPECT_THAT(crivo("sst probe " + file).err, HasSubstr("every partition is queried"));
        } else {
          EXPECT_NEAR(passed, expected, 5 * std::sqrt(expected) + 0.1 * expected);
        }
      }
    }
  }
}

TEST_F(SstTool, ProbeAppliesTheKeyTransformOfTheFilter) {
  const auto lower = NewRocksDBFilterPolicy({.bits_per_key = 20, .key_transform = "lower_ascii"});
  const std::string file = write_file(one_file(lower));
  EXPECT_EQ(info(file)[0]["key_transform"], "lower_ascii");
  std::string upper = lines_of(0, kKeys);
  std::ranges::transform(upper, upper.begin(), [](unsigned char letter) { return std::toupper(letter); });
  EXPECT_EQ(count(file, upper), kKeys);
  EXPECT_LT(count(file, lines_of(kKeys, 2 * kKeys)), kKeys / 10);
  const auto same = [](const rocksdb::Slice& key, std::string*) { return key; };
  ASSERT_TRUE(RegisterKeyTransform("my.Transform", same).ok());
  const std::string own =
      write_file(one_file(NewRocksDBFilterPolicy({.bits_per_key = 20, .key_transform = "my.Transform"})), "own");
  EXPECT_EQ(count(own, lines_of(kKeys, 2 * kKeys)), kKeys) << "the tool does not know the transform";
  EXPECT_THAT(crivo("sst probe " + own).err, HasSubstr("changed by my.Transform, which is unknown here"));
}

TEST_F(SstTool, ProbeHasTheOptionsOfQuery) {
  const std::string file = write_file(one_file(crivo_bloom(20)));
  const std::string keys = lines_of(0, 3) + "tomato\n" + lines_of(3, 5);
  EXPECT_THAT(crivo("sst probe " + file, keys), Says(lines_of(0, 5)));
  EXPECT_EQ(crivo("sst probe --absent " + file, keys).out, "tomato\n");
  EXPECT_EQ(crivo("sst probe -v -c " + file, keys).out, "1\n");
  EXPECT_THAT(crivo("sst probe " + file, "tomato"), Exits(1));
  EXPECT_THAT(crivo("sst probe -q " + file, keys), Succeeds());
  EXPECT_THAT(crivo("sst probe -q " + file, keys).out, IsEmpty());
  EXPECT_THAT(crivo("sst probe " + file, ""), Exits(1));
  std::string hex;
  for (const char letter : key_of(0)) hex += "0123456789abcdef"[letter >> 4], hex += "0123456789ABCDEF"[letter & 15];
  EXPECT_EQ(crivo("sst probe --hex " + file, hex + "\n746f6d61746f\n").out, hex + "\n");
  EXPECT_THAT(crivo("sst probe --hex " + file, "xy\n"),
              Fails(HasSubstr("a key must be pairs of hexadecimal digits, got xy")));
  EXPECT_THAT(crivo("sst probe --time " + file, keys).err, HasSubstr("ns a key"));
}

TEST_F(SstTool, ProbeOfADamagedFilterLetsEveryKeyPass) {
  const std::string file = write_file(one_file(crivo_bloom()));
  const std::string where = sst_files(db())[0];
  std::string bytes = read_bytes(where);
  const auto block = filter_blocks(bytes).at(0);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(block.offset), 500, '\0');
  write_bytes(where, bytes);
  EXPECT_THAT(crivo("sst probe " + file, lines_of(0, 2 * kKeys)),
              Exits(0, HasSubstr("1 of 1 filter blocks are damaged and let every key pass"), lines_of(0, 2 * kKeys)));
}

TEST_F(SstTool, ProbeWithoutAFilterIsAnError) {
  EXPECT_THAT(crivo("sst probe " + write_file(one_file(nullptr)), "key\n"),
              Exits(2, HasSubstr("FILE must be an SST file with a filter, got db/"), IsEmpty()))
      << "which is never taken for an answer";
  EXPECT_THAT(crivo("sst probe db", "key\n"),
              Exits(2, HasSubstr("FILE must be one SST file (name.sst), got the folder db"), IsEmpty()));
}

TEST_F(SstTool, SaysOfEveryCommandThatItsOutputIsLost) {
  write_file(one_file(crivo_bloom()));
  for (const char* const command :
       {"info db", "info --json db/*.sst", "advise db", "advise --json db",
        "refilter --dry-run --policy crivo.Bloom:20 db", "probe db/*.sst", "probe -c db/*.sst"}) {
    EXPECT_THAT(shell("'" CRIVO_TOOL "' sst " + std::string(command) + " >/dev/full", key_of(0) + "\n"),
                Fails(EndsWith(": output must be writable, got standard output: No space left on device\n")))
        << command;
  }
}

TEST_F(SstTool, IsStartedFromItsFolderOrFromPath) {
  EXPECT_THAT(crivo("--help").out, HasSubstr("\n  sst, rocksdb "));
  for (const char* const command : {"sst --help", "sst info --help", "sst probe --help", "sst refilter --help"}) {
    EXPECT_THAT(crivo(command), Succeeds()) << command;
    EXPECT_THAT(crivo(command).out, HasSubstr("Usage: crivo sst")) << command;
  }
  const std::string file = write_file(one_file(crivo_bloom()));
  ASSERT_THAT(shell("mkdir bin elsewhere && cp '" CRIVO_TOOL "' bin/crivo"), Succeeds());
  EXPECT_THAT(shell("PATH=/nowhere bin/crivo sst info " + file),
              Fails(HasSubstr("crivo sst: crivo-sst must be installed in the folder of crivo or in one of PATH")));
  ASSERT_THAT(shell("ln -s '" CRIVO_SST "' elsewhere/crivo-sst"), Succeeds());
  EXPECT_THAT(shell("PATH=\"$PWD/elsewhere\" bin/crivo sst info " + file).out, HasSubstr("blocked"));
  write("bin/crivo-sst", "#!/bin/sh\necho \"beside: $*\"\n");
  ASSERT_THAT(shell("chmod +x bin/crivo-sst"), Succeeds());
  EXPECT_EQ(shell("PATH=\"$PWD/elsewhere:$PATH\" bin/crivo sst info 'a b'").out, "beside: info a b\n");
}

}  // namespace
}  // namespace crivo::testing
