#include "crivo/sketch_spec.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "crivo/host/text.h"

namespace crivo {

std::string sketch_keys_text(const SketchSpec& spec) {
  if (spec.keys == SketchKeys::kBytes) return "bytes:" + std::to_string(spec.key_bytes);
  return spec.keys == SketchKeys::kHashes ? "hashes" : "integers";
}

Result<void> choose_sketch_keys(SketchSpec& spec, std::string_view text) {
  constexpr std::string_view kBytesOf = "bytes:";
  if (text == "hashes" || text == "integers") {
    spec.keys = text == "hashes" ? SketchKeys::kHashes : SketchKeys::kIntegers;
    spec.key_bytes = 8;
    return {};
  }
  const auto bytes = text.starts_with(kBytesOf) ? read_number<unsigned>(text.substr(kBytesOf.size())) : std::nullopt;
  if (!bytes || *bytes < 1 || *bytes > kMaxSketchKeyBytes) {
    return bad_argument("keys must be hashes, integers or bytes:N with N from 1 to ", kMaxSketchKeyBytes, ", got ",
                        text);
  }
  spec.keys = SketchKeys::kBytes;
  spec.key_bytes = *bytes;
  return {};
}

std::uint64_t sketch_symbols(std::uint64_t difference) noexcept {
  const auto keys = static_cast<double>(difference);
  const double symbols = 1.36 * keys + 5 * std::sqrt(keys) + 25;
  return static_cast<std::uint64_t>(std::min(symbols, static_cast<double>(kMaxSketchSymbols)));
}

}  // namespace crivo
