// What a filter tells about itself, as named values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "crivo/blob.h"

namespace crivo::sqlite {

struct InfoRow {
  std::string_view name;
  std::variant<std::int64_t, std::uint64_t, double, std::string_view> value;
};

/// kind, capacity, fpr, keys, bits, k, fill, predicted_fpr, seed, codec, raw_bytes, blob_bytes. Takes a pass over the
/// payload.
[[nodiscard]] std::vector<InfoRow> describe(const OpenedBlob& blob);

/// The rows as a JSON object, in their order.
[[nodiscard]] std::string to_json(const std::vector<InfoRow>& rows);

}  // namespace crivo::sqlite
