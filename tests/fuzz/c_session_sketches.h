// The sketches of one input of fuzz_c, each with its model: how often its set contains each key.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "c_session_draws.h"
#include "crivo.h"
#include "input.h"

namespace crivo::testing {

class SketchSession {
 public:
  explicit SketchSession(Input& input) : input_(input) {}

  /// Makes one of the calls below.
  void step();
  /// Compares every sketch that the last call may have changed with its model.
  void check();

 private:
  static constexpr unsigned kSlots = 3;

  using Sketch = std::unique_ptr<crivo_sketch, Free>;
  using Difference = std::unique_ptr<crivo_difference, Free>;
  using Blob = std::vector<std::uint8_t>;
  using Counts = std::array<std::int64_t, kKeys>;

  struct Slot {
    Sketch sketch;
    crivo_sketch_facts facts{};  // its `keys` is additions minus removals, modulo 2^64
    Counts counts{};             // negative if the key was removed more often than added
    bool is_known = true;        // false for forged bytes and for very many copies, which have no model
    bool touched = true;         // whether a call used the slot since its last check
  };

  void create();
  void change();
  void combine();
  void append();
  void find_difference();
  void write_and_read();
  void read_damaged();
  void describe();
  void call_with_anything();

  [[nodiscard]] Slot& take_slot() {
    Slot& slot = slots_[input_.take_below(kSlots)];
    slot.touched = true;
    return slot;
  }

  /// The key with this number as a sketch stores it: its bytes, or the number of a hash or an integer.
  static std::string key_in(const crivo_sketch_facts& facts, unsigned id);
  static std::uint64_t number_in(const crivo_sketch_facts& facts, unsigned id);
  static bool have_same_keys(const crivo_sketch_facts& one, const crivo_sketch_facts& other) {
    return one.key_type == other.key_type && one.key_bytes == other.key_bytes && one.seed == other.seed;
  }
  void find_difference(const Slot& first, const Slot& second);
  void forge(Blob& blob, const crivo_sketch_facts& facts);
  static void change_by(crivo_sketch* sketch, const crivo_sketch_facts& facts, const std::string& key, bool removes);
  static void note(Slot& slot, unsigned id, std::int64_t copies);

  static crivo_sketch_facts facts_of(const crivo_sketch* sketch);
  /// The number of keys modulo 2^64, from the blob. The facts have 0 for a negative number.
  static std::uint64_t net_keys_of(const crivo_sketch* sketch);
  static Blob blob_of(const crivo_sketch* sketch);
  static Sketch made_of(const crivo_sketch_facts& facts, const Counts& counts);
  static void check_slot(Slot& slot);

  /// Whether the sketch decodes by itself, as the difference from the empty set.
  static bool is_decoded_alone(const Slot& slot);
  static void check_sides(const Slot& first, const Slot& second, const crivo_difference* found);
  static void check_against_models(const Slot& first, const Slot& second, const crivo_difference* found);

  Input& input_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace crivo::testing
