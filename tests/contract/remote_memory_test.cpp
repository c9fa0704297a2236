// Filters that lie elsewhere, where memory runs out at any moment: the question fails, and the next one is right.
#include <new>

#include "crivo/parts.h"
#include "crivo/remote_filter.h"
#include "every_kind.h"
#include "process_faults.h"
#include "range_files.h"
#include "temp_folder.h"

#ifdef CRIVO_PROCESS_FAULTS
namespace crivo::testing {
namespace {

/// Runs work() with the nth allocation failing, and returns whether it did.
template <class Work>
bool fails(std::int64_t nth, bool persistent, const Work& work) {
  process_faults = {true, persistent, nth};
  try {
    work();
  } catch (const std::bad_alloc&) {
    EXPECT_TRUE(process_faults.struck);
  }
  process_faults.armed = false;
  return process_faults.struck;
}

class RemoteMemory : public PerKind {
 protected:
  /// Each time with one more allocation that succeeds, until all do.
  void expect_to_outlive(const RemoteOptions& options, std::span<const std::uint64_t> present) const {
    for (const bool persistent : {false, true}) {
      for (std::int64_t nth = 1;; ++nth) {
        ASSERT_LT(nth, 5000);
        auto reader = std::make_unique<RangeFiles>(path_, std::make_shared<RangeUse>());
        std::optional<Result<RemoteFilter>> filter;
        bool struck = fails(nth, persistent, [&] { filter = RemoteFilter::open(std::move(reader), options); });
        if (!filter || !*filter) continue;  // the reader's memory may run out, too, and then it finds no file
        bool hits[20] = {};
        struck |= fails(nth, persistent, [&] { (void)(*filter)->may_contain_range(1, UINT64_MAX); });
        struck |= fails(nth, persistent, [&] { (void)(*filter)->may_contain_hashes(present, hits); });
        ASSERT_TRUE((*filter)->may_contain_hashes(present, hits));
        ASSERT_TRUE(std::ranges::all_of(hits, [](bool hit) { return hit; }));
        if (!struck) break;
      }
    }
  }
  TempFolder folder_;
  std::string path_ = folder_.file("f.crivo");
};
CRIVO_FOR_EVERY_KIND(RemoteMemory);

TEST_P(RemoteMemory, MayRunOutAtAnyMoment) {
  const AnyFilter filter = build_filter(spec_for(40'000), 40'000);
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < 20; ++i) hashes.push_back(present_hashes(1, filter.shape().seed, i * 1999).front());
  for (const BlobForm form : {BlobForm::kMappable, BlobForm::kRaw}) {
    const Bytes blob = blob_of(filter.ref(), form);
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()), static_cast<std::streamsize>(blob.size()));
    expect_to_outlive({.verify = form == BlobForm::kMappable}, hashes);
  }
}

TEST_F(RemoteMemory, MayRunOutWhilePartsAreFetched) {
  const auto hashes = present_hashes(20'000, 0);
  auto builder = PartsBuilder::create({.kind = Kind::kRibbon}, 128);
  ASSERT_TRUE(builder->add_hashes(hashes));
  ASSERT_TRUE(builder->finish(path_));
  expect_to_outlive({}, std::span(hashes).first(20));
}

}  // namespace
}  // namespace crivo::testing
#endif
