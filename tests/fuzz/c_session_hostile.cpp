// Calls with arguments that are each sound or not. A call that is refused changes nothing.
#include <type_traits>

#include "c_session.h"
#include "require.h"

namespace crivo::testing {
namespace {

/// Draws arguments: most often a sound one, else one that a function must refuse.
class Arguments {
 public:
  explicit Arguments(Input& input) : input_(input) {}

  template <class T>
  T* pointer(T* sound) {
    switch (input_.take_below(8)) {
      case 0:
        return nullptr;
      case 1:
        return alignof(T) == 1 ? sound : reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(sound) | 1);
      default:
        return sound;
    }
  }
  /// The opaque types have an alignment that a caller cannot know.
  crivo_filter* handle(crivo_filter* sound) {
    return reinterpret_cast<crivo_filter*>(pointer(reinterpret_cast<std::uint64_t*>(sound)));
  }
  crivo_builder* handle(crivo_builder* sound) {
    return reinterpret_cast<crivo_builder*>(pointer(reinterpret_cast<std::uint64_t*>(sound)));
  }
  /// At most as much as there is, or more than any object has.
  std::uint64_t size(std::uint64_t sound) {
    const unsigned choice = input_.take_below(8);
    if (choice > 1) return sound;
    const std::uint64_t any = input_.take<std::uint64_t>();
    return choice == 0 ? any % (sound + 1) : any | std::uint64_t{1} << 63;
  }
  template <class T>
  T any() {
    return static_cast<T>(input_.take<std::make_unsigned_t<T>>());
  }

 private:
  Input& input_;
};

/// Sound memory for the arguments of one call.
struct Memory {
  std::array<char, 64> bytes{};
  std::array<std::uint64_t, 9> words{};  // offsets, and hashes
  std::array<std::uint8_t, 64> hits{};
  std::array<unsigned char, 4096> blob{};
  crivo_keys keys{};
  crivo_error error{};
  std::uint64_t number = 0;
  crivo_filter* made = nullptr;
  crivo_builder* made_builder = nullptr;

  Memory(Input& input, Arguments& draw) {
    for (std::uint64_t& word : words) word = input.take_below(80);
    if (input.take_below(2) == 0) std::sort(words.begin(), words.end());
    if (input.take_below(16) == 0) words[input.take_below(9)] = input.take<std::uint64_t>();
    keys.bytes = draw.pointer(bytes.data());
    keys.bytes_size = draw.size(bytes.size());
    keys.offsets = draw.pointer(words.data());
    keys.width = draw.size(8);
    keys.count = draw.size(words.size() - 1);
  }
};

crivo_status make(unsigned function, Arguments& draw, Memory& m, crivo_filter* filter, crivo_builder* builder,
                  crivo_error* error) {
  switch (function) {
    case 0:
      return crivo_hash_keys(draw.pointer(&m.keys), 0, draw.pointer(m.words.data()), error);
    case 1:
      return crivo_build(nullptr, draw.pointer(&m.keys), draw.pointer(&m.made), error);
    case 2:
      return crivo_build_from_hashes(nullptr, draw.pointer(m.words.data()), draw.size(m.words.size()),
                                     draw.pointer(&m.made), error);
    case 3:
      return crivo_copy(draw.handle(filter), draw.pointer(&m.made), error);
    case 4:
      return crivo_drop_counts(draw.handle(filter), draw.pointer(&m.made), error);
    case 5:
      return crivo_builder_create(nullptr, draw.pointer(&m.made_builder), error);
    case 6:
      return crivo_builder_add(draw.handle(builder), draw.pointer(m.bytes.data()), draw.size(m.bytes.size()), error);
    case 7:
      return crivo_builder_add_keys(draw.handle(builder), draw.pointer(&m.keys), error);
    case 8:
      return crivo_builder_add_hashes(draw.handle(builder), draw.pointer(m.words.data()), draw.size(m.words.size()),
                                      error);
    case 9:
      return crivo_builder_finish(draw.handle(builder), draw.pointer(&m.made), error);
    case 10:
      return crivo_read(draw.pointer(m.blob.data()), draw.size(m.blob.size()), nullptr, draw.pointer(&m.made), error);
    default:
      return crivo_borrow(draw.pointer(m.blob.data()), draw.size(m.blob.size()), nullptr, draw.pointer(&m.made), error);
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
    default:
      return crivo_add_hashes(draw.handle(filter), draw.pointer(m.words.data()), draw.size(m.words.size()), error);
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
  const unsigned group = input_.take_below(3);
  crivo_builder* started = nullptr;
  require(group != 0 || crivo_builder_create(nullptr, &started, nullptr) == CRIVO_OK, "a builder needs no options");
  const Builder builder(started);
  const unsigned function = input_.take_below(12);
  const crivo_status status = group == 0   ? make(function, draw, memory, copied, started, error)
                              : group == 1 ? ask(function % 6, draw, memory, copied, error)
                                           : change(function % 8, draw, memory, copied, slot.filter.get(), error);
  require(status >= CRIVO_OK && status <= CRIVO_CANCELLED, "a status is one that fits");
  if (error == &memory.error) require_status(status, memory.error);
  crivo_free(memory.made);
  crivo_builder_free(memory.made_builder);
  const bool may_change_in_part = status == CRIVO_FULL || status == CRIVO_TOO_LARGE;
  if (copied != nullptr && (group != 2 || (status != CRIVO_OK && !may_change_in_part))) {
    require(raw_blob(copied) == before, "a question and a failure change nothing");
  }
}

}  // namespace crivo::testing
