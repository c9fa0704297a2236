#include "crivo/describe.h"

#include "base/error_text.h"
#include "crivo/host/sizing.h"
#include "crivo/host/text.h"
#include "crivo/host/window.h"
#include "format/blob_header.h"
#include "kinds/registry.h"

namespace crivo {
std::vector<Description> describe(const OpenedBlob& blob) {
  return describe(blob.ref(), blob.codec(), blob.blob_bytes());
}

std::vector<Description> describe(const FilterRef& filter, Codec codec, std::uint64_t blob_bytes) {
  const Stats stats = filter.stats();
  const Facts& facts = filter.facts();
  const KindRow& row = *find_kind(filter.shape().kind);
  std::vector<Description> described = {{"kind", filter.kind().name}};
  if (row.option_of != nullptr) described.push_back({"option", std::uint64_t{row.option_of(filter.shape())}});
  const auto window = clock_of(filter.shape(), filter.payload().data());
  if (window) {
    described.push_back({"window", static_cast<double>(window->pane_length * window->panes) / 1000});
    described.push_back({"panes", std::uint64_t{window->panes}});
    described.push_back(
        {"next_pane", window->first_pane < 0 ? 0 : static_cast<double>(window->end_of_newest()) / 1000});
  }
  const double fill = static_cast<double>(stats.bits_set) / static_cast<double>(stats.bits);
  described.insert(described.end(),
                   {
                       {"capacity", facts.capacity},
                       {"fp_rate", facts.fp_rate},
                       {"keys", facts.keys},
                       {"bits", stats.bits},
                       {"k", std::uint64_t{filter.shape().k}},
                       {"fill", fill},
                       {"predicted_fp_rate", filter.predicted_fp_rate(static_cast<double>(facts.capacity))},
                       {"current_fp_rate", stats.current_fp_rate},
                       {"over_capacity", std::uint64_t{is_over_capacity(facts, stats, window.has_value())}},
                       {"seed", static_cast<std::int64_t>(filter.shape().seed)},
                       {"codec", codec_name(codec)},
                       {"payload_bytes", std::uint64_t{filter.payload().size()}},
                       {"blob_bytes", blob_bytes},
                   });
  return described;
}

std::vector<Description> describe(const Sketch& sketch) {
  const SketchSpec& spec = sketch.spec();
  const std::string_view key_type = spec.keys == SketchKeys::kHashes     ? "hashes"
                                    : spec.keys == SketchKeys::kIntegers ? "integers"
                                                                         : "bytes";
  return {
      {"kind", std::string_view("sketch")},
      {"key_type", key_type},
      {"key_bytes", std::uint64_t{spec.key_bytes}},
      {"first", spec.first},
      {"symbols", spec.symbols},
      {"keys", sketch.keys()},
      {"seed", static_cast<std::int64_t>(spec.seed)},
      {"blob_bytes", sketch.blob_bytes()},
  };
}

std::string value_text(const Description& described) {
  std::string text;
  std::visit([&text](auto value) { TextPart(value).append_to(text); }, described.value);
  return text;
}

std::string to_json(const std::vector<Description>& descriptions) {
  JsonObject json;
  for (const Description& described : descriptions) {
    const auto* const text = std::get_if<std::string_view>(&described.value);
    json.add(described.name, text != nullptr ? json_text(*text) : value_text(described));
  }
  return json.str();
}

}  // namespace crivo
