// Every committed file reads as the filter it was written from, and the code still writes the same bytes. Every
// committed hostile file gets the error in its description.
#include "crivo/host/sst_block.h"
#include "files.h"
#include "golden_set.h"
#include "hostile_set.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

bool is_sst(const GoldenFile& file) { return file.form == GoldenForm::kSst || file.form == GoldenForm::kSstTransform; }

Bytes stored_bytes(const GoldenFile& file) { return read_file(golden_folder("blobs") / file.name); }

/// Expects the read filter to have the same shape and payload, and every key.
void expect_filter_of(const GoldenFile& file, const FilterRef& read) {
  const AnyFilter filter = golden_filter(file);
  EXPECT_EQ(read.shape(), filter.shape());
  EXPECT_TRUE(std::ranges::equal(read.payload(), filter.payload())) << "the code builds another payload today";
  EXPECT_EQ(count_found(read, present_hashes(file.n, file.spec.seed)), file.n);
  if (read.kind().can.exact) {
    EXPECT_EQ(count_found(read, absent_hashes(kGoldenOthers * file.n, file.spec.seed)), 0U);
  }
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

// zstd's versions may compress differently, so the test compares only files without zstd byte for byte.
TEST(Golden, RawBlobsAndSstBlocksAreWrittenByteForByteAsEver) {
  for (const GoldenFile& file : golden_files()) {
    if (file.form == GoldenForm::kRaw || file.form == GoldenForm::kSums || is_sst(file)) {
      EXPECT_TRUE(golden_bytes(file) == stored_bytes(file)) << file.name;
    }
  }
}

TEST(Golden, SketchesAreWrittenByteForByteAsEver) {
  for (const GoldenSketch& sketch : golden_sketches()) {
    const Bytes stored = read_file(golden_folder("sketches") / sketch.name);
    EXPECT_TRUE(golden_bytes(sketch) == stored) << sketch.name;
    const auto read = Sketch::parse(stored);
    ASSERT_TRUE(read) << sketch.name;
    EXPECT_EQ(read->spec(), sketch.spec);
    EXPECT_EQ(read->keys(), sketch.n);
  }
}

std::set<std::string> names_of(const auto& files) {
  std::set<std::string> names;
  for (const auto& file : files) names.insert(file.name);
  return names;
}

TEST(Golden, NoFileIsForgotten) {
  EXPECT_EQ(names_in(golden_folder("blobs")), names_of(golden_files()));
  EXPECT_EQ(names_in(golden_folder("sketches")), names_of(golden_sketches()));
}
TEST(Hostile, NoFileIsForgotten) { EXPECT_EQ(names_in(golden_folder("hostile")), names_of(hostile_files())); }

bool is_sst(const HostileFile& file) { return file.name.ends_with(".sst"); }

/// The error of reading a file, or "" if it was accepted.
std::string error_of(const HostileFile& file, const Bytes& bytes) {
  if (is_sst(file)) {
    const auto opened = open_sst_block(bytes);
    return opened ? "" : opened.error().message;
  }
  const auto opened = parse_blob(bytes, {.max_bytes = kHostileLimit});
  return opened ? "" : opened.error().message;
}

TEST(Hostile, EveryFileIsRefusedInWordsThatNameTheField) {
  for (const HostileFile& file : hostile_files()) {
    EXPECT_THAT(error_of(file, read_file(golden_folder("hostile") / file.name)), HasSubstr(file.message)) << file.name;
  }
}

// hostile_set.cpp still makes the same bytes, so the code describes the files.
TEST(Hostile, TheFilesAreWhatTheirMakerMakes) {
  for (const HostileFile& file : hostile_files()) {
    EXPECT_TRUE(file.bytes == read_file(golden_folder("hostile") / file.name)) << file.name;
  }
}

}  // namespace
}  // namespace crivo::testing
