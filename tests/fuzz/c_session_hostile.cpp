// Calls with valid and invalid arguments. A rejected call changes nothing.
#include "c_session.h"
#include "c_session_arguments.h"
#include "require.h"

namespace crivo::testing {
namespace {

/// The objects that a call can make.
struct Made {
  crivo_filter* filter = nullptr;
  crivo_builder* builder = nullptr;
};

crivo_status make(unsigned function, Arguments& draw, Memory& m, Made& made, crivo_filter* filter,
                  crivo_builder* builder, crivo_error* error) {
  switch (function) {
    case 0:
      return crivo_hash_keys(draw.pointer(&m.keys), 0, draw.pointer(m.words.data()), error);
    case 1:
      return crivo_build(nullptr, draw.pointer(&m.keys), draw.pointer(&made.filter), error);
    case 2:
      return crivo_build_from_hashes(nullptr, draw.pointer(m.words.data()), draw.size(m.words.size()),
                                     draw.pointer(&made.filter), error);
    case 3:
      return crivo_copy(draw.handle(filter), draw.pointer(&made.filter), error);
    case 4:
      return crivo_drop_counts(draw.handle(filter), draw.pointer(&made.filter), error);
    case 5:
      return crivo_builder_create(nullptr, draw.pointer(&made.builder), error);
    case 6:
      return crivo_builder_add(draw.handle(builder), draw.pointer(m.bytes.data()), draw.size(m.bytes.size()), error);
    case 7:
      return crivo_builder_add_keys(draw.handle(builder), draw.pointer(&m.keys), error);
    case 8:
      return crivo_builder_add_hashes(draw.handle(builder), draw.pointer(m.words.data()), draw.size(m.words.size()),
                                      error);
    case 9:
      return crivo_builder_finish(draw.handle(builder), draw.pointer(&made.filter), error);
    case 10:
      return crivo_read(draw.pointer(m.blob.data()), draw.size(m.blob.size()), nullptr, draw.pointer(&made.filter),
                        error);
    default:
      return crivo_borrow(draw.pointer(m.blob.data()), draw.size(m.blob.size()), nullptr, draw.pointer(&made.filter),
                          error);
  }
}

/// Makes a filter of keys with values, through a builder of maps.
crivo_status make_with_values(unsigned function, Arguments& draw, Memory& m, Made& made, crivo_builder* builder,
                              crivo_error* error) {
  switch (function) {
    case 0:
      return crivo_build_map(nullptr, draw.pointer(&m.keys), draw.pointer(m.words.data()), draw.pointer(&made.filter),
                             error);
    case 1:
      return crivo_build_exact(nullptr, draw.pointer(&m.keys), draw.pointer(&m.keys), draw.pointer(&made.filter),
                               error);
    case 2:
      return crivo_builder_add_value(draw.handle(builder), draw.pointer(m.bytes.data()), draw.size(m.bytes.size()),
                                     draw.any<std::uint64_t>(), error);
    case 3:
      return crivo_builder_add_values(draw.handle(builder), draw.pointer(&m.keys), draw.pointer(m.words.data()), error);
    default:
      return crivo_builder_add_hash_values(draw.handle(builder), draw.pointer(m.words.data()),
                                           draw.pointer(m.words.data()), draw.size(m.words.size()), error);
  }
}

crivo_status ask(unsigned function, Arguments& draw, Memory& m, crivo_filter* filter, crivo_error* error) {
  const auto status_of = [](std::int32_t answer) { return answer < 0 ? -answer : CRIVO_OK; };
  switch (function) {
    case 0:
      return status_of(crivo_contains(draw.handle(filter), draw.pointer(m.bytes.data()), draw.size(64), error));
    case 1:
      return status_of(crivo_contains_hash(draw.handle(filter), draw.any<std::uint64_t>(), error));
    case 2:
      return crivo_contains_keys(draw.handle(filter), draw.pointer(&m.keys), draw.pointer(m.hits.data()), error);
    case 3:
      return crivo_contains_hashes(draw.handle(filter), draw.pointer(m.words.data()), draw.size(m.words.size()),
                                   draw.pointer(m.hits.data()), error);
    case 4:
      return crivo_count(draw.handle(filter), draw.pointer(m.bytes.data()), draw.size(64), draw.pointer(&m.number),
                         error);
    case 5:
      return status_of(
          crivo_find(draw.handle(filter), draw.pointer(m.bytes.data()), draw.size(64), draw.pointer(&m.number), error));
    case 6:
      return status_of(crivo_find_hash(draw.handle(filter), draw.any<std::uint64_t>(), draw.pointer(&m.number), error));
    case 7:
      return crivo_find_keys(draw.handle(filter), draw.pointer(&m.keys), draw.pointer(m.values.data()),
                             draw.pointer(m.hits.data()), error);
    case 8:
      return crivo_find_hashes(draw.handle(filter), draw.pointer(m.words.data()), draw.size(m.words.size()),
                               draw.pointer(m.values.data()), draw.pointer(m.hits.data()), error);
    default:
      return crivo_write(draw.handle(filter), draw.any<std::int32_t>() % 4, draw.any<std::int32_t>() % 25,
                         draw.pointer(m.blob.data()), draw.size(m.blob.size()), draw.pointer(&m.number), error);
  }
}

crivo_status change(unsigned function, Arguments& draw, Memory& m, crivo_filter* filter, crivo_filter* other,
                    crivo_error* error) {
  switch (function) {
    case 0:
      return crivo_add(draw.handle(filter), draw.pointer(m.bytes.data()), draw.size(64), error);
    case 1:
      return crivo_add_times(draw.handle(filter), draw.pointer(m.bytes.data()), draw.size(64),
                             draw.any<std::uint64_t>(), error);
    case 2:
      return crivo_remove(draw.handle(filter), draw.pointer(m.bytes.data()), draw.size(64), error);
    case 3:
      return crivo_clear(draw.handle(filter), error);
    case 4:
      return crivo_unite(draw.handle(filter), draw.handle(other), error);
    case 5:
      return crivo_intersect(draw.handle(filter), draw.handle(other), error);
    case 6:
      return crivo_add_keys(draw.handle(filter), draw.pointer(&m.keys), error);
    case 7:
      return crivo_advance(draw.handle(filter), draw.any<std::int64_t>(), error);
    default:
      return crivo_add_hashes(draw.handle(filter), draw.pointer(m.words.data()), draw.size(m.words.size()), error);
  }
}

/// The objects that a call for sketches can make.
struct OfSketches {
  crivo_sketch* sketch = nullptr;
  crivo_difference* difference = nullptr;
  crivo_sketch_facts facts{};
  crivo_keys keys{};
  const std::uint64_t* numbers = nullptr;
};

crivo_status change_sketch(unsigned function, Arguments& draw, Memory& m, crivo_sketch* sketch,
                           const crivo_sketch* other, crivo_error* error) {
  switch (function) {
    case 0:
      return crivo_sketch_add(draw.handle(sketch), draw.pointer(m.bytes.data()), draw.size(64), error);
    case 1:
      return crivo_sketch_remove(draw.handle(sketch), draw.pointer(m.bytes.data()), draw.size(64), error);
    case 2:
      return crivo_sketch_add_numbers(draw.handle(sketch), draw.pointer(m.words.data()), draw.size(m.words.size()),
                                      error);
    case 3:
      return crivo_sketch_remove_numbers(draw.handle(sketch), draw.pointer(m.words.data()), draw.size(m.words.size()),
                                         error);
    case 4:
      return crivo_sketch_combine(draw.handle(sketch), draw.handle(other), error);
    case 5:
      return crivo_sketch_append(draw.handle(sketch), draw.handle(other), error);
    case 6:
      return crivo_sketch_add_keys(draw.handle(sketch), draw.pointer(&m.keys), error);
    default:
      return crivo_sketch_remove_keys(draw.handle(sketch), draw.pointer(&m.keys), error);
  }
}

crivo_status use_sketch(unsigned function, Arguments& draw, Memory& m, OfSketches& made, const crivo_sketch* sketch,
                        const crivo_sketch* other, const crivo_difference* difference, crivo_error* error) {
  crivo_sketch_options options{};
  options.size = sizeof options;
  options.symbols = 1;
  made.facts.size = sizeof made.facts;
  switch (function) {
    case 8:
      return crivo_sketch_create(draw.pointer(&options), draw.pointer(&made.sketch), error);
    case 9:
      return crivo_sketch_get_facts(draw.handle(sketch), draw.pointer(&made.facts), error);
    case 10:
      return crivo_sketch_write(draw.handle(sketch), draw.pointer(m.blob.data()), draw.size(m.blob.size()), error);
    case 11:
      return crivo_sketch_read(draw.pointer(m.blob.data()), draw.size(m.blob.size()), nullptr,
                               draw.pointer(&made.sketch), error);
    case 12:
      return crivo_difference_keys(draw.handle(difference), draw.any<std::int32_t>() % 4, draw.pointer(&made.keys),
                                   error);
    case 13:
      return crivo_difference_numbers(draw.handle(difference), draw.any<std::int32_t>() % 4,
                                      draw.pointer(&made.numbers), draw.pointer(&m.number), error);
    default:
      return crivo_find_difference(draw.handle(sketch), draw.handle(other), draw.pointer(&made.difference), error);
  }
}

}  // namespace

void CSession::call_with_anything() {
  const Slot& slot = take_slot();
  crivo_filter* copied = nullptr;
  if (slot.filter != nullptr) {
    require(crivo_copy(slot.filter.get(), &copied, nullptr) == CRIVO_OK, "a filter can be copied");
  }
  const Filter copy(copied);
  const Blob before = copied != nullptr ? raw_blob(copied) : Blob();
  Arguments draw(input_);
  Memory memory(input_, draw);
  if (input_.take_below(2) == 0 && before.size() <= memory.blob.size()) {
    std::copy(before.begin(), before.end(), memory.blob.begin());
  }
  crivo_error* error = draw.pointer(&memory.error);
  const unsigned group = input_.take_below(4);
  crivo_builder* started = nullptr;
  crivo_options options{};
  options.size = sizeof options;
  options.kind = "map";
  require(
      group == 1 || group == 2 || crivo_builder_create(group == 3 ? &options : nullptr, &started, nullptr) == CRIVO_OK,
      "a builder needs no options but a kind");
  const Builder builder(started);
  const unsigned function = input_.take_below(12);
  Made made;
  const crivo_status status = group == 0   ? make(function, draw, memory, made, copied, started, error)
                              : group == 1 ? ask(function, draw, memory, copied, error)
                              : group == 2 ? change(function % 8, draw, memory, copied, slot.filter.get(), error)
                                           : make_with_values(function % 5, draw, memory, made, started, error);
  require(status >= CRIVO_OK && status <= CRIVO_CANCELLED, "a status is one that fits");
  if (error == &memory.error) require_status(status, memory.error);
  crivo_free(made.filter);
  crivo_builder_free(made.builder);
  const bool may_change_in_part = status == CRIVO_FULL || status == CRIVO_TOO_LARGE;
  if (copied != nullptr && (group != 2 || (status != CRIVO_OK && !may_change_in_part))) {
    require(raw_blob(copied) == before, "a question and a failure change nothing");
  }
}

/// A batch with an invalid key may add the keys before it.
void SketchSession::call_with_anything() {
  const Slot& slot = take_slot();
  const Slot& other = take_slot();
  Sketch copy;
  Blob before;
  Difference difference;
  if (slot.sketch != nullptr) {
    before = blob_of(slot.sketch.get());
    const crivo_limits no_limit = limits_of(UINT64_MAX);
    crivo_sketch* read = nullptr;
    require(crivo_sketch_read(before.data(), before.size(), &no_limit, &read, nullptr) == CRIVO_OK, "it is read");
    copy.reset(read);
    if (slot.facts.first == 0) {
      crivo_difference* nothing = nullptr;
      require(crivo_find_difference(read, read, &nothing, nullptr) == CRIVO_OK && nothing != nullptr, "it has one");
      difference.reset(nothing);
    }
  }
  Arguments draw(input_);
  Memory memory(input_, draw);
  if (before.size() <= memory.blob.size()) std::copy(before.begin(), before.end(), memory.blob.begin());
  crivo_error* const error = draw.pointer(&memory.error);
  const unsigned function = input_.take_below(15);
  OfSketches made;
  const crivo_status status =
      function < 8 ? change_sketch(function, draw, memory, copy.get(), other.sketch.get(), error)
                   : use_sketch(function, draw, memory, made, copy.get(), other.sketch.get(), difference.get(), error);
  require(status >= CRIVO_OK && status <= CRIVO_TOO_LARGE, "a status is one that fits");
  if (error == &memory.error) require_status(status, memory.error);
  crivo_sketch_free(made.sketch);
  crivo_difference_free(made.difference);
  const bool may_change = function < 8 && (function >= 6 || status == CRIVO_OK);
  require(copy == nullptr || may_change || blob_of(copy.get()) == before, "a question and a failure change nothing");
}

}  // namespace crivo::testing
