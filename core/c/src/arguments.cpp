#include "arguments.h"

#include "crivo/host/unwrap.h"
#include "crivo/key.h"
#include "crivo/kinds.h"
#include "crivo/version.h"

namespace crivo::c {
namespace {

/// A larger `size` is treated as uninitialized, not as the size of a later version's structure.
constexpr std::size_t kMaxStructBytes = 4096;

/// A copy of the caller's structure, with 0 in fields that the caller's version lacks. Accepts a later version's
/// structure if the fields that this version does not know are 0.
template <class T>
T read_struct(const char* name, const T* caller) {
  check_given(name, caller);
  const std::size_t size = caller->size;
  check_size(name, size, sizeof(T), alignof(T));
  const auto* bytes = reinterpret_cast<const unsigned char*>(caller);
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, [](unsigned char byte) { return byte != 0; })) {
    throw Refused(std::string(name) + " must be 0 after the " + std::to_string(sizeof(T)) +
                  " bytes that this version knows, got another value");
  }
  T known{};
  std::memcpy(&known, caller, std::min(size, sizeof(T)));
  return known;
}

void choose_size(FilterSpec& spec, const crivo_options& options) {
  spec.capacity = options.capacity;
  if (options.fp_rate != 0) spec.fp_rate = options.fp_rate;
  if (options.bits_per_key == 0) return;
  if (options.fp_rate != 0) {
    throw Refused("fp_rate must be 0 if bits_per_key is set, got " + std::string(NumberKey(options.fp_rate).view()));
  }
  spec.bits_per_key = options.bits_per_key;
}

/// Whether offsets may decrease: whether an offset or a difference has its highest bit set. In a valid array none has,
/// because offsets are below 2^63. A branch per key would make crivo_contains_keys 10% slower.
bool may_decrease(const std::uint64_t* offsets, std::uint64_t count) noexcept {
  std::uint64_t seen = 0;
  for (std::uint64_t i = 0; i < count; ++i) seen |= offsets[i] | (offsets[i + 1] - offsets[i]);
  return (seen >> 63) != 0;
}

void check_offsets(const crivo_keys& keys) {
  check_array("keys.offsets", keys.offsets, keys.count + 1, sizeof(std::uint64_t), alignof(uint64_t));
  const bool search = may_decrease(keys.offsets, keys.count);
  for (std::uint64_t i = 0; search && i < keys.count; ++i) {
    if (keys.offsets[i] > keys.offsets[i + 1]) {
      throw Refused("keys.offsets must never decrease, got " + std::to_string(keys.offsets[i]) + " before " +
                    std::to_string(keys.offsets[i + 1]));
    }
  }
  if (keys.offsets[keys.count] > keys.bytes_size) {
    throw Refused("keys.offsets must be at most bytes_size, " + std::to_string(keys.bytes_size) + ", got " +
                  std::to_string(keys.offsets[keys.count]));
  }
}

void check_width(const crivo_keys& keys) {
  // Keys of width 0 have no bytes, so bytes_size would not limit a wrong count.
  if (keys.width == 0) throw Refused("keys.width must be at least 1 without offsets, got 0");
  if (keys.count <= keys.bytes_size / keys.width) return;
  throw Refused("keys.count must be at most bytes_size / width, " + std::to_string(keys.bytes_size / keys.width) +
                ", got " + std::to_string(keys.count));
}

}  // namespace

void check_pointer(const char* name, const void* pointer, std::size_t alignment) {
  if (pointer == nullptr) throw Refused(std::string(name) + " must not be NULL");
  if (reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0) return;
  throw Refused(std::string(name) + " must be aligned to " + std::to_string(alignment) +
                " bytes, got a misaligned address");
}

void check_array(const char* name, const void* pointer, std::uint64_t count, std::size_t element_bytes,
                 std::size_t alignment) {
  if (count == 0) return;
  check_pointer(name, pointer, alignment);
  if (count <= kMaxObjectBytes / element_bytes) return;
  throw Refused(std::string(name) + " must have at most " + std::to_string(kMaxObjectBytes / element_bytes) +
                (element_bytes == 1 ? " bytes, got " : " elements, got ") + std::to_string(count));
}

std::string_view checked_key(const void* key, std::size_t bytes) {
  if (is_key(key, bytes)) return key_view(key, bytes);
  if (key == nullptr) throw Refused("key must not be NULL with key_bytes above 0, got " + std::to_string(bytes));
  throw Refused("key_bytes must be at most " + std::to_string(kMaxObjectBytes) + ", got " + std::to_string(bytes));
}

