// The facts about a stored filter or sketch as named values. The hosts print them with these names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "crivo/blob.h"
#include "crivo/sketch.h"

namespace crivo {

/// One fact. Names and texts are string literals of the library, and need no escaping in JSON.
struct Description {
  std::string_view name;
  std::variant<std::int64_t, std::uint64_t, double, std::string_view> value;
};

/// The facts about a filter, in this order. Reads the whole payload.
///
///   kind
///   option                    if the kind has a numeric option
///   window, panes, next_pane  for kind window: its length in seconds, the number of its panes, and the end of the
///                             newest pane in seconds since 1970 (0 before the clock is set)
///   capacity, fp_rate         as promised
///   keys, bits, k
///   fill                      the share of bits that are set, or of counters above 0
///   predicted_fp_rate         the model's rate at capacity
///   current_fp_rate           the rate at the present fill
///   over_capacity             1 if the rate exceeds the promised rate because the filter, or a pane of a window, has
///                             too many distinct keys, else 0
///   seed                      as a signed integer
///   codec, payload_bytes, blob_bytes
[[nodiscard]] std::vector<Description> describe(const OpenedBlob& blob);
/// The same for a filter, given the codec and the size of its blob.
[[nodiscard]] std::vector<Description> describe(const FilterRef& filter, Codec codec, std::uint64_t blob_bytes);

/// The facts about a sketch, in this order: kind ("sketch"); key_type (hashes, integers or bytes) and key_bytes; first
/// and symbols; keys; seed, as a signed integer; blob_bytes.
[[nodiscard]] std::vector<Description> describe(const Sketch& sketch);

/// The value as text. A real has the shortest text that reads back as the same number.
[[nodiscard]] std::string value_text(const Description& described);

/// The facts as one JSON object, in the given order.
[[nodiscard]] std::string to_json(const std::vector<Description>& descriptions);

}  // namespace crivo
