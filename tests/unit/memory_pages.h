// Holds the pages of a PagedFilter in memory. A page exists only after it was written.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "crivo/host/paged_filter.h"

namespace crivo {

class MemoryPages : public PageSource {
 public:
  struct Stored {
    std::vector<std::byte> bytes;
    Page page;
  };

  /// Borrows the filter.
  explicit MemoryPages(const PagedFilter& filter) : filter_(filter) {}

  const Page* read(std::uint64_t page) override {
    EXPECT_LT(page, filter_.pages());
    const auto found = stored_.find(page);
    return found != stored_.end() ? &found->second.page : nullptr;
  }
  Page& write(std::uint64_t page) override {
    EXPECT_LT(page, filter_.pages());
    ++writes;
    Stored& stored = stored_[page];
    stored.bytes.resize(filter_.bytes_of(page));
    stored.page.bytes = stored.bytes.data();
    return stored.page;
  }
  [[nodiscard]] std::map<std::uint64_t, Stored>& all() { return stored_; }
  int writes = 0;

 private:
  const PagedFilter& filter_;
  std::map<std::uint64_t, Stored> stored_;
};

}  // namespace crivo
