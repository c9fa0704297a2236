// What a filter tells about itself; see info.h.
#include "info.h"

#include <array>
#include <charconv>

namespace crivo::sqlite {
namespace {

/// None of our texts needs escaping: they are names of kinds and codecs.
void append_value(std::string& json, std::string_view text) { json.append("\"").append(text).append("\""); }

template <class Number>
void append_value(std::string& json, Number number) {
  std::array<char, 32> digits;
  json.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

}  // namespace

std::vector<InfoRow> describe(const OpenedBlob& blob) {
  const FilterRef& filter = blob.ref();
  const Stats stats = filter.stats();
  const Facts& facts = filter.facts();
  return {
      {"kind", filter.kind().name},
      {"capacity", facts.capacity},
      {"fpr", facts.fp_rate},
      {"keys", facts.keys},
      {"bits", stats.bits},
      {"k", std::uint64_t{filter.shape().probes}},
      {"fill", static_cast<double>(stats.bits_set) / static_cast<double>(stats.bits)},
      {"predicted_fpr", filter.predicted_fp_rate(static_cast<double>(facts.capacity))},
      {"seed", static_cast<std::int64_t>(filter.shape().seed)},
      {"codec", codec_name(blob.codec())},
      {"raw_bytes", std::uint64_t{filter.payload().size()}},
      {"blob_bytes", std::uint64_t{blob.blob_bytes()}},
  };
}

std::string to_json(const std::vector<InfoRow>& rows) {
  std::string json;
  for (const InfoRow& row : rows) {
    json.append(json.empty() ? "{\"" : ",\"").append(row.name).append("\":");
    std::visit([&json](auto value) { append_value(json, value); }, row.value);
  }
  return json + "}";
}

}  // namespace crivo::sqlite
