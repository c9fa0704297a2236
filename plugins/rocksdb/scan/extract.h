// The parts of a key that a scan filter stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/hash.h"
#include "crivo/result.h"
#include "crivo/rocksdb_scan.h"

namespace crivo::plugin {

/// The hash of a value in scan filters.
[[nodiscard]] inline std::uint64_t scan_hash(std::string_view value) noexcept { return hash_key(value, /*seed=*/0); }

/// One scan filter of a file. Its name is stored in the file: the filter is in the property sst::kScanProperty + name,
/// and the name is also the block's key transform.
struct Extract {
  enum class Kind { kPrefix, kPath, kAttribute, kRange };

  std::string name;
  Kind kind = Kind::kPrefix;
  std::size_t length = 0;                    // kPrefix
  char separator = '/';                      // kPath
  const ScanAttribute* attribute = nullptr;  // kAttribute
  const ScanNumber* number = nullptr;        // kRange

  /// Calls `add` with the hash of each of the key's values, or with the key's number. `known` is the length of the
  /// prefix shared with the previous key, whose prefixes were already added.
  template <typename Add>
  void each_hash(const rocksdb::Slice& key, std::size_t known, const Add& add) const {
    const std::string_view text(key.data(), key.size());
    switch (kind) {
      case Kind::kPrefix:
        if (length > known && length <= text.size()) add(scan_hash(text.substr(0, length)));
        return;
      case Kind::kPath:
        for (std::size_t at = text.find(separator, known); at != text.npos; at = text.find(separator, at + 1)) {
          add(scan_hash(text.substr(0, at + 1)));
        }
        return;
      case Kind::kAttribute:
        return (*attribute)(key, [&add](std::string_view value) { add(scan_hash(value)); });
      case Kind::kRange:
        if (const auto its = (*number)(key)) add(*its);
    }
  }
};

/// The extract with this name in a file: "prefix:4", "path:/". Errors: kBadArgument.
[[nodiscard]] Result<Extract> find_extract(std::string_view name);

/// The extracts of ScanFilterOptions::extract; "prefix:4,8" is two. Errors: kBadArgument.
[[nodiscard]] Result<std::vector<Extract>> find_extracts(std::string_view text);

/// See RegisterScanAttribute and RegisterScanNumber in crivo/rocksdb_scan.h.
[[nodiscard]] rocksdb::Status add_scan_attribute(std::string_view name, ScanAttribute attribute);
[[nodiscard]] rocksdb::Status add_scan_number(std::string_view name, ScanNumber number);

}  // namespace crivo::plugin
