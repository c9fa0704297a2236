// The facts about the scan filters of an SST file (crivo/rocksdb_scan.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace crivo::sst {

/// The prefix of the properties with scan filters, before a name such as "prefix:4".
inline constexpr std::string_view kScanProperty = "crivo.scan.";

struct ScanFacts {
  std::string name;         // "prefix:4"
  std::string kind;         // "ribbon"; empty without a filter
  std::uint64_t bytes = 0;  // of the property, resident while the file is open
  std::string complaint;    // why there is none, or what is wrong with it
};

/// The scan filters in a file's properties.
[[nodiscard]] std::vector<ScanFacts> scan_facts(const std::map<std::string, std::string>& properties);

/// "prefix:4 (ribbon, 940 bytes), path:/ (left out: ...)"; may be empty.
[[nodiscard]] std::string scans_text(const std::vector<ScanFacts>& scans);

}  // namespace crivo::sst
