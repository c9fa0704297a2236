#include "sst/scan_facts.h"

#include <algorithm>
#include <span>

#include "crivo/filter.h"
#include "crivo/host/sst_block.h"

namespace crivo::sst {
namespace {

/// A text from a file, without control characters for a terminal.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 200;
  std::string shown(text.substr(0, kMost));
  std::ranges::replace_if(
      shown, [](unsigned char byte) { return byte < ' ' || byte == 0x7F; }, '?');
  return shown;
}

ScanFacts describe(std::string_view name, const std::string& block) {
  ScanFacts facts{.name = shown(name), .kind = {}, .bytes = block.size(), .complaint = {}};
  const auto bytes = std::as_bytes(std::span(block));
  const bool is_text = block.find('\0') == block.npos;  // every filter contains zero bytes
  if (is_text && !is_sst_block(bytes)) {
    facts.complaint = shown(block);  // why the writer omitted it
  } else if (const auto filter = open_sst_block(bytes, name)) {
    facts.kind = filter->kind().name;
  } else {
    facts.complaint = "damaged: " + filter.error().message;
  }
  return facts;
}

}  // namespace

std::vector<ScanFacts> scan_facts(const std::map<std::string, std::string>& properties) {
  std::vector<ScanFacts> all;
  for (auto at = properties.lower_bound(std::string(kScanProperty)); at != properties.end(); ++at) {
    if (!at->first.starts_with(kScanProperty)) break;
    all.push_back(describe(std::string_view(at->first).substr(kScanProperty.size()), at->second));
  }
  return all;
}

std::string scans_text(const std::vector<ScanFacts>& scans) {
  std::string text;
  for (const ScanFacts& scan : scans) {
    text += (text.empty() ? "" : ", ") + scan.name + " (";
    text += scan.complaint.empty() ? scan.kind + ", " + std::to_string(scan.bytes) + " bytes)" : scan.complaint + ")";
  }
  return text;
}

}  // namespace crivo::sst
