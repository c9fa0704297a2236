// Sketches are made, changed and continued. A sketch depends only on its set: after any changes, it has the bytes of a
// sketch that is made from the model at once.
#include "c_session_sketches.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "blob_surgery.h"
#include "c_session_calls.h"
#include "crivo/host/bytes.h"
#include "require.h"

namespace crivo::testing {
namespace {

constexpr const char* kKinds[] = {nullptr,    "hashes",  "integers", "bytes:1",  "bytes:7", "bytes:13",
                                  "bytes:32", "bytes:8", "bytes:0",  "bytes:33", "words",   "bytes:4294967297"};
constexpr unsigned kSoundKinds = 8;
constexpr std::int64_t kMaxCopies = 8;  // the maximum for which the test makes the model's sketch, one copy at a time

/// Returns the function that removes, or the one that adds.
template <class Function>
Function one_of(bool removes, Function add, Function remove) {
  return removes ? remove : add;
}

}  // namespace

std::string SketchSession::key_in(const crivo_sketch_facts& facts, unsigned id) {
  if (facts.key_type == 1) return std::string(facts.key_bytes - 1, 'k') + static_cast<char>(id);
  std::string bytes(sizeof(std::uint64_t), '\0');
  store_le(reinterpret_cast<std::byte*>(bytes.data()), number_in(facts, id));
  return bytes;
}

std::uint64_t SketchSession::number_in(const crivo_sketch_facts& facts, unsigned id) {
  if (facts.key_type == 0) return crivo_hash_key(key(id).data(), key(id).size(), facts.seed);
  return id * 0x9E3779B97F4A7C15;  // of both signs, and 0 for the first key
}

crivo_sketch_facts SketchSession::facts_of(const crivo_sketch* sketch) {
  crivo_sketch_facts facts{};
  facts.size = sizeof facts;
  require(crivo_sketch_get_facts(sketch, &facts, nullptr) == CRIVO_OK, "a sketch has facts");
  return facts;
}

SketchSession::Blob SketchSession::blob_of(const crivo_sketch* sketch) {
  Blob blob(crivo_sketch_bytes(sketch));
  require(crivo_sketch_write(sketch, blob.data(), blob.size(), nullptr) == CRIVO_OK, "a sketch can be written");
  return blob;
}

std::uint64_t SketchSession::net_keys_of(const crivo_sketch* sketch) {
  const Blob blob = blob_of(sketch);
  return get(std::as_bytes(std::span(blob)), header::kKeys);
}

/// Adds or removes a key in the form in which crivo_difference_keys returns it.
void SketchSession::change_by(crivo_sketch* sketch, const crivo_sketch_facts& facts, const std::string& key,
                              bool removes) {
  crivo_status status = CRIVO_OK;
  if (facts.key_type == 1) {
    status = one_of(removes, &crivo_sketch_add, &crivo_sketch_remove)(sketch, key.data(), key.size(), nullptr);
  } else {
    const auto number = load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(key.data()));
    status = one_of(removes, &crivo_sketch_add_numbers, &crivo_sketch_remove_numbers)(sketch, &number, 1, nullptr);
  }
  require(status == CRIVO_OK, "a key that fits is taken");
}

/// A new sketch with these facts, and with this number of copies of each key.
SketchSession::Sketch SketchSession::made_of(const crivo_sketch_facts& facts, const Counts& counts) {
  const std::string kind = facts.key_type == 0   ? "hashes"
                           : facts.key_type == 2 ? "integers"
                                                 : "bytes:" + std::to_string(facts.key_bytes);
  crivo_sketch_options options{};
  options.size = sizeof options;
  options.keys = kind.c_str();
  options.symbols = facts.symbols;
  options.first = facts.first;
  options.seed = facts.seed;
  crivo_sketch* made = nullptr;
  require(crivo_sketch_create(&options, &made, nullptr) == CRIVO_OK, "facts of a sketch make another");
  for (const bool removes : {true, false}) {
    for (unsigned id = 0; id < kKeys; ++id) {
      for (std::int64_t left = removes ? -counts[id] : counts[id]; left > 0; --left) {
        change_by(made, facts, key_in(facts, id), removes);
      }
    }
  }
  return Sketch(made);
}

