// A sketch whose symbols lie in pages, beside one that lies in one piece.
#include "crivo/host/paged_sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace crivo {
namespace {

using ::testing::HasSubstr;

class Pages final : public PageSource {
 public:
  const std::byte* read(std::uint64_t page) override {
    ++asked;
    const auto found = pages_.find(page);
    return found == pages_.end() ? nullptr : found->second.data();
  }
  std::byte* write(std::uint64_t page) override {
    ++asked;
    std::vector<std::byte>& bytes = pages_[page];
    bytes.resize(sketch->bytes_of(page));
    return bytes.data();
  }

  PagedSketch* sketch = nullptr;
  int asked = 0;

 private:
  std::map<std::uint64_t, std::vector<std::byte>> pages_;
};

std::string message(const auto& result) { return result.has_value() ? "no error" : result.error().message; }

TEST(PagedSketch, IsTheSketchOfItsKeys) {
  std::mt19937_64 random(1);
  for (const SketchSpec& spec : {SketchSpec{.symbols = 1}, SketchSpec{.symbols = 500, .seed = 7},
                                 SketchSpec{.symbols = 97, .keys = SketchKeys::kBytes, .key_bytes = 3},
                                 SketchSpec{.symbols = 1000, .keys = SketchKeys::kIntegers}}) {
    for (const std::size_t page_bytes : {16U, 24U, 100U, 4032U}) {
      Pages pages;
      PagedSketch paged = *PagedSketch::open(spec, page_bytes, pages);
      pages.sketch = &paged;
      Sketch whole = *Sketch::create(spec);
      for (int i = 0; i < 200; ++i) {
        const std::uint64_t number = random() % 50;
        const bool adds = random() % 2 == 0;
        if (spec.keys == SketchKeys::kBytes) {
          const std::string key = std::to_string(100 + number);
          ASSERT_TRUE(adds ? paged.add(key) : paged.remove(key));
          ASSERT_TRUE(adds ? whole.add(key) : whole.remove(key));
        } else {
          ASSERT_TRUE(adds ? paged.add_numbers({&number, 1}) : paged.remove_numbers({&number, 1}));
          ASSERT_TRUE(adds ? whole.add_numbers({&number, 1}) : whole.remove_numbers({&number, 1}));
        }
      }
      Sketch all = *paged.part(0, spec.symbols, 0, UINT64_MAX);
      ASSERT_TRUE(all.subtract(whole));
      EXPECT_TRUE(all.decode()->has_value() && (*all.decode())->only_first.size() == 0) << page_bytes;

      Pages stored;
      PagedSketch copy = *PagedSketch::open(spec, page_bytes, stored);
      stored.sketch = &copy;
      for (std::uint64_t page = 0; page < copy.pages(); ++page) copy.store(whole, page);
      EXPECT_EQ(copy.part(0, spec.symbols, 0, UINT64_MAX)->to_blob(),
                paged.part(0, spec.symbols, 0, UINT64_MAX)->to_blob());
    }
  }
}

TEST(PagedSketch, RefusesWhatCannotBe) {
  Pages pages;
  EXPECT_THAT(message(PagedSketch::open({.symbols = 0}, 100, pages)), HasSubstr("symbols must lie in [1, "));
  EXPECT_EQ(message(PagedSketch::open({.symbols = 5, .first = 2}, 100, pages)),
            "first must be 0 for symbols in pages, got 2");
  EXPECT_EQ(message(PagedSketch::open({.symbols = 5}, 15, pages)),
            "page_bytes must be at least the 16 of a symbol, got 15");
  PagedSketch paged = *PagedSketch::open({.symbols = 5, .keys = SketchKeys::kBytes, .key_bytes = 3}, 100, pages);
  pages.sketch = &paged;
  const std::uint64_t number = 1;
  EXPECT_FALSE(paged.add("four"));
  EXPECT_FALSE(paged.add_numbers({&number, 1}));
  EXPECT_EQ(pages.asked, 0);
  EXPECT_EQ(message(paged.part(5, 1, 0, UINT64_MAX)), "first must be below the 5 symbols that are kept, got 5");
  EXPECT_EQ(message(paged.part(3, 3, 0, UINT64_MAX)), "first + symbols must be at most the 5 that are kept, got 3 + 3");
  EXPECT_THAT(message(paged.part(0, 5, 0, 10)), HasSubstr("symbols must fit in 10 bytes"));
}

}  // namespace
}  // namespace crivo
