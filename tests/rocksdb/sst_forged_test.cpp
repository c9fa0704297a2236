// Files that were made to harm whoever reads their filters: all bytes are of the right form, and no checksum is wrong.
#include <rocksdb/env.h>
#include <sys/stat.h>

#include "crivo/rocksdb_verify.h"
#include "sst/file_filters.h"
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

/// An entry of a block: `shared` bytes of the key before, and then `rest`.
std::string entry(std::uint64_t shared, const std::string& rest, const std::string& value) {
  return varint(shared) + varint(rest.size()) + varint(value.size()) + rest + value;
}

/// An SST file of format_version 5 without checksums.
class ForgedFile {
 public:
  /// Adds a block, and returns its handle.
  std::string add(const std::string& block) {
    const std::string at = handle(bytes_.size(), block.size());
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

// Each of many entries takes three bytes, and shares a long key.
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
  EXPECT_EQ(filters.form, "partitioned");
}

// To read them all would take a thousand times as much memory as the file has bytes, and the time for it.
TEST(ForgedSstFile, WithOneFilterInManyPartitionsIsRefused) {
  ForgedFile file;
  const std::string filter = file.add(std::string(64 << 10, '\0') + std::string(5, '\0'));
  std::string parts;
  for (int i = 0; i < 1000; ++i) parts += entry(0, "key", filter);
  const std::string index = file.add_entries(parts);
  const sst::FileFilters filters = file.read(file.add_entries(entry(0, kPartitioned, index)));
  EXPECT_THAT(filters.status.ToString(), HasSubstr("filter partitions must lie side by side in the file"));
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

// Memory is not all that can be short: a full disk under a temporary file and a transform that throws do the same.
TEST(ForgedSstFile, WithAFilterThatCouldNotBeBuiltIsSentToTheLog) {
  ForgedFile file;
  const std::string filter = file.add(std::string(6, '\0'));
  const sst::FileFilters filters = file.read(file.add_entries(entry(0, kFull, filter)));
  EXPECT_EQ(filters.kind(), "always_maybe");
  EXPECT_THAT(filters.complaint(), AllOf(HasSubstr("could not be built"), HasSubstr("max_total_bytes")));
  EXPECT_THAT(filters.complaint(), HasSubstr("see LOG"));
}

TEST(ForgedSstFile, ThatIsAPipeIsRefusedAtOnce) {
  const TempFolder folder;
  const std::string path = folder.file("pipe.sst");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(sst::read_filters(*rocksdb::FileSystem::Default(), path).status.IsCorruption());
}

}  // namespace
}  // namespace crivo::testing
