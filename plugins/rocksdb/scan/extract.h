// What a scan filter takes from a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/result.h"
#include "crivo/rocksdb_scan.h"

namespace crivo::plugin {

/// One filter of a file. Its name stands in the file: the filter is in the property sst::kScanProperty + name, and the
/// name is that of the block's key transform, too.
struct Extract {
  enum class Kind { kPrefix, kPath, kAttribute };

  std::string name;
  Kind kind = Kind::kPrefix;
  std::size_t length = 0;                    // kPrefix
  char separator = '/';                      // kPath
  const ScanAttribute* attribute = nullptr;  // kAttribute

  /// Calls add(std::string_view) for each value. Of the key's first bytes, those that the key before shared with it,
  /// `known` of them, give prefixes that were added with that one.
  template <typename Add>
  void each_value(const rocksdb::Slice& key, std::size_t known, const Add& add) const {
    const std::string_view text(key.data(), key.size());
    switch (kind) {
      case Kind::kPrefix:
        if (length > known && length <= text.size()) add(text.substr(0, length));
        return;
      case Kind::kPath:
        for (std::size_t at = text.find(separator, known); at != text.npos; at = text.find(separator, at + 1)) {
          add(text.substr(0, at + 1));
        }
        return;
      case Kind::kAttribute:
        (*attribute)(key, [&add](std::string_view value) { add(value); });
    }
  }

  /// Whether it is about the first bytes of keys, for which a timestamp behind the key makes no difference.
  [[nodiscard]] bool is_of_first_bytes() const noexcept { return kind != Kind::kAttribute; }
};

/// The one extract of this name, as it stands in a file: "prefix:4", "path:/". Errors: kBadArgument.
[[nodiscard]] Result<Extract> find_extract(std::string_view name);

/// All of ScanFilterOptions::extract, where "prefix:4,8" is two. Errors: kBadArgument.
[[nodiscard]] Result<std::vector<Extract>> find_extracts(std::string_view text);

/// See RegisterScanAttribute in crivo/rocksdb_scan.h.
[[nodiscard]] rocksdb::Status add_scan_attribute(std::string_view name, ScanAttribute attribute);

}  // namespace crivo::plugin
