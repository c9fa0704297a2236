// Writes filters into a caller's buffer, and reads them back with and without a copy.
#include "c_filters.h"

namespace crivo::testing {
namespace {

constexpr std::int32_t kForms[] = {CRIVO_FORM_AUTO, CRIVO_FORM_RAW, CRIVO_FORM_SMALLEST, CRIVO_FORM_MAPPABLE};

TEST(BlobOf, EveryFormReadsBackAsTheSameFilter) {
  const Filter filter = build(options_of("blocked", 5000), present_keys(50));
  for (const std::int32_t form : kForms) {
    const Blob blob = blob_of(filter, form);
    EXPECT_LE(blob.size(), crivo_blob_bound(filter.get()));
    for (const Filter& again : {read(blob), borrow(blob)}) EXPECT_EQ(blob_of(again), blob_of(filter));
  }
}

TEST(BlobOf, ARawBlobIsReadWhereItLies) {
  const Filter filter = filter_of("blocked", 2000);
  Blob blob = blob_of(filter);
  for (const std::size_t shift : {0U, 1U, 3U}) {  // a blob may have any alignment
    Blob moved(shift, 0);
    moved.insert(moved.end(), blob.begin(), blob.end());
    const Filter borrowed = make(crivo_borrow, moved.data() + shift, blob.size(), nullptr);
    EXPECT_EQ(found(borrowed, present_keys(2000)), 2000U);
    EXPECT_EQ(hits_of(borrowed, absent_keys(2000)), hits_of(filter, absent_keys(2000)));
    EXPECT_EQ(facts_of(borrowed).read_only, 1U);
    EXPECT_EQ(facts_of(borrowed).can, facts_of(filter).can);
  }
}

TEST(BlobOf, BorrowingTakesNoCopy) {
  const Filter filter = create(options_of("classic", 1000));
  Blob blob = blob_of(filter);
  const Filter borrowed = borrow(blob);
  EXPECT_FALSE(has(borrowed, "a"));
  std::fill(blob.begin() + 64, blob.end(),
            static_cast<unsigned char>(0xFF));  // lookups read the borrowed bytes
  EXPECT_TRUE(has(borrowed, "a"));
}

TEST(BlobOf, ReadingTakesACopy) {
  Filter filter;
  {
    const Blob blob = blob_of(filter_of("blocked", 1000));
    filter = read(blob);
  }
  EXPECT_EQ(found(filter, present_keys(1000)), 1000U);
  EXPECT_EQ(add(filter, "another"), CRIVO_OK);
}

TEST(BlobOf, AReadOnlyFilterIsChangedAsACopy) {
  for (const std::int32_t form : kForms) {
    const Blob blob = blob_of(filter_of("counting", 100), form);
    const Filter filter = borrow(blob);
    crivo_filter* f = filter.get();
    const KeyList list = present_keys(3);
    const std::uint64_t hash = 1;
    const auto refuses = [](auto... call) {
      EXPECT_EQ(failure(CRIVO_UNSUPPORTED, call...),
                "filter must be modifiable, got a read-only filter; change a copy of it");
    };
    refuses(crivo_add, f, "a", 1);
    refuses(crivo_add_keys, f, list.keys());
    refuses(crivo_add_hashes, f, &hash, 1);
    refuses(crivo_add_times, f, "a", 1, 2);
    refuses(crivo_remove, f, "present 1", 9);
    refuses(crivo_clear, f);
    refuses(crivo_unite, f, f);
    refuses(crivo_intersect, f, f);
    const Filter copy = make(crivo_copy, f);
    EXPECT_EQ(facts_of(copy).read_only, 0U);
    EXPECT_EQ(add(copy, "a"), CRIVO_OK);
    EXPECT_TRUE(has(copy, "a"));
    EXPECT_FALSE(has(filter, "a"));
  }
}

TEST(BlobOf, ATooSmallBufferLearnsWhatIsNeeded) {
  const Filter filter = filter_of("blocked", 1000);
  for (const std::int32_t form : kForms) {
    const Blob blob = blob_of(filter, form);
    for (const std::size_t room : {std::size_t{0}, std::size_t{1}, blob.size() - 1}) {
      Blob buffer(room + 1, 0x5A);
      std::uint64_t written = 0;
      EXPECT_EQ(failure(CRIVO_TOO_LARGE, crivo_write, filter.get(), form, 0, room == 0 ? nullptr : buffer.data(), room,
                        &written),
                "buffer_bytes must be at least " + std::to_string(blob.size()) + ", got " + std::to_string(room));
      EXPECT_EQ(written, blob.size());
      EXPECT_EQ(buffer, Blob(room + 1, 0x5A)) << "nothing is written";
    }
    Blob exact(blob.size() + 1, 0x5A);
    std::uint64_t written = 0;
    ASSERT_EQ(crivo_write(filter.get(), form, 0, exact.data(), blob.size(), &written, nullptr), CRIVO_OK);
    EXPECT_EQ(exact.back(), 0x5A);
    EXPECT_EQ(written, blob.size());
  }
}

TEST(BlobOf, LevelsAreThoseOfZstd) {
  const Filter filter = build(options_of("blocked", 100'000), present_keys(1000));
  for (const std::int32_t form : kForms) {
    for (const std::int32_t level : {-1, 23, INT32_MIN, INT32_MAX}) {
      Blob blob(crivo_blob_bound(filter.get()));
      std::uint64_t written = 7;
      EXPECT_EQ(failure(CRIVO_BAD_ARGUMENT, crivo_write, filter.get(), form, level, blob.data(), blob.size(), &written),
                "level must be 0 or in [1, 22], got " + std::to_string(level));
      EXPECT_EQ(written, 7U);
    }
  }
}

TEST(BlobOf, LimitsBoundTheFilterBeforeMemoryIsTaken) {
  const Blob blob = blob_of(create(options_of("blocked", 10'000'000)), CRIVO_FORM_SMALLEST);
  ASSERT_LT(blob.size(), 10'000U);
  auto limits = sized<crivo_limits>();
  limits.max_bytes = 1'000'000;
  crivo_filter* filter = nullptr;
  for (const auto open : {&crivo_read, &crivo_borrow}) {
    failure(CRIVO_TOO_LARGE, open, blob.data(), blob.size(), &limits, &filter);
    EXPECT_EQ(filter, nullptr);
  }
  limits.max_bytes = 0;
  (void)make(crivo_read, blob.data(), blob.size(), &limits);
}

TEST(BlobOf, LimitsHoldForAFilterThatGrowsAndForItsCopy) {
  const Blob blob = blob_of(create(options_of("scalable", 100)));
  auto limits = sized<crivo_limits>();
  limits.max_bytes = 10'000;
  for (const auto open : {&crivo_read, &crivo_borrow}) {
    const Filter copy = make(crivo_copy, make(open, blob.data(), blob.size(), &limits).get());
    crivo_status status = CRIVO_OK;
    for (std::uint64_t i = 0; status == CRIVO_OK && i < 100'000; ++i) status = add(copy, present(i));
    EXPECT_EQ(status, CRIVO_TOO_LARGE);
  }
}

TEST(BlobOf, ATruncatedOrChangedOneIsCorrupt) {
  const Blob blob = blob_of(filter_of("blocked", 100), CRIVO_FORM_AUTO);
  Blob changed = blob;
  changed.back() ^= 0x10;
  for (const auto open : {&crivo_read, &crivo_borrow}) {
    crivo_filter* filter = nullptr;
    EXPECT_EQ(open(blob.data(), blob.size() - 1, nullptr, &filter, nullptr), CRIVO_CORRUPT);
    EXPECT_EQ(open(changed.data(), changed.size(), nullptr, &filter, nullptr), CRIVO_CORRUPT);
    EXPECT_THAT(failure(CRIVO_CORRUPT, open, nullptr, 0, nullptr, &filter), Not(IsEmpty()));
    EXPECT_EQ(filter, nullptr);
  }
}

}  // namespace
}  // namespace crivo::testing
