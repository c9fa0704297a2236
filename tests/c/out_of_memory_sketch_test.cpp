// Each allocation of each sketch function fails once, as in out_of_memory_test.cpp.
#include <array>

#include "out_of_memory.h"

#ifdef CRIVO_PROCESS_FAULTS
namespace crivo::testing {
namespace {

/// Sketches of hashes, of strings, and of integers. Only the first two have functions for keys of bytes.
class OutOfMemoryOfSketches : public ::testing::TestWithParam<const char*> {
 protected:
  static constexpr std::uint64_t kSymbols = 400;

  [[nodiscard]] static SketchHandle sketch_of(std::uint64_t first_number, std::uint64_t numbers,
                                              std::uint64_t symbols = kSymbols, std::uint64_t first = 0) {
    auto wanted = sketch_options_of(symbols, GetParam());
    wanted.first = first;
    SketchHandle sketch = make<crivo_sketch>(crivo_sketch_create, &wanted);
    for (std::uint64_t i = first_number; i < first_number + numbers; ++i) {
      const std::string key = "key " + std::to_string(10'000 + i);
      EXPECT_EQ(std::string_view(GetParam()) == "bytes:9"
                    ? crivo_sketch_add(sketch.get(), key.data(), key.size(), nullptr)
                    : crivo_sketch_add_numbers(sketch.get(), &i, 1, nullptr),
                CRIVO_OK);
    }
    return sketch;
  }
  /// Makes the allocations fail for a function that changes a sketch by another one. Restores `start` before each call.
  template <class Change>
  static void fail_changing_by(const SketchHandle& start, Change&& change, const SketchHandle& other) {
    const Blob before = blob_of(start);
    const Blob of_other = blob_of(other);
    SketchHandle sketch = read_again(before);
    fail_every_allocation([&](crivo_error* error) { return change(sketch.get(), other.get(), error); },
                          [&](crivo_status status) {
                            EXPECT_TRUE(status == CRIVO_OK || blob_of(sketch) == before) << "it must be unchanged";
                            EXPECT_EQ(blob_of(other), of_other);
                            sketch = read_again(before);
                          });
  }
  [[nodiscard]] static SketchHandle read_again(const Blob& blob) {
    return make<crivo_sketch>(crivo_sketch_read, blob.data(), std::uint64_t{blob.size()}, nullptr);
  }
};
INSTANTIATE_TEST_SUITE_P(Keys, OutOfMemoryOfSketches, ::testing::Values("hashes", "bytes:9", "integers"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, ':');
                           return name;
                         });

TEST_P(OutOfMemoryOfSketches, MakingAndStoringLeaveNothing) {
  const auto wanted = sketch_options_of(kSymbols, GetParam());
  fail_making<crivo_sketch>(crivo_sketch_create, &wanted);
  const SketchHandle sketch = sketch_of(0, 100);
  const Blob blob = blob_of(sketch);
  fail_making<crivo_sketch>(crivo_sketch_read, blob.data(), blob.size(), nullptr);
  Blob buffer(blob.size());
  fail_calling(crivo_sketch_write, sketch.get(), buffer.data(), buffer.size());
  EXPECT_EQ(buffer, blob);
}

TEST_P(OutOfMemoryOfSketches, KeysAreAddedAndFoundWithoutMemory) {
  const SketchHandle sketch = sketch_of(0, 100);
  const Blob before = blob_of(sketch);
  const auto difference = make<crivo_difference>(crivo_find_difference, sketch.get(), sketch_of(1, 98).get());
  auto facts = sized<crivo_sketch_facts>();
  crivo_keys keys{};
  const bool has_numbers = std::string_view(GetParam()) != "bytes:9";
  const std::uint64_t number = 500;
  const auto answers = with_faults(kAllFail, [&] {
    return std::array{has_numbers ? crivo_sketch_add_numbers(sketch.get(), &number, 1, nullptr)
                                  : crivo_sketch_add(sketch.get(), "new bytes", 9, nullptr),
                      has_numbers ? crivo_sketch_remove_numbers(sketch.get(), &number, 1, nullptr)
                                  : crivo_sketch_remove(sketch.get(), "new bytes", 9, nullptr),
                      crivo_sketch_get_facts(sketch.get(), &facts, nullptr),
                      crivo_difference_keys(difference.get(), 0, &keys, nullptr)};
  });
  EXPECT_THAT(answers, ::testing::Each(CRIVO_OK));
  EXPECT_EQ(facts.keys, 100U);
  EXPECT_EQ(keys.count, 2U);
  EXPECT_EQ(blob_of(sketch), before);
}

TEST_P(OutOfMemoryOfSketches, ChangesAreWholeOrNone) {
  const SketchHandle start = sketch_of(0, 100);
  fail_changing_by(start, crivo_sketch_combine, sketch_of(100, 50));
  fail_changing_by(start, crivo_sketch_append, sketch_of(0, 100, 300, kSymbols));
}

TEST_P(OutOfMemoryOfSketches, FindingADifferenceLeavesNothing) {
  const SketchHandle first = sketch_of(0, 300);
  const SketchHandle second = sketch_of(100, 250);
  const Blob of_first = blob_of(first);
  const Blob of_second = blob_of(second);
  fail_making<crivo_difference>(crivo_find_difference, first.get(), second.get());
  const SketchHandle nobody = sketch_of(0, 0, 200);
  fail_calling([&](crivo_error* error) {
    crivo_difference* too_few = nullptr;
    const crivo_status status = crivo_find_difference(first.get(), nobody.get(), &too_few, error);
    EXPECT_EQ(too_few, nullptr);
    return status;
  });
  EXPECT_EQ(blob_of(first), of_first);
  EXPECT_EQ(blob_of(second), of_second);
}

}  // namespace
}  // namespace crivo::testing
#endif
