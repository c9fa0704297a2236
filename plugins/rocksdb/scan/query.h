// The conditions of a scan, and their evaluation for files.
#pragma once

#include <rocksdb/table_properties.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "scan/extract.h"

namespace crivo::plugin {

struct ScanCondition {
  /// What the condition tests. A prefix has the kind kPrefix; Extract::length is unused, because a filter for a shorter
  /// prefix can answer, too. If no function is registered under the name, the condition can be evaluated for files, but
  /// not for keys.
  Extract extract;
  std::string value = {};  // a prefix, or the value of an attribute
  std::uint64_t low = 0;   // a range, inclusive
  std::uint64_t high = 0;

  [[nodiscard]] bool is_known() const noexcept {
    return extract.kind == Extract::Kind::kPrefix || extract.attribute != nullptr || extract.number != nullptr;
  }
  [[nodiscard]] bool is_met_by(const rocksdb::Slice& key) const;
};

/// Conditions that a key must meet together.
class ScanQuery {
 public:
  explicit ScanQuery(std::vector<ScanCondition> conditions);

  [[nodiscard]] const std::vector<ScanCondition>& conditions() const noexcept { return conditions_; }
  /// Why ScanFilter::apply_to refuses these conditions (an attribute or number is not registered); empty if it accepts
  /// them.
  [[nodiscard]] std::string error() const;
  [[nodiscard]] bool matches(const rocksdb::Slice& key) const;
  [[nodiscard]] bool may_match(const rocksdb::TableProperties& file) const noexcept;

  mutable std::atomic<std::uint64_t> asked = 0;
  mutable std::atomic<std::uint64_t> skipped = 0;

 private:
  std::vector<ScanCondition> conditions_;
};

}  // namespace crivo::plugin
