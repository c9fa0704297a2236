#include "kinds/checks.h"

#include "base/error_text.h"
#include "crivo/host/text.h"
#include "crivo/types.h"
#include "kinds/collisions.h"

namespace crivo {

Result<void> check_capacity(std::uint64_t capacity) {
  if (capacity >= 1 && capacity <= kMaxCapacity) return {};
  return bad_argument("capacity must be in [1, ", kMaxCapacity, "], got ", capacity);
}

Result<double> check_request(std::uint64_t capacity, double fp_rate) {
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (!(fp_rate > 0 && fp_rate < 1)) return bad_argument("fp_rate must be in (0, 1), got ", fp_rate);
  const double collisions = collision_rate(static_cast<double>(capacity));
  if (fp_rate > collisions) return without_collisions(fp_rate, capacity);
  return bad_argument("fp_rate must be above ", collisions, ", the collision rate of 64-bit hashes of ",
                      counted_keys(capacity), ", got ", fp_rate);
}

Result<void> check_bits_per_key(double bits_per_key) {
  if (bits_per_key > 0 && bits_per_key <= kMaxBitsPerKey) return {};
  return bad_argument("bits_per_key must be in (0, ", kMaxBitsPerKey, "], got ", bits_per_key);
}

bool read_option(unsigned& option, unsigned by_default, std::string_view text) noexcept {
  const unsigned number = text.empty() ? by_default : read_number<unsigned>(text).value_or(0);
  if (number != 0) option = number;
  return number != 0;
}

Error keys_too_large(std::uint64_t max_bytes, std::uint64_t keys, std::uint64_t needed) {
  return limit_error(ErrorCode::kTooLarge, needed, "capacity must fit in ", max_bytes, " bytes, got ",
                     counted_keys(keys), ", which need ", needed);
}

}  // namespace crivo
