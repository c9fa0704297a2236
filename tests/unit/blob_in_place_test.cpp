// Adding a key to a stored blob must give the same blob as adding it in memory, and write only the key's bytes.
#include "crivo/host/blob_in_place.h"

#include <algorithm>
#include <string>
#include <vector>

#include "crivo/blob.h"
#include "filters.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

/// A blob in memory that records which bytes are read and written.
class MemoryBlob : public StoredBlob {
 public:
  explicit MemoryBlob(Bytes stored) : bytes(std::move(stored)) {}
  std::uint64_t size() override { return bytes.size(); }
  void read(std::uint64_t offset, std::span<std::byte> into) override {
    EXPECT_EQ(bytes_written, 0U) << "everything is read before the first write";
    ASSERT_LE(offset + into.size(), bytes.size());
    bytes_read += into.size();
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  }
  void write(std::uint64_t offset, std::span<const std::byte> from) override {
    ASSERT_LE(offset + from.size(), bytes.size());
    bytes_written += from.size();
    std::ranges::copy(from, bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  Bytes bytes;
  std::size_t bytes_read = 0;
  std::size_t bytes_written = 0;
};

AnyFilter filter_of(const char* kind, std::uint64_t capacity, int keys) {
  FilterSpec spec{.capacity = capacity, .seed = 7};
  EXPECT_TRUE(choose_kind(spec, kind));
  AnyFilter filter = *AnyFilter::create(spec);
  for (int i = 0; i < keys; ++i) EXPECT_TRUE(filter.add("key " + std::to_string(i)));
  return filter;
}

Bytes raw(const AnyFilter& filter) { return *to_blob(filter.ref(), BlobForm::kRaw); }

std::string message_of(const Bytes& blob) {
  MemoryBlob stored(blob);
  const Result<bool> added = add_in_place(stored, "key");
  EXPECT_EQ(stored.bytes, blob) << "an error leaves the blob as it was";
  return added.has_value() ? "added" : added.error().message;
}

struct Case {
  const char* kind;
  std::uint64_t capacity;
  int keys;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.kind << " " << c.capacity; }

class BlobInPlaceTest : public ::testing::TestWithParam<Case> {};

TEST_P(BlobInPlaceTest, GivesTheBlobThatMemoryGives) {
  AnyFilter filter = filter_of(GetParam().kind, GetParam().capacity, GetParam().keys);
  MemoryBlob stored(raw(filter));
  int new_keys = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string key = std::to_string(i % 200);  // the last hundred keys are already in the filter
    const bool was_there = filter.may_contain(key);
    const bool counts = filter.ref().kind().can.count || filter.ref().kind().can.remove;
    if (!was_there || counts) {
      ASSERT_TRUE(filter.add(key));
    }
    stored.bytes_written = 0;
    const Result<bool> added = add_in_place(stored, key);
    EXPECT_EQ(*added, !was_there) << key;
    new_keys += *added;
    if (was_there && !counts) {
      EXPECT_EQ(stored.bytes_written, 0U);
    }
    ASSERT_EQ(stored.bytes, raw(filter)) << key;
    ASSERT_TRUE(parse_blob(stored.bytes));
  }
  EXPECT_GT(new_keys, 150);
}

TEST_P(BlobInPlaceTest, TouchesOnlyWhatTheKeyTouches) {
  AnyFilter filter = filter_of(GetParam().kind, 3000000, 0);
  MemoryBlob stored(raw(filter));
  ASSERT_TRUE(add_in_place(stored, "key").has_value());
  const std::size_t positions = filter.shape().k;
  EXPECT_LE(stored.bytes_read, kBlobHeaderBytes + positions * 4096);
  EXPECT_LE(stored.bytes_written, 32 + std::max<std::size_t>(256, positions * 8));
}

TEST_P(BlobInPlaceTest, LeavesADamagedBlobDamaged) {
  const Bytes good = raw(filter_of(GetParam().kind, 5000, 1000));
  for (std::size_t at = kBlobHeaderBytes; at < good.size(); at += 97) {
    MemoryBlob stored(good);
    stored.bytes[at] ^= std::byte{1};
    ASSERT_FALSE(parse_blob(stored.bytes));
    for (int i = 0; i < 20; ++i) {
      stored.bytes_written = 0;
      (void)add_in_place(stored, std::to_string(i));
    }
    EXPECT_FALSE(parse_blob(stored.bytes)) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, BlobInPlaceTest,
                         ::testing::Values(Case{"blocked", 300, 10}, Case{"blocked", 100000, 5000},
                                           Case{"classic", 300, 10}, Case{"classic", 100000, 5000},
                                           Case{"counting", 3000, 100}, Case{"spectral", 10000, 100},
                                           Case{"spectral:4", 3000, 100}));

TEST(BlobInPlace, RefusesACompressedBlob) {
  const Bytes blob = *to_blob(filter_of("blocked", 1000, 1).ref(), BlobForm::kSmallest);
  EXPECT_EQ(message_of(blob), "codec must be raw to add keys in place, got gap+zstd");
}

TEST(BlobInPlace, RefusesAKindThatHasNoPlaceForAKey) {
  for (const char* kind : {"scalable", "cuckoo", "hash_compaction", "growing", "window:7 days/7"}) {
    EXPECT_THAT(message_of(raw(filter_of(kind, 1000, 1))), HasSubstr("kind must support pages")) << kind;
  }
}

TEST(BlobInPlace, RefusesAnotherSizeThanTheHeaderStates) {
  Bytes blob = raw(filter_of("blocked", 1000, 1));
  blob.push_back(std::byte{0});
  EXPECT_THAT(message_of(blob), HasSubstr("as its header states"));
  for (std::size_t size = 0; size + 1 < blob.size(); ++size) {
    EXPECT_NE(message_of({blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(size)}), "added") << size;
  }
}

TEST(BlobInPlace, RefusesWhatTheFormatDoesNotAllow) {
  const Bytes good = raw(filter_of("blocked", 1000, 1));
  const std::vector<std::pair<std::size_t, const char*>> wrong = {{0, "magic must be"},
                                                                  {4, "format version must be 1"},
                                                                  {5, "kind must be known"},
                                                                  {6, "codec must be raw"},
                                                                  {7, "flags must be 0"},
                                                                  {8, "hash id must be 1"},
                                                                  {9, ""},
                                                                  {10, ""},
                                                                  {12, "raw payload bytes must be"},
                                                                  {23, "capacity must be in"},
                                                                  {47, "promised rate must be in"},
                                                                  {48, "raw payload bytes must be"}};
  for (const auto& [offset, message] : wrong) {
    Bytes blob = good;
    blob[offset] = std::byte{0xFF};
    const std::string error = message_of(blob);
    EXPECT_NE(error, "added") << offset;
    EXPECT_THAT(error, HasSubstr(message)) << offset;
  }
}

}  // namespace
}  // namespace crivo::testing
