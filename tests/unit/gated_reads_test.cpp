// Which pages a lookup reads. The payload is mapped without read access, and only the pages that KindRow::admit_open
// and KindRow::admit_query request are opened. A lookup that reads any other page crashes this test. A page is as large
// as a segment of the checksum, so the result for pages holds for segments.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "against_scalar.h"
#include "base/byte_gate.h"
#include "crivo/map.h"
#include "filter/view_of.h"
#include "filters.h"
#include "hash/checksum.h"
#include "kinds/registry.h"
#include "kinds/ribbon/layout.h"

namespace crivo::testing {
namespace {

constexpr std::size_t kPage = kChecksumSegmentBytes;

/// A copy of a payload in which only admitted pages are readable.
class LockedPayload final : public ByteGate {
 public:
  explicit LockedPayload(const AnyFilter& filter)
      : shape_(filter.shape()), facts_(filter.facts()), bytes_(filter.payload().size()) {
    pages_ =
        static_cast<std::byte*>(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages_ == MAP_FAILED) throw std::bad_alloc();
    // Like a mapped file, the payload ends at the end of its last page or before it.
    std::ranges::copy(filter.payload(), pages_);
    ::mprotect(pages_, bytes_, PROT_NONE);
  }
  ~LockedPayload() { ::munmap(pages_, bytes_); }
  LockedPayload(const LockedPayload&) = delete;
  LockedPayload& operator=(const LockedPayload&) = delete;

  bool admit(std::uint64_t offset, std::uint64_t bytes) override {
    EXPECT_GT(bytes, 0U);
    EXPECT_LE(offset + bytes, bytes_) << "only bytes of the payload may be asked for";
    for (std::uint64_t page = offset / kPage; page <= (offset + bytes - 1) / kPage; ++page) {
      if (open_.insert(page).second) protect(page, PROT_READ);
    }
    return true;
  }
  bool freeze(std::uint64_t offset, std::uint64_t bytes) override {
    (void)admit(offset, bytes);
    for (std::uint64_t page = offset / kPage; page <= (offset + bytes - 1) / kPage; ++page) frozen_.insert(page);
    return true;
  }
  /// Locks all pages that are not frozen.
  void lock() {
    for (const std::uint64_t page : open_) {
      if (!frozen_.contains(page)) protect(page, PROT_NONE);
    }
    open_ = frozen_;
  }

  [[nodiscard]] View view() const { return {shape_, pages_, bytes_}; }
  [[nodiscard]] Result<FilterRef> open() const { return FilterRef::open(shape_, facts_, {pages_, bytes_}); }
  [[nodiscard]] std::size_t pages_open() const { return open_.size(); }

 private:
  void protect(std::uint64_t page, int rights) { ASSERT_EQ(::mprotect(pages_ + page * kPage, kPage, rights), 0); }

