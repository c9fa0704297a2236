// Sketches of sets, and the differences that they yield.
#include "crivo/sketch.h"

#include "arguments.h"
#include "boundary.h"
#include "handle.h"

struct crivo_sketch {
  explicit crivo_sketch(crivo::Sketch made) noexcept : sketch(std::move(made)) {}
  crivo::Sketch sketch;
};

struct crivo_difference {
  crivo::SetDifference sides;
  crivo::SketchKeys keys;
  unsigned key_bytes;
  std::vector<std::uint64_t> numbers[2];  // the keys of both sides; empty for byte strings
};

namespace crivo::c {
namespace {

template <class Work>
crivo_status change(crivo_sketch* sketch, crivo_error* error, Work&& work) noexcept {
  return guarded(error, [&] {
    check_given("sketch", sketch);
    return work(sketch->sketch);
  });
}

/// Calls (sketch.*how)(other). `other` may be the same object as `sketch`.
crivo_status change_by(crivo_sketch* sketch, const char* name, const crivo_sketch* other, crivo_error* error,
                       Result<void> (Sketch::*how)(const Sketch&)) noexcept {
  return change(sketch, error, [&](Sketch& into) {
    check_given(name, other);
    return (into.*how)(other->sketch);
  });
}

crivo_status change_by_keys(crivo_sketch* sketch, const crivo_keys* keys, crivo_error* error,
                            Result<void> (Sketch::*how)(std::string_view)) noexcept {
  return change(sketch, error, [&](Sketch& into) {
    return Keys(keys).for_each_batch([&](std::span<const std::string_view> batch) -> Result<void> {
      for (const std::string_view key : batch) {
        if (auto done = (into.*how)(key); !done) return done;
      }
      return {};
    });
  });
}

std::unique_ptr<crivo_difference> handle_of(SetDifference found, const SketchSpec& spec) {
  auto made = std::make_unique<crivo_difference>(crivo_difference{std::move(found), spec.keys, spec.key_bytes, {}});
  if (spec.keys == SketchKeys::kBytes) return made;
  for (const int side : {0, 1}) {
    const SketchedKeys& keys = side == 0 ? made->sides.only_first : made->sides.only_second;
    for (std::size_t i = 0; i < keys.size(); ++i) made->numbers[side].push_back(keys.number(i));
  }
  return made;
}

void check_side(int32_t side) {
  if (side != 0 && side != 1) throw Refused("side must be 0 or 1, got " + std::to_string(side));
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

uint64_t crivo_sketch_symbols(uint64_t difference) { return sketch_symbols(difference); }

crivo_status crivo_sketch_create(const crivo_sketch_options* options, crivo_sketch** sketch, crivo_error* error) {
  return hand_out("sketch", sketch, error, [&] {
    const SketchRequest request = read_sketch_options(options);
    return Sketch::create(request.spec, request.max_bytes);
  });
}

crivo_status crivo_sketch_add(crivo_sketch* sketch, const void* key, size_t key_bytes, crivo_error* error) {
  return change(sketch, error, [&](Sketch& into) { return into.add(checked_key(key, key_bytes)); });
}

crivo_status crivo_sketch_remove(crivo_sketch* sketch, const void* key, size_t key_bytes, crivo_error* error) {
  return change(sketch, error, [&](Sketch& into) { return into.remove(checked_key(key, key_bytes)); });
}

crivo_status crivo_sketch_add_keys(crivo_sketch* sketch, const crivo_keys* keys, crivo_error* error) {
  return change_by_keys(sketch, keys, error, &Sketch::add);
}

crivo_status crivo_sketch_remove_keys(crivo_sketch* sketch, const crivo_keys* keys, crivo_error* error) {
  return change_by_keys(sketch, keys, error, &Sketch::remove);
}

crivo_status crivo_sketch_add_numbers(crivo_sketch* sketch, const uint64_t* numbers, uint64_t count,
                                      crivo_error* error) {
  return change(sketch, error,
                [&](Sketch& into) { return into.add_numbers(checked_hashes(numbers, count, "numbers")); });
}

crivo_status crivo_sketch_remove_numbers(crivo_sketch* sketch, const uint64_t* numbers, uint64_t count,
                                         crivo_error* error) {
  return change(sketch, error,
                [&](Sketch& into) { return into.remove_numbers(checked_hashes(numbers, count, "numbers")); });
}

crivo_status crivo_sketch_combine(crivo_sketch* sketch, const crivo_sketch* other, crivo_error* error) {
  return change_by(sketch, "other", other, error, &Sketch::combine);
}

crivo_status crivo_sketch_append(crivo_sketch* sketch, const crivo_sketch* next, crivo_error* error) {
  return change_by(sketch, "next", next, error, &Sketch::append);
}

crivo_status crivo_sketch_get_facts(const crivo_sketch* sketch, crivo_sketch_facts* facts, crivo_error* error) {
  return fill_in("facts", facts, error, [&]() -> Result<crivo_sketch_facts> {
    check_given("sketch", sketch);
    const SketchSpec& spec = sketch->sketch.spec();
    return crivo_sketch_facts{0,
                              spec.symbols,
                              spec.first,
                              spec.seed,
                              sketch->sketch.keys(),
                              static_cast<std::uint32_t>(spec.keys),
                              spec.key_bytes};
  });
}

uint64_t crivo_sketch_bytes(const crivo_sketch* sketch) { return is_given(sketch) ? sketch->sketch.blob_bytes() : 0; }

crivo_status crivo_sketch_write(const crivo_sketch* sketch, void* buffer, uint64_t buffer_bytes, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("sketch", sketch);
    check_array("buffer", buffer, buffer_bytes, 1, 1);
    const std::uint64_t bytes = sketch->sketch.blob_bytes();
    if (buffer_bytes < bytes) {
      return Error{ErrorCode::kTooLarge,
                   "buffer_bytes must be at least " + std::to_string(bytes) + ", got " + std::to_string(buffer_bytes)};
    }
    std::ranges::copy(sketch->sketch.to_blob(), static_cast<std::byte*>(buffer));
    return {};
  });
}

crivo_status crivo_sketch_read(const void* blob, uint64_t blob_bytes, const crivo_limits* limits, crivo_sketch** sketch,
                               crivo_error* error) {
  return hand_out("sketch", sketch, error, [&] {
    check_array("blob", blob, blob_bytes, 1, 1);
    return Sketch::parse({static_cast<const std::byte*>(blob), static_cast<std::size_t>(blob_bytes)},
                         read_limits(limits));
  });
}

void crivo_sketch_free(crivo_sketch* sketch) {
  if (is_given(sketch)) delete sketch;
}

crivo_status crivo_find_difference(const crivo_sketch* first, const crivo_sketch* second, crivo_difference** difference,
                                   crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("difference", difference);
    check_given("first", first);
    check_given("second", second);
    Sketch left = first->sketch;
    if (auto done = left.subtract(second->sketch); !done) return done;
    Result<std::optional<SetDifference>> found = left.decode();
    if (!found.has_value()) return found.error();
    *difference = found->has_value() ? handle_of(**std::move(found), left.spec()).release() : nullptr;
    return {};
  });
}

crivo_status crivo_difference_keys(const crivo_difference* difference, int32_t side, crivo_keys* keys,
                                   crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("difference", difference);
    check_given("keys", keys);
    check_side(side);
    const SketchedKeys& found = side == 0 ? difference->sides.only_first : difference->sides.only_second;
    const std::string_view bytes = found.bytes();
    *keys = {bytes.data(), bytes.size(), nullptr, difference->key_bytes, found.size()};
    return {};
  });
}

crivo_status crivo_difference_numbers(const crivo_difference* difference, int32_t side, const uint64_t** numbers,
                                      uint64_t* count, crivo_error* error) {
  return guarded(error, [&]() -> Result<void> {
    check_given("difference", difference);
    check_given("numbers", numbers);
    check_given("count", count);
    check_side(side);
    const std::vector<std::uint64_t>& of_side = difference->numbers[side];
    if (difference->keys == SketchKeys::kBytes) {
      return Error{ErrorCode::kUnsupported, "keys must be hashes or integers, got byte strings"};
    }
    *numbers = of_side.data();
    *count = of_side.size();
    return {};
  });
}

void crivo_difference_free(crivo_difference* difference) {
  if (is_given(difference)) delete difference;
}