void SketchSession::create() {
  Slot& slot = take_slot();
  crivo_sketch_options options{};
  options.size = sizeof options;
  const unsigned kind = input_.take_below(64);
  options.keys = kKinds[kind < std::size(kKinds) ? kind : kind % kSoundKinds];
  options.symbols = 1 + 2 * std::uint64_t{input_.take<std::uint8_t>()};
  options.max_bytes = kMaxBytes;
  alignas(crivo_sketch_options) std::array<unsigned char, 4096> bytes{};  // a larger `size` is rejected
  const unsigned odd = input_.take_below(16);
  if (odd == 1) options.seed = input_.take<std::uint64_t>();
  if (odd == 2) options.first = input_.take_below(2) == 1 ? input_.take<std::uint8_t>() : input_.take<std::uint64_t>();
  if (odd == 3) options.symbols = input_.take<std::uint64_t>();
  if (odd == 4) options.max_bytes = 1 + input_.take<std::uint16_t>();
  if (odd == 5) {
    options.size = input_.take<std::uint16_t>();
    bytes[input_.take<std::uint16_t>() % bytes.size()] = input_.take<std::uint8_t>() & 1;  // may be after the structure
  }
  std::memcpy(bytes.data(), &options, sizeof options);
  crivo_sketch* made = nullptr;
  const crivo_status status =
      checked(crivo_sketch_create, reinterpret_cast<const crivo_sketch_options*>(bytes.data()), &made);
  require((status == CRIVO_OK) == (made != nullptr), "a sketch is made, or there is an error");
  const bool is_sound = (kind < kSoundKinds || kind >= std::size(kKinds)) && (odd < 2 || odd > 5);
  require(status == CRIVO_OK || !is_sound, "what is sound is made");
  if (made == nullptr) return;
  slot = {};
  slot.sketch.reset(made);
  slot.facts = facts_of(made);
  require(slot.facts.keys == 0, "a new sketch has no keys");
  require(odd == 5 || (slot.facts.symbols == options.symbols && slot.facts.first == options.first &&
                       slot.facts.seed == options.seed),
          "a sketch is what was asked for");
  require(crivo_sketch_bytes(made) <= 64 + options.max_bytes || odd == 5, "a sketch is no larger than its limit");
}

/// Notes that `copies` of a key were added, or removed if negative.
void SketchSession::note(Slot& slot, unsigned id, std::int64_t copies) {
  std::int64_t& count = slot.counts[id];
  count += copies;
  if (count > kMaxCopies || count < -kMaxCopies) slot.is_known = false;
}

void SketchSession::change() {
  Slot& slot = take_slot();
  const Run run(input_);
  const bool removes = input_.take_below(2) == 1;
  const unsigned how = input_.take_below(4);
  if (slot.sketch == nullptr) return;
  crivo_sketch* const sketch = slot.sketch.get();
  // One buffer of keys with the sketch's width, or keys of any length.
  std::string bytes;
  for (const unsigned id : run.ids()) bytes += key_in(slot.facts, id);
  const bool fits = slot.facts.key_type == 1 && how != 1;
  const crivo_keys keys =
      fits ? crivo_keys{bytes.data(), bytes.size(), nullptr, slot.facts.key_bytes, run.count()} : run.keys();
  const auto is_taken = [&](unsigned id) {
    return slot.facts.key_type == 0 || (slot.facts.key_type == 1 && (fits || key(id).size() == slot.facts.key_bytes));
  };
  std::uint64_t taken = 0;
  crivo_status status = CRIVO_OK;
  if (how == 0) {
    std::vector<std::uint64_t> numbers;
    for (const unsigned id : run.ids()) numbers.push_back(number_in(slot.facts, id));
    status = checked(one_of(removes, &crivo_sketch_add_numbers, &crivo_sketch_remove_numbers), sketch, numbers.data(),
                     numbers.size());
    require(status == (slot.facts.key_type == 1 ? CRIVO_BAD_ARGUMENT : CRIVO_OK),
            "numbers are taken where they are keys");
    taken = status == CRIVO_OK ? run.count() : 0;
  } else {
    taken =
        static_cast<std::uint64_t>(std::find_if_not(run.ids().begin(), run.ids().end(), is_taken) - run.ids().begin());
    const crivo_status expected = taken == run.count() ? CRIVO_OK : CRIVO_BAD_ARGUMENT;
    if (how == 3) {
      for (std::uint64_t i = 0; i < run.count() && status == CRIVO_OK; ++i) {
        const std::string one = fits ? key_in(slot.facts, run.id(i)) : key(run.id(i));
        status = checked(one_of(removes, &crivo_sketch_add, &crivo_sketch_remove), sketch, one.data(), one.size());
      }
    } else {
      status = checked(one_of(removes, &crivo_sketch_add_keys, &crivo_sketch_remove_keys), sketch, &keys);
    }
    require(status == expected, "keys are taken up to one of another length");
  }
  for (std::uint64_t i = 0; i < taken; ++i) note(slot, run.id(i), removes ? -1 : 1);
  slot.facts.keys += removes ? 0 - taken : taken;
}