std::span<const std::uint64_t> checked_hashes(const std::uint64_t* hashes, std::uint64_t count, const char* name) {
  check_array(name, hashes, count, sizeof *hashes, alignof(std::uint64_t));
  return std::span(hashes, static_cast<std::size_t>(count));
}

Keys::Keys(const crivo_keys* keys) {
  check_given("keys", keys);
  keys_ = *keys;
  if (keys_.count == 0) return;
  check_array("keys.bytes", keys_.bytes, keys_.bytes_size, 1, 1);
  if (keys_.count > kMaxObjectBytes / sizeof(std::uint64_t) - 1) {
    throw Refused("keys.count must be at most " + std::to_string(kMaxObjectBytes / sizeof(std::uint64_t) - 1) +
                  ", got " + std::to_string(keys_.count));
  }
  keys_.offsets != nullptr ? check_offsets(keys_) : check_width(keys_);
}

void check_size(const char* name, std::size_t size, std::size_t known, std::size_t alignment) {
  if (size > sizeof size && size <= kMaxStructBytes && size % alignment == 0) return;
  throw Refused(std::string(name) + ".size must be sizeof the structure, " + std::to_string(known) +
                " in this version, got " + std::to_string(size));
}

Request read_options(const crivo_options* options, Kind by_default) {
  Request request{.spec = {.kind = by_default, .fp_rate = default_fp_rate(by_default)}};
  unwrap(check_isa());
  if (options == nullptr) return request;
  const crivo_options known = read_struct("options", options);
  if (known.reserved != 0) throw Refused("options.reserved must be 0, got " + std::to_string(known.reserved));
  if (known.kind != nullptr) unwrap(choose_kind(request.spec, known.kind));
  request.spec.fp_rate = default_fp_rate(request.spec.kind);
  choose_size(request.spec, known);
  request.spec.seed = known.seed;
  if (known.max_bytes != 0) request.options.max_bytes = known.max_bytes;
  request.options.threads = known.threads;
  if (known.max_memory != 0) request.options.max_memory = known.max_memory;
  if (known.temp_folder != nullptr) request.options.temp_folder = known.temp_folder;
  if (known.progress != nullptr) {
    request.options.progress = [callback = known.progress, data = known.progress_data](double done) {
      return callback(done, data) == 0;
    };
  }
  return request;
}

SketchRequest read_sketch_options(const crivo_sketch_options* options) {
  const crivo_sketch_options known = read_struct("options", options);
  SketchSpec spec{.symbols = known.symbols, .first = known.first, .seed = known.seed};
  if (known.keys != nullptr) unwrap(choose_sketch_keys(spec, known.keys));
  return {spec, known.max_bytes == 0 ? UINT64_MAX : known.max_bytes};
}

ReadLimits read_limits(const crivo_limits* limits) {
  unwrap(check_isa());
  if (limits == nullptr) return {};
  const crivo_limits known = read_struct("limits", limits);
  if (known.max_bytes == 0) return {};
  return {.max_bytes = known.max_bytes};
}

Form checked_form(int32_t form, int32_t level, BlobForm automatic) {
  if (level == 0) level = kDefaultCompressionLevel;
  if (level < kMinCompressionLevel || level > kMaxCompressionLevel) {
    throw Refused("level must be 0 or in [1, 22], got " + std::to_string(level));
  }
  switch (form) {
    case CRIVO_FORM_AUTO:
      return {automatic, level};
    case CRIVO_FORM_RAW:
      return {BlobForm::kRaw, level};
    case CRIVO_FORM_SMALLEST:
      return {BlobForm::kSmallest, level};
    case CRIVO_FORM_MAPPABLE:
      return {BlobForm::kMappable, level};
    default:
      throw Refused("form must be CRIVO_FORM_AUTO (0), _RAW (1), _SMALLEST (2) or _MAPPABLE (3), got " +
                    std::to_string(form));
  }
}

std::uint32_t capability_bits(const Capabilities& can) noexcept {
  const auto bit = [](bool has, unsigned value) { return has ? value : 0U; };
  return bit(can.add, CRIVO_CAN_ADD) | bit(can.remove, CRIVO_CAN_REMOVE) | bit(can.count, CRIVO_CAN_COUNT) |
         bit(can.unite, CRIVO_CAN_UNITE) | bit(can.intersect, CRIVO_CAN_INTERSECT) | bit(can.grow, CRIVO_CAN_GROW) |
         bit(can.range, CRIVO_CAN_RANGE) | bit(can.find, CRIVO_CAN_FIND) | bit(can.exact, CRIVO_CAN_EXACT) |
         bit(can.advance, CRIVO_CAN_ADVANCE);
}

}  // namespace crivo::c
