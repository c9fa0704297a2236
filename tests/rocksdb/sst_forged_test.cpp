// Hostile SST files for readers of filters: their format is valid, and no checksum is wrong.
#include <rocksdb/env.h>
#include <rocksdb/slice_transform.h>
#include <sys/stat.h>

#include <algorithm>

#include "crivo/rocksdb_verify.h"
#include "sst/file_filters.h"
#include "sst/filter_facts.h"
#include "sst/filter_layout.h"
#include "support.h"

namespace crivo::testing {
namespace {

std::string varint(std::uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  return bytes + static_cast<char>(number);
}

template <typename Number>
std::string fixed(Number number) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof number; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

std::string handle(std::uint64_t offset, std::uint64_t size) { return varint(offset) + varint(size); }

/// An entry of a block: the first `shared` bytes of the previous key, and then `rest`.
std::string entry(std::uint64_t shared, const std::string& rest, const std::string& value) {
  return varint(shared) + varint(rest.size()) + varint(value.size()) + rest + value;
}

/// An SST file of format_version 5 without checksums.
class ForgedFile {
 public:
  /// Adds a block, and returns its handle.
  std::string add(const std::string& block) {
    std::string at = handle(bytes_.size(), block.size());
    bytes_ += block + std::string(5, '\0');
    return at;
  }
  /// Adds a block with these entries and one restart point.
  std::string add_entries(const std::string& entries) {
    return add(entries + fixed(std::uint32_t{0}) + fixed(std::uint32_t{1}));
  }
  sst::FileFilters read(const std::string& metaindex) {
    std::string footer = std::string(1, '\0') + metaindex + handle(0, 0);
    footer.resize(41, '\0');
    bytes_ += footer + fixed(std::uint32_t{5}) + fixed(std::uint64_t{0x88e241b785f4cff7});
    const TempFolder folder;
    const std::string path = folder.file("forged.sst");
    write_bytes(path, bytes_);
    return sst::read_filters(*rocksdb::FileSystem::Default(), path);
  }

