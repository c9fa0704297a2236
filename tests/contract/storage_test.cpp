// A filter is written as a blob of every form and as an SST block, and read back. Tests what FilterRef::open accepts.
#include <optional>
#include <type_traits>

#include "crivo/blob.h"
#include "crivo/host/sst_block.h"
#include "crivo/types.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class Storage : public PerKind {};
CRIVO_FOR_EVERY_KIND(Storage);

constexpr BlobForm kForms[] = {BlobForm::kAuto, BlobForm::kRaw, BlobForm::kSmallest, BlobForm::kMappable,
                               BlobForm::kFile};

/// Whether the blob contains the payload unchanged, so that the filter is stored raw again.
bool is_raw(Codec codec) { return codec == Codec::kRaw || codec == Codec::kRawSums; }

OpenedBlob parse(const Bytes& blob) { return *parse_blob(blob); }

TEST_P(Storage, EveryFormReadsBackAsTheSameFilter) {
  for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
    FilterSpec spec = spec_for(n + 7, 0.003);
    spec.seed = 0x123456789ABCDEF0;
    const AnyFilter filter = build_filter(spec, n);
    for (const BlobForm form : kForms) {
      const Bytes blob = blob_of(filter.ref(), form);
      const OpenedBlob opened = parse(blob);
      EXPECT_EQ(opened.blob_bytes(), blob.size());
      EXPECT_EQ(opened.ref().facts().pinned_raw, is_raw(opened.codec()));
      Facts facts = filter.facts();
      facts.pinned_raw = is_raw(opened.codec());
      expect_same_filter(opened.ref(), *FilterRef::open(filter.shape(), facts, filter.payload()));
      EXPECT_EQ(count_found(opened.ref(), present_hashes(n, spec.seed)), n);
    }
  }
}

TEST_P(Storage, WritingAgainGivesTheSameBytes) {
  for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
    for (const std::uint64_t capacity : {n + 1, 10 * n + 1}) {
      const AnyFilter filter = build_filter(spec_for(capacity), n);
      for (const BlobForm form : kForms) {
        const Bytes blob = blob_of(filter.ref(), form);
        EXPECT_EQ(blob_of(parse(blob).ref(), form), blob);
        EXPECT_EQ(blob_of(parse(blob).ref()), parse(blob).codec() == Codec::kRaw ? blob : blob_of(filter.ref()));
      }
    }
  }
}

