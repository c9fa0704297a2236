// What a scan asks the files.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scan/extract.h"

namespace crivo::plugin {

/// A prefix, or a value of an attribute.
struct ScanCondition {
  std::string attribute = {};  // the extract's name; empty for a prefix
  std::string value = {};
  const ScanAttribute* function = nullptr;  // null for a prefix, and for an attribute that is not registered
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

  /// For RocksDB after 11.8, whose options point to it.
  const std::function<bool(const rocksdb::TableProperties&)> table_filter;
  mutable std::atomic<std::uint64_t> asked = 0;
  mutable std::atomic<std::uint64_t> skipped = 0;

 private:
  std::vector<ScanCondition> conditions_;
};

}  // namespace crivo::plugin