 private:
  std::string bytes_;
};

constexpr const char* kPartitioned = "partitionedfilter.rocksdb.BuiltinBloomFilter";
constexpr const char* kFull = "fullfilter.rocksdb.BuiltinBloomFilter";

// Each of many entries has three bytes, and shares a long key.
TEST(ForgedSstFile, WithKeysThatFillTheMemoryIsRefused) {
  const std::string key(64 << 10, 'k');
  std::string entries = entry(0, key, "");
  for (int i = 0; i < 5000; ++i) entries += entry(key.size(), "", "");
  ForgedFile metaindex;
  EXPECT_TRUE(metaindex.read(metaindex.add_entries(entries)).status.IsCorruption());

  ForgedFile index;
  std::string parts;
  for (int i = 0; i < 5000; ++i) parts += entry(i == 0 ? 0 : key.size(), i == 0 ? key : "", handle(0, 0));
  const std::string at = index.add_entries(parts);
  const sst::FileFilters filters = index.read(index.add_entries(entry(0, kPartitioned, at)));
  EXPECT_TRUE(filters.status.IsCorruption()) << filters.status.ToString();
  EXPECT_EQ(filters.form, sst::FilterForm::kPartitioned);
}

// Reading them all would need a thousand times the file's size in memory, and much time.
TEST(ForgedSstFile, WithOneFilterInManyPartitionsIsRefused) {
  ForgedFile file;
  const std::string filter = file.add(std::string(64 << 10, '\0') + std::string(5, '\0'));
  std::string parts;
  for (int i = 0; i < 1000; ++i) parts += entry(0, "key", filter);
  const std::string index = file.add_entries(parts);
  const sst::FileFilters filters = file.read(file.add_entries(entry(0, kPartitioned, index)));
  EXPECT_THAT(filters.status.ToString(), HasSubstr("filter partitions must not overlap"));
  EXPECT_TRUE(filters.blocks.empty());
}

TEST(ForgedSstFile, WithAnImpossibleNumberOfKeysIsDescribed) {
  ForgedFile file;
  const std::string filter =
      file.add(std::string(64, '\0') + "\xff" + std::string(1, '\0') + "\x06" + fixed('\0') + fixed('\0'));
  const std::string properties = file.add_entries(entry(0, "rocksdb.num.filter_entries", varint(~std::uint64_t{0})));
  const sst::FileFilters filters =
      file.read(file.add_entries(entry(0, kFull, filter) + entry(0, "rocksdb.properties", properties)));
  ASSERT_TRUE(filters.status.ok()) << filters.status.ToString();
  ASSERT_EQ(filters.blocks.size(), 1U);
  EXPECT_EQ(filters.kind(), "rocksdb.bloom");
  EXPECT_EQ(filters.blocks[0].facts.keys, std::uint64_t{1} << 63);
  EXPECT_EQ(filters.current_fp_rate(), 1);
}

// A builder writes this block of six zero bytes if a limit is too small, if memory is short, if the disk of its
// temporary file is full, or if the key transform throws.
TEST(ForgedSstFile, WithAFilterThatCouldNotBeBuiltIsSentToTheLog) {
  ForgedFile file;
  const std::string filter = file.add(std::string(6, '\0'));
  const sst::FileFilters filters = file.read(file.add_entries(entry(0, kFull, filter)));
  EXPECT_EQ(filters.kind(), "always_maybe");
  EXPECT_THAT(filters.complaint(), AllOf(HasSubstr("could not be built"), HasSubstr("max_total_bytes")));
  EXPECT_THAT(filters.complaint(), HasSubstr("see LOG"));
}

TEST(ForgedSstFile, WithControlCharactersInANameIsDescribedWithoutThem) {
  ForgedFile file;
  const std::string filter = file.add(std::string(6, '\0'));
  const sst::FileFilters filters = file.read(file.add_entries(entry(0, "fullfilter.a\x1b[2J", filter)));
  EXPECT_THAT(filters.complaint(), Not(HasSubstr("\x1b")));
}

TEST(ForgedSstFile, ThatIsAPipeIsRefusedAtOnce) {
  const TempFolder folder;
  const std::string path = folder.file("pipe.sst");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(sst::read_filters(*rocksdb::FileSystem::Default(), path).status.IsCorruption());
}

// Classification of filter blocks: blocks that are not filters, and filters without keys.

TEST(FilterFacts, KnowBlocksThatAreNoFilters) {
  const sst::FilterFacts always = sst::describe_filter(std::string(6, '\0'), 10, true);
  EXPECT_EQ(always.kind, sst::BlockKind::kAlwaysMaybe);
  EXPECT_FALSE(always.can_reject());
  EXPECT_EQ(always.damage, "");
  EXPECT_THAT(sst::describe_filter("", 10, true).damage, HasSubstr("more than 5 bytes"));
  std::string block(64 + 5, '\0');
  block[64] = -3;  // reserved by RocksDB
  EXPECT_EQ(sst::describe_filter(block, 10, true).kind, sst::BlockKind::kUnknown);
  EXPECT_EQ(sst::describe_filter(block, 10, true).current_fp_rate, 1);
  block[64] = -1;
  block[66] = 6;
  EXPECT_EQ(sst::describe_filter(block, 10, true).damage, "filter must have set bits, got only zeros");
  block[0] = 1;
  EXPECT_EQ(sst::describe_filter(block, 10, true).kind, sst::BlockKind::kBuiltinBloom);
  EXPECT_LT(sst::describe_filter(block, 10, true).current_fp_rate, 0.01);
  EXPECT_EQ(sst::describe_filter(block, 10, false).current_fp_rate, 1) << "the file's checksum says that it is damaged";
  block[68] = 1;  // reserved, and read as "maybe"
  EXPECT_EQ(sst::describe_filter(block, 10, true).kind, sst::BlockKind::kUnknown);
}

// In a file without checksums, only this check detects zeros.
TEST(FilterFacts, TakeNoZerosForAFilter) {
  for (const std::size_t size : {7U, 21U, 37U, 64U, 69U, 96U, 1029U, 12576U}) {
    const sst::FilterFacts zeros = sst::describe_filter(std::string(size, '\0'), 10, true);
    EXPECT_NE(zeros.damage, "") << size;
    EXPECT_FALSE(zeros.can_reject()) << size;
  }
  for (const int marker : {-2, -1, 1, 6}) {  // all bits before this marker are lost
    std::string block = build_block(*new_builder(*(marker == -2 ? builtin_ribbon() : builtin_bloom())), 0, 4000);
    std::fill_n(block.begin(), block.size() - 5, '\0');
    if (marker > 0) block[block.size() - 5] = static_cast<char>(marker);
    EXPECT_NE(sst::describe_filter(block, 4000, true).damage, "") << marker;
  }
}

TEST(FilterFacts, TakeNoPartitionWithoutKeysForDamage) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = builtin_bloom();
  partition(table, 512);
  table.block_size = 512;
  table.whole_key_filtering = false;
  rocksdb::Options options = with_table(test_options(), table);
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(10));
  const ScratchDatabase db(options);
  for (int i = 0; i < 3000; ++i) {  // all keys that are too short for the prefix come first
    ASSERT_TRUE(db->Put({}, (i < 1500 ? "a" : "b000000000") + std::to_string(10000 + i), std::string(50, 'v')).ok());
  }
  ASSERT_TRUE(db->Flush({}).ok());
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  EXPECT_TRUE(report.all_filters_work()) << report.text();
  EXPECT_EQ(report.files.at(0).kind, "rocksdb.bloom");
}

// A terminal would interpret some bytes of a damaged filter as commands.
TEST(ScanFacts, ShowTextsAndNoBytes) {
  const auto text_of = [](const std::string& name, const std::string& value) {
    return sst::scans_text(sst::scan_facts({{"crivo.scan." + name, value}}));
  };
  EXPECT_EQ(text_of("path:/", "omitted: out of memory"), "path:/ (omitted: out of memory)");
  EXPECT_EQ(text_of("a\x1b[2J", "left out: \x1b]0;x\a."), "a?[2J (left out: ?]0;x?.)");
  EXPECT_EQ(text_of("path:/", std::string(1000, 'x')).size(), 209U);
  EXPECT_EQ(text_of("path:/", std::string(9, '\x1b') + std::string(99, '\0')), "path:/ (damaged: marker must be -67)");
}

}  // namespace
}  // namespace crivo::testing
