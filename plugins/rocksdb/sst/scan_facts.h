// What an SST file tells about its scan filters (crivo/rocksdb_scan.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace crivo::sst {

/// The name of the property that has the filter "prefix:4" is this and "prefix:4".
inline constexpr std::string_view kScanProperty = "crivo.scan.";

struct ScanFacts {
  std::string name;         // "prefix:4"
  std::string kind;         // "ribbon"; empty if there is no filter
  std::uint64_t bytes = 0;  // of the property, which lie in memory as long as the file is open
  std::string complaint;    // why there is none, or what is wrong with it
};

/// The scan filters among the properties of a file.
[[nodiscard]] std::vector<ScanFacts> scan_facts(const std::map<std::string, std::string>& properties);

/// "prefix:4 (ribbon, 940 bytes), path:/ (left out: ...)"; empty if there are none.
[[nodiscard]] std::string scans_text(const std::vector<ScanFacts>& scans);

}  // namespace crivo::sst
