// What a stored filter or sketch tells about itself, as named values. Where a host tells one of these facts, it has
// this name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "crivo/blob.h"
#include "crivo/sketch.h"

namespace crivo {

/// One fact about a filter. Names and texts are string literals of the library, so they live for ever and need no
/// escaping in JSON.
struct Description {
  std::string_view name;
  std::variant<std::int64_t, std::uint64_t, double, std::string_view> value;
};

/// The facts about a filter, in this order: kind; option (of a kind that has a number as one); of a window its length
/// in seconds, its panes, and next_pane, the time in seconds since 1970 at which the newest ends (0 before the clock is
/// set); capacity and fp_rate, as promised; keys; bits and k; fill, the share of the bits that are set;
/// predicted_fp_rate, the model's rate at capacity; current_fp_rate, the rate at this fill; over_capacity, 1 if more
/// keys were added than the filter was made for (to one pane, of a window) and its rate is now above the promised one,
/// else 0; seed, as a signed integer; codec; payload_bytes; blob_bytes. Takes a pass over the payload.
[[nodiscard]] std::vector<Description> describe(const OpenedBlob& blob);
/// The same for a filter that was stored so.
[[nodiscard]] std::vector<Description> describe(const FilterRef& filter, Codec codec, std::uint64_t blob_bytes);

/// The facts about a sketch, in this order: kind, which is sketch; key_type (hashes, integers or bytes) and key_bytes;
/// first and symbols; keys; seed, as a signed integer; blob_bytes.
[[nodiscard]] std::vector<Description> describe(const Sketch& sketch);

/// The value as a text: integers in decimal, reals as the shortest text that reads back the same.
[[nodiscard]] std::string value_text(const Description& described);

/// All descriptions as one JSON object, in their order.
[[nodiscard]] std::string to_json(const std::vector<Description>& descriptions);

}  // namespace crivo
