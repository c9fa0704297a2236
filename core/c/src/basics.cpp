// Names, versions, kinds, hashes, and numbers as keys.
#include <string>

#include "arguments.h"
#include "boundary.h"
#include "crivo/key.h"
#include "crivo/kinds.h"
#include "crivo/ordered.h"
#include "crivo/version.h"

namespace crivo::c {
namespace {

std::size_t write_key(const NumberKey& number, char* key) noexcept {
  return key == nullptr ? 0 : number.view().copy(key, CRIVO_NUMBER_KEY_BYTES);
}

std::string_view view_or_empty(const void* key, std::size_t bytes) noexcept {
  return key != nullptr && is_key(key, bytes) ? key_view(key, bytes) : std::string_view();
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

const char* crivo_status_name(crivo_status status) {
  static constexpr const char* kNames[] = {"ok",          "bad argument",  "corrupt",     "incompatible",
                                           "unsupported", "full",          "not found",   "too large",
                                           "cancelled",   "out of memory", "system error"};
  const auto number = static_cast<std::size_t>(status);
  return number < std::size(kNames) ? kNames[number] : "unknown status";
}

// These texts are literals, so they are NUL-terminated.
const char* crivo_version(void) { return version().data(); }
const char* crivo_isa(void) { return active_isa().data(); }

const char* crivo_kind_name(size_t index) { return index < kinds().size() ? kinds()[index].name.data() : nullptr; }

uint32_t crivo_kind_can(size_t index) { return index < kinds().size() ? capability_bits(kinds()[index].can) : 0; }

uint64_t crivo_hash_key(const void* key, size_t key_bytes, uint64_t seed) {
  return hash_key(view_or_empty(key, key_bytes), seed);
}

crivo_status crivo_hash_keys(const crivo_keys* keys, uint64_t seed, uint64_t* hashes, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const Keys checked(keys);
    check_array("hashes", hashes, checked.count(), sizeof *hashes, alignof(uint64_t));
    return checked.hash(HashId::kXxh3_64, seed, [&](std::span<const std::uint64_t> piece) -> Result<void> {
      hashes = std::copy(piece.begin(), piece.end(), hashes);
      return {};
    });
  });
}

uint64_t crivo_ordered_integer(int64_t value) { return ordered(std::int64_t{value}); }
uint64_t crivo_ordered_bytes(const void* key, size_t key_bytes) { return ordered(view_or_empty(key, key_bytes)); }
uint64_t crivo_last_ordered_bytes(const void* prefix, size_t prefix_bytes) {
  return last_ordered(view_or_empty(prefix, prefix_bytes));
}

size_t crivo_integer_key(int64_t value, char key[CRIVO_NUMBER_KEY_BYTES]) { return write_key(NumberKey(value), key); }
size_t crivo_unsigned_key(uint64_t value, char key[CRIVO_NUMBER_KEY_BYTES]) { return write_key(NumberKey(value), key); }
size_t crivo_real_key(double value, char key[CRIVO_NUMBER_KEY_BYTES]) { return write_key(NumberKey(value), key); }