  Shape shape_;
  Facts facts_;
  std::size_t bytes_;
  std::byte* pages_ = nullptr;
  std::set<std::uint64_t> open_;
  std::set<std::uint64_t> frozen_;
};

/// The lookup functions of every instruction set that this machine has.
std::vector<Probe> probes_of(Kind kind, const Shape& shape) {
  std::vector<Probe> probes = {find_kind(kind)->probe(shape)};
  for (const Kernels& level : available_kernels()) {
    if (kind == Kind::kBlocked) probes.push_back(level.blocked);
    if (kind == Kind::kCounting) probes.push_back(level.counting);
    if (kind == Kind::kRibbon) probes.push_back(level.*testing::asking_ribbon(shape));
    if (kind == Kind::kRange) probes.push_back(level.range);
    if (kind == Kind::kMap) probes.push_back(level.map);
  }
  return probes;
}

constexpr std::uint64_t kMin = 300;  // keys of the smallest filter

std::vector<std::uint64_t> questions(std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t each = std::min<std::uint64_t>(n, 400);  // enough that some cross the end of a page
  std::vector<std::uint64_t> hashes = present_hashes(each, seed, n - each);
  const std::vector<std::uint64_t> absent = absent_hashes(each, seed);
  hashes.insert(hashes.end(), absent.begin(), absent.end());
  hashes.insert(hashes.end(), {0, ~std::uint64_t{0}, std::uint64_t{1} << 63});  // the first bytes and the last
  return hashes;
}

/// Opens a filter page by page. Looks up the hashes one by one and in a batch, and counts them if the kind can.
void expect_no_other_reads(const AnyFilter& filter, std::uint64_t n) {
  if (::sysconf(_SC_PAGESIZE) != static_cast<long>(kPage)) GTEST_SKIP() << "this machine's pages are larger";
  const KindRow& row = *find_kind(filter.shape().kind);
  LockedPayload locked(filter);
  ASSERT_TRUE(row.admit_open(locked.view(), locked));
  const auto opened = locked.open();
  locked.lock();
  const auto hashes = questions(n, filter.shape().seed);
  const auto hits = std::make_unique<bool[]>(hashes.size());
  for (const Probe& probe : probes_of(filter.shape().kind, filter.shape())) {
    for (const std::uint64_t hash : hashes) {
      ASSERT_TRUE(row.admit_query(ViewOf::filter(*opened), hash, locked));
      ASSERT_EQ(probe.contains(ViewOf::filter(*opened), hash), filter.ref().may_contain_hash(hash));
      probe.contains_batch(ViewOf::filter(*opened), &hash, 1, hits.get());
      ASSERT_EQ(hits[0], filter.ref().may_contain_hash(hash));
      if (probe.find != nullptr) {
        std::uint64_t value = 0;
        std::uint64_t in_batch = 0;
        const bool found = probe.find(ViewOf::filter(*opened), hash, value);
        probe.find_batch(ViewOf::filter(*opened), &hash, 1, &in_batch, hits.get());
        const auto expected = MapRef::of(filter.ref())->find_hash(hash);
        ASSERT_TRUE(found == expected.has_value() && hits[0] == found && in_batch == value);
        ASSERT_TRUE(!expected || *expected == value);
      }
      if (row.count != nullptr) {
        ASSERT_EQ(row.count(ViewOf::filter(*opened), hash), *filter.ref().count_hash(hash));
      }
      locked.lock();
      if (row.admit_range == nullptr) continue;
      const std::uint64_t high = hash + std::min(~hash, hash % (std::uint64_t{1} << 40));
      ASSERT_TRUE(row.admit_range(ViewOf::filter(*opened), hash, high, locked));
      ASSERT_EQ(probe.contains_range(ViewOf::filter(*opened), hash, high), filter.may_contain_range(hash, high));
      locked.lock();
    }
    for (const std::uint64_t hash : hashes) (void)row.admit_query(ViewOf::filter(*opened), hash, locked);
    probe.contains_batch(ViewOf::filter(*opened), hashes.data(), hashes.size(), hits.get());
    for (std::size_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(hits[i], filter.ref().may_contain_hash(hashes[i]));
    locked.lock();
  }
}

class GatedReads : public ::testing::TestWithParam<KindInfo> {};
INSTANTIATE_TEST_SUITE_P(Kinds, GatedReads, ::testing::ValuesIn(kinds().begin(), kinds().end()),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(GatedReads, AQuestionReadsNothingThatTheGateDidNotAdmit) {
  for (const double fp_rate : {0.8, 0.3, 0.01, 1e-6, 1e-8}) {
    FilterSpec spec{.kind = GetParam().kind, .capacity = 50'000, .fp_rate = fp_rate};
    if (spec.kind == Kind::kScalable) spec.capacity = 500;  // so that the filter has several layers
    expect_no_other_reads(build_filter(spec, 50'000), 50'000);
  }
}

TEST_P(GatedReads, AQuestionToAnEmptyFilterDoesNotEither) {
  const FilterSpec spec{.kind = GetParam().kind, .capacity = 50'000};
  const AnyFilter filter = build_filter(spec, 0);
  expect_no_other_reads(filter, kMin);
}

// A lookup must read a few pages, not the whole payload.
TEST_P(GatedReads, OpeningAndAskingTakeFewPages) {
  FilterSpec spec{.kind = GetParam().kind, .capacity = 200'000};
  if (spec.kind == Kind::kScalable) spec.capacity = 100'000;
  const AnyFilter filter = build_filter(spec, 200'000);
  const KindRow& row = *find_kind(spec.kind);
  LockedPayload locked(filter);
  ASSERT_TRUE(row.admit_open(locked.view(), locked));
  EXPECT_LE(locked.pages_open(), 2 * kMaxRibbonLevels + 1);
  const auto opened = locked.open();
  locked.lock();
  double pages = 0;
  const auto hashes = questions(200'000, 0);
  for (const std::uint64_t hash : hashes) {
    const std::size_t before = locked.pages_open();
    ASSERT_TRUE(row.admit_query(ViewOf::filter(*opened), hash, locked));
    pages += static_cast<double>(locked.pages_open() - before);
    locked.lock();
  }
  EXPECT_LE(pages / static_cast<double>(hashes.size()), filter.shape().k + 2.0);
}

// The batch kernels read in another order if the payload exceeds the second-level cache.
TEST(GatedReadsOfALargeRibbon, AQuestionReadsNothingThatTheGateDidNotAdmit) {
  for (const unsigned width : {kWideRibbon, kNarrowRibbon}) {
    const AnyFilter filter =
        build_filter({.kind = Kind::kRibbon, .capacity = 1, .fp_rate = 1e-9, .ribbon_width = width}, 1'200'000);
    ASSERT_GE(filter.payload().size(), kRibbonFarBytes);
    expect_no_other_reads(filter, 1'200'000);
  }
}

TEST(GatedReadsOfANarrowRibbon, AQuestionReadsNothingThatTheGateDidNotAdmit) {
  for (const double fp_rate : {0.3, 0.01, 1e-6, 1e-8}) {
    const FilterSpec spec{.kind = Kind::kRibbon, .capacity = 50'000, .fp_rate = fp_rate, .ribbon_width = kNarrowRibbon};
    expect_no_other_reads(build_filter(spec, 50'000), 50'000);
  }
}

// A forged head can have any value, and the gate uses it before it is validated.
TEST_P(GatedReads, AForgedHeadAsksForNothingOutsideThePayload) {
  const AnyFilter sound = build_filter(GetParam().kind, 1000);
  std::uint64_t random = 1;
  for (int round = 0; round < 2000; ++round) {
    AlignedBytes payload(sound.payload().begin(), sound.payload().end());
    for (int change = 0; change <= round % 4; ++change) {
      random = random * 6364136223846793005 + 1442695040888963407;
      payload[(random >> 33) % std::min<std::size_t>(payload.size(), 64)] = static_cast<std::byte>(random >> 56);
    }
    const View view{sound.shape(), payload.data(), payload.size()};
    struct : ByteGate {
      std::uint64_t end = 0;
      bool admit(std::uint64_t offset, std::uint64_t bytes) override {
        end = std::max(end, offset + bytes);
        return true;
      }
      bool freeze(std::uint64_t offset, std::uint64_t bytes) override { return admit(offset, bytes); }
    } gate;
    ASSERT_TRUE(find_kind(sound.shape().kind)->admit_open(view, gate));
    ASSERT_LE(gate.end, payload.size());
  }
}

}  // namespace
}  // namespace crivo::testing
