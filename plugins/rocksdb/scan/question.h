// What a scan asks the files.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scan/extract.h"
#include "scan/table_filter.h"

namespace crivo::plugin {

/// One thing that is asked of a key.
struct ScanCondition {
  /// Where the answer lies; its kind is kPrefix for a prefix of any length, which other filters answer, too. Without a
  /// function, if none is registered under the name, it can be asked of files and not of keys.
  Extract extract;
  std::string value = {};  // a prefix, or a value of an attribute
  std::uint64_t low = 0;   // a range, both ends included
  std::uint64_t high = 0;

  [[nodiscard]] bool is_known() const noexcept {
    return extract.kind == Extract::Kind::kPrefix || extract.attribute != nullptr || extract.number != nullptr;
  }
  [[nodiscard]] bool is_met_by(const rocksdb::Slice& key) const;
};

/// Conditions that a key must all meet.
class ScanQuestion {
 public:
  explicit ScanQuestion(std::vector<ScanCondition> conditions);

  [[nodiscard]] const std::vector<ScanCondition>& conditions() const noexcept { return conditions_; }
  /// Why no file may be left out; empty if all is well.
  [[nodiscard]] std::string error() const;
  [[nodiscard]] bool matches(const rocksdb::Slice& key) const;
  [[nodiscard]] bool may_match(const rocksdb::TableProperties& file) const noexcept;

  /// Asks may_match. The options of a scan refer to it.
  const TableFilter table_filter;
  mutable std::atomic<std::uint64_t> asked = 0;
  mutable std::atomic<std::uint64_t> skipped = 0;

 private:
  std::vector<ScanCondition> conditions_;
};

}  // namespace crivo::plugin