TEST_P(Storage, AnOwningFilterComesOutOfEitherCodec) {
  const AnyFilter filter = build_filter(spec_for(10'000), 100);
  for (const Bytes& blob : {blob_of(filter.ref()), zstd_blob_of(filter.ref())}) {
    OpenedBlob opened = parse(blob);
    const Codec codec = opened.codec();
    OpenedBlob moved = std::move(opened);
    EXPECT_EQ(count_found(moved.ref(), present_hashes(100, 0)), 100U) << "moving must keep the ref valid";
    AnyFilter owned = std::move(moved).into_filter();
    EXPECT_EQ(owned.facts().pinned_raw, codec == Codec::kRaw);
    EXPECT_EQ(bytes_of(owned.payload()), bytes_of(filter.payload()));
    if (GetParam().can.add) {
      ASSERT_TRUE(owned.add("one more"));
    }
    EXPECT_EQ(count_found(owned.ref(), present_hashes(100, 0)), 100U);
  }
}

// A copy would refer to the decoded payload of the original.
static_assert(!std::is_copy_constructible_v<OpenedBlob> && !std::is_copy_assignable_v<OpenedBlob>);

TEST_P(Storage, TheRawFormIsTheHeaderAndThePayload) {
  const AnyFilter filter = build_filter(kind(), 100);
  const Bytes blob = blob_of(filter.ref());
  ASSERT_EQ(blob.size(), kBlobHeaderBytes + filter.payload().size());
  EXPECT_EQ(bytes_of(std::span(blob).subspan(kBlobHeaderBytes)), bytes_of(filter.payload()));
  Bytes repaired = blob;
  repair_blob(repaired);
  EXPECT_EQ(repaired, blob) << "the checksum is not the one of docs/format.md";
}

TEST_P(Storage, TheSmallestFormIsNoLargerThanTheOthers) {
  for (const std::uint64_t n : {0U, 500U, 10'000U}) {
    const AnyFilter filter = build_filter(spec_for(10'000), n);
    const std::size_t smallest = blob_of(filter.ref(), BlobForm::kSmallest).size();
    EXPECT_LE(smallest, blob_of(filter.ref(), BlobForm::kRaw).size());
    EXPECT_LE(smallest, blob_of(filter.ref(), BlobForm::kAuto).size());
  }
}

TEST_P(Storage, ANewFilterIsStoredCompressedAndAFullOneRaw) {
  EXPECT_NE(parse(blob_of(build_filter(spec_for(10'000), 0).ref(), BlobForm::kAuto)).codec(), Codec::kRaw);
  EXPECT_EQ(parse(blob_of(build_filter(spec_for(10'000), 10'000).ref(), BlobForm::kAuto)).codec(), Codec::kRaw);
}

TEST_P(Storage, RawStaysRawThroughEveryOperation) {
  const auto is_raw = [](const AnyFilter& filter) {
    return parse(blob_of(filter.ref(), BlobForm::kAuto)).codec() == Codec::kRaw;
  };
  const AnyFilter empty = build_filter(spec_for(10'000), 0);
  const Bytes raw = blob_of(empty.ref(), BlobForm::kRaw);
  AnyFilter pinned = parse(raw).into_filter();
  EXPECT_TRUE(is_raw(pinned));
  EXPECT_TRUE(is_raw(AnyFilter::copy_of(pinned.ref())));
  if (GetParam().can.add) {
    ASSERT_TRUE(pinned.add("key"));
    EXPECT_TRUE(is_raw(pinned));
    ASSERT_TRUE(pinned.clear());
    EXPECT_TRUE(is_raw(pinned));
  }
  if (GetParam().can.unite) {
    AnyFilter united = AnyFilter::copy_of(empty.ref());
    ASSERT_TRUE(united.unite(pinned.ref()));
    EXPECT_TRUE(is_raw(united)) << "one raw operand is enough";
    ASSERT_TRUE(united.unite(empty.ref()));
    EXPECT_TRUE(is_raw(united));
  }
  if (GetParam().can.intersect) {
    AnyFilter common = AnyFilter::copy_of(empty.ref());
    ASSERT_TRUE(common.intersect(pinned.ref()));
    EXPECT_TRUE(is_raw(common));
  }
}

TEST_P(Storage, TheReadersLimitIsExactAndForTheDecodedSize) {
  const AnyFilter filter = build_filter(spec_for(10'000), 0);
  const std::uint64_t raw_bytes = filter.payload().size();
  for (const Bytes& blob : {blob_of(filter.ref()), zstd_blob_of(filter.ref())}) {
    EXPECT_TRUE(parse_blob(blob, {.max_bytes = raw_bytes}));
    const auto refused = parse_blob(blob, {.max_bytes = raw_bytes - 1});
    EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
    EXPECT_EQ(refused.error().message, "raw payload bytes must be at most the limit of " +
                                           std::to_string(raw_bytes - 1) + ", got " + std::to_string(raw_bytes));
  }
}

TEST_P(Storage, EveryLevelOfCompressionReadsBack) {
  const AnyFilter filter = build_filter(spec_for(10'000), 1000);
  for (int level = kMinCompressionLevel; level <= kMaxCompressionLevel; level += 7) {
    const auto blob = to_blob(filter.ref(), BlobForm::kSmallest, level);
    EXPECT_EQ(bytes_of(parse(*blob).ref().payload()), bytes_of(filter.payload()));
  }
  for (const int level : {0, -1, 23}) {
    for (const BlobForm form : kForms) {
      const auto refused = to_blob(filter.ref(), form, level);
      const auto written = write_blob(
          filter.ref(), form, [](auto) { return true; }, level);
      EXPECT_EQ(message_of(written), message_of(refused));
      EXPECT_EQ(message_of(refused), "level must be in [1, 22], got " + std::to_string(level));
    }
  }
}

TEST_P(Storage, ASealedSstBlockOpensAsTheSameFilter) {
  for (const std::uint64_t n : {0U, 1U, 100U, 10'000U}) {
    FilterSpec spec = spec_for(n + 1);
    spec.seed = ~std::uint64_t{0};
    const AnyFilter filter = build_filter(spec, n);
    Bytes block = sst_block_of(filter.ref());
    EXPECT_TRUE(is_sst_block(block));
    const auto opened = open_sst_block(block);
    EXPECT_EQ(opened->shape(), filter.shape());
    EXPECT_EQ(opened->payload().data(), block.data()) << "opened in place";
    EXPECT_EQ(bytes_of(opened->payload()), bytes_of(filter.payload()));
    EXPECT_EQ(count_found(*opened, present_hashes(n, spec.seed)), n);
    EXPECT_EQ(bytes_of(parse(blob_of(*opened)).ref().payload()), bytes_of(filter.payload()));  // it can also be a blob
    const Bytes sealed = block;
    repair_sst_block(block);
    EXPECT_EQ(block, sealed) << "the checksum is not the one of docs/format.md";
    const Bytes named = sst_block_of(filter.ref(), "lower_ascii");
    EXPECT_EQ(named.size(), block.size() + 16) << "the name and zeros, a multiple of 8 bytes";
    const auto with_name = open_sst_block(named, "lower_ascii");
    EXPECT_EQ(bytes_of(with_name->payload()), bytes_of(filter.payload()));
  }
}

TEST_P(Storage, OpenChecksShapeAndPayloadAgainstEachOther) {
  const AnyFilter filter = build_filter(kind(), 100);
  const auto expect_refused = [&](const Shape& shape, std::size_t bytes, const std::string& part) {
    Bytes payload = bytes_of(filter.payload());
    payload.resize(bytes);
    const auto opened = FilterRef::open(shape, filter.facts(), payload);
    ASSERT_FALSE(opened) << part;
    EXPECT_EQ(opened.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(opened.error().message, ::testing::HasSubstr(part));
    EXPECT_FALSE(AnyFilter::adopt(shape, filter.facts(), AlignedBytes(payload.begin(), payload.end())));
  };
  const Shape good = filter.shape();
  const std::size_t bytes = filter.payload().size();
  expect_refused(good, bytes - 1, "raw payload bytes must be " + std::to_string(bytes));
  expect_refused(good, bytes + 1, "raw payload bytes must be " + std::to_string(bytes));
  expect_refused(good, 0, "raw payload bytes must be " + std::to_string(bytes));
  Shape shape = good;
  shape.units = 0;
  expect_refused(shape, bytes, ", got 0");
  shape.units = UINT64_MAX;
  expect_refused(shape, bytes, ", got 18446744073709551615");
  shape = good;
  shape.k = 255;
  expect_refused(shape, bytes, "k must ");
  shape = good;
  shape.param = 0xFFFF;
  const bool takes_any = kind() == Kind::kRibbon || kind() == Kind::kRange;  // any param is valid for them
  if (!takes_any) expect_refused(shape, bytes, ", got 65535");
  const auto id = [](HashId hash_id) { return std::to_string(static_cast<unsigned>(hash_id)); };
  for (const HashId other : {HashId::kXxh3_64, HashId::kOrdered, static_cast<HashId>(3)}) {
    shape = good;
    shape.hash_id = other;
    if (other != good.hash_id)
      expect_refused(shape, bytes, "hash id must be " + id(good.hash_id) + ", got " + id(other));
  }
  shape = good;
  shape.kind = static_cast<Kind>(99);
  expect_refused(shape, bytes, "kind must be known, got 99");
}

}  // namespace
}  // namespace crivo::testing