void SketchSession::combine() {
  Slot& into = take_slot();
  const Slot& other = take_slot();
  const crivo_status status = checked(crivo_sketch_combine, into.sketch.get(), other.sketch.get());
  if (into.sketch == nullptr || other.sketch == nullptr) {
    return require(status == CRIVO_BAD_ARGUMENT, "no sketch is not combined");
  }
  const bool fits = have_same_keys(into.facts, other.facts) && into.facts.symbols == other.facts.symbols &&
                    into.facts.first == other.facts.first;
  require(status == (fits ? CRIVO_OK : CRIVO_INCOMPATIBLE), "sketches with the same options are combined");
  if (!fits) return;
  const Counts counts = other.counts;
  into.is_known = into.is_known && other.is_known;
  for (unsigned id = 0; into.is_known && id < kKeys; ++id) note(into, id, counts[id]);
  into.facts.keys += other.facts.keys;
}

void SketchSession::append() {
  constexpr std::uint64_t kMaxSymbols = 1200;
  Slot& slot = take_slot();
  const Slot& other = take_slot();
  const bool is_honest = input_.take_below(4) != 0;
  const std::uint64_t more = 1 + input_.take<std::uint8_t>();
  if (slot.sketch == nullptr || slot.facts.symbols + more > kMaxSymbols) return;
  crivo_sketch_facts next_facts = slot.facts;
  next_facts.first += slot.facts.symbols;
  next_facts.symbols = more;
  if (!is_honest || !slot.is_known || next_facts.first + more > std::uint64_t{1} << 32) {
    if (other.sketch == nullptr || other.facts.symbols > kMaxSymbols) return;
    const Counts counts = other.counts;
    const std::uint64_t symbols = other.facts.symbols;
    const bool fits = have_same_keys(slot.facts, other.facts) && other.facts.first == next_facts.first &&
                      other.facts.keys == slot.facts.keys;
    const bool is_same_set = slot.is_known && other.is_known && counts == slot.counts;
    const crivo_status status = checked(crivo_sketch_append, slot.sketch.get(), other.sketch.get());
    require(status == (fits ? CRIVO_OK : CRIVO_INCOMPATIBLE), "the next symbols of as many keys are appended");
    if (!fits) return;
    slot.facts.symbols += symbols;
    slot.is_known = is_same_set;
    return;
  }
  const bool was_decoded = is_decoded_alone(slot);
  const Sketch next = made_of(next_facts, slot.counts);
  const bool fits = net_keys_of(next.get()) == slot.facts.keys;
  const crivo_status status = checked(crivo_sketch_append, slot.sketch.get(), next.get());
  require(status == (fits ? CRIVO_OK : CRIVO_INCOMPATIBLE), "the next symbols of as many keys are appended");
  if (!fits) return;
  slot.facts.symbols += more;
  require(!was_decoded || is_decoded_alone(slot), "more symbols tell as much");
}

void SketchSession::describe() {
  const crivo_sketch* const sketch = take_slot().sketch.get();
  const std::size_t size = input_.take_below(4) == 0 ? input_.take<std::uint16_t>() : 8 * input_.take_below(20);
  describe_into<crivo_sketch_facts>(size, [sketch](crivo_sketch_facts* facts, crivo_error* error) {
    return crivo_sketch_get_facts(sketch, facts, error);
  });
}

void SketchSession::check_slot(Slot& slot) {
  if (slot.sketch == nullptr) return;
  const crivo_sketch_facts facts = facts_of(slot.sketch.get());
  crivo_sketch_facts expected = slot.facts;
  if (expected.keys >> 63 != 0) expected.keys = 0;
  require(std::memcmp(&facts, &expected, sizeof facts) == 0, "the facts are those of the calls");
  require(net_keys_of(slot.sketch.get()) == slot.facts.keys, "keys are counted, also below 0");
  if (!slot.is_known) return;
  require(blob_of(slot.sketch.get()) == blob_of(made_of(facts, slot.counts).get()),
          "a sketch depends on its set alone");
}

void SketchSession::check() {
  for (Slot& slot : slots_) {
    if (std::exchange(slot.touched, false)) check_slot(slot);
  }
}

void SketchSession::step() {
  constexpr void (SketchSession::*kSteps[])() = {&SketchSession::create,         &SketchSession::change,
                                                 &SketchSession::change,         &SketchSession::combine,
                                                 &SketchSession::append,         &SketchSession::find_difference,
                                                 &SketchSession::write_and_read, &SketchSession::read_damaged,
                                                 &SketchSession::describe,       &SketchSession::call_with_anything};
  (this->*kSteps[input_.take_below(std::size(kSteps))])();
}

}  // namespace crivo::testing
