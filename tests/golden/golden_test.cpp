// Every file that was ever written reads as the filter it was written from, and the code still writes the same bytes.
#include <gtest/gtest.h>

#include "crivo/host/sst_block.h"
#include "files.h"
#include "golden_set.h"

namespace crivo::testing {
namespace {

bool is_sst(const GoldenFile& file) { return file.form == GoldenForm::kSst || file.form == GoldenForm::kSstTransform; }

Bytes stored_bytes(const GoldenFile& file) { return read_file(golden_folder("blobs") / file.name); }

/// Checks that both have the same shape and payload, and that every key is found.
void expect_filter_of(const GoldenFile& file, const FilterRef& read) {
  const AnyFilter filter = golden_filter(file);
  EXPECT_EQ(read.shape(), filter.shape());
  EXPECT_TRUE(std::ranges::equal(read.payload(), filter.payload())) << "the code builds another payload today";
  EXPECT_EQ(count_found(read, present_hashes(file.n, file.spec.seed)), file.n);
}

TEST(Golden, EveryFileReadsAsTheFilterItWasWrittenFrom) {
  for (const GoldenFile& file : golden_files()) {
    SCOPED_TRACE(file.name);
    const Bytes bytes = stored_bytes(file);
    if (is_sst(file)) {
      const auto opened = open_sst_block(bytes, file.key_transform);
      expect_filter_of(file, *opened);
      continue;
    }
    const auto opened = parse_blob(bytes);
    expect_filter_of(file, opened->ref());
    Facts facts = golden_filter(file).facts();
    facts.pinned_raw = file.form == GoldenForm::kRaw || file.form == GoldenForm::kSums;
    EXPECT_EQ(opened->ref().facts(), facts);
    const Codec codec = file.form == GoldenForm::kRaw    ? Codec::kRaw
                        : file.form == GoldenForm::kSums ? Codec::kRawSums
                        : file.form == GoldenForm::kZstd ? Codec::kZstd
                                                         : Codec::kGapZstd;
    EXPECT_EQ(opened->codec(), codec);
  }
}

// The bytes of a zstd frame may differ between its versions, so only what holds none is compared byte for byte.
TEST(Golden, RawBlobsAndSstBlocksAreWrittenByteForByteAsEver) {
  for (const GoldenFile& file : golden_files()) {
    if (file.form == GoldenForm::kRaw || file.form == GoldenForm::kSums || is_sst(file)) {
      EXPECT_TRUE(golden_bytes(file) == stored_bytes(file)) << file.name;
    }
  }
}

TEST(Golden, NoFileIsForgotten) {
  std::set<std::string> expected;
  for (const GoldenFile& file : golden_files()) expected.insert(file.name);
  EXPECT_EQ(names_in(golden_folder("blobs")), expected);
}

}  // namespace
}  // namespace crivo::testing
