// The filters of one input of fuzz_c, each with its model, and the calls that an input can choose.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c_session_calls.h"
#include "c_session_draws.h"
#include "c_session_sketches.h"
#include "crivo.h"
#include "input.h"

namespace crivo::testing {

class CSession {
 public:
  explicit CSession(std::span<const std::uint8_t> input) : input_(input) {}
  CSession(const CSession&) = delete;
  CSession& operator=(const CSession&) = delete;

  [[nodiscard]] Input& input() { return input_; }

  void create();
  void build();
  void build_in_pieces();
  /// Makes a map or an exact filter, at once or in steps.
  void use_values() { input_.take_below(2) == 1 ? build_with_values_in_pieces() : build_with_values(); }
  void add_keys();
  void add_one();
  void add_times();
  void remove();
  void clear();
  void unite() { merge(&crivo_unite); }
  void intersect() { merge(&crivo_intersect); }
  void compare();
  void copy();
  void write_and_read();
  void read_damaged();
  void save_and_open();
  void describe();
  void use_sketches() { sketches_.step(); }
  /// Calls any function. Each argument is valid, NULL, misaligned, or a length that no object has.
  void call_with_anything();

  /// Compares every filter that the last call may have changed with its model.
  void check();
  /// Compares every filter with its model.
  void check_all();

 private:
  static constexpr unsigned kSlots = 3;

  using Filter = std::unique_ptr<crivo_filter, Free>;
  using Builder = std::unique_ptr<crivo_builder, Free>;
  using Blob = std::vector<std::uint8_t>;
  using Model = std::array<std::uint64_t, kKeys>;
  using Values = std::map<unsigned, std::uint64_t>;

  struct Slot {
    Blob blob;  // the bytes that the filter may borrow
    Filter filter;
    Model least{};        // each key's minimum count in the filter
    Values values;        // of a map's keys; in an exact filter, 1 for members and 0 for others
    Model hashes{};       // the keys' hashes with the filter's seed; filled at the first use
    bool touched = true;  // whether a call used the slot since its last check

    void become(crivo_filter* made, const Model& keys = {}, const Values& of_keys = {}, Blob borrowed = {}) {
      *this = {.blob = std::move(borrowed), .filter = Filter(made), .least = keys, .values = of_keys};
    }
  };

  /// Keys with values, and the model of their filter.
  class Pairs;

  [[nodiscard]] Slot& take_slot() {
    Slot& slot = slots_[input_.take_below(kSlots)];
    slot.touched = true;
    return slot;
  }
  void build_with_values();
  void build_with_values_in_pieces();
  void merge(crivo_status (*how)(crivo_filter*, const crivo_filter*, crivo_error*));
  void fill(Slot& slot, crivo_status status, crivo_filter* made, const Options& options, const Run& run);
  static void note_added(Slot& slot, const Run& run, std::uint64_t keys_before, crivo_status status);
  void fill_with_values(Slot& slot, crivo_status status, crivo_filter* made, const Options* options, const Pairs& pairs,
                        std::uint64_t count);
  static void check_slot(Slot& slot);
  static void check_values(const Slot& slot, const crivo_facts& known, const std::array<std::uint8_t, kKeys>& hits);
  static bool has_values(const crivo_facts& facts) { return (facts.can & (CRIVO_CAN_FIND | CRIVO_CAN_EXACT)) != 0; }

  static Blob raw_blob(const crivo_filter* filter);
  static crivo_facts facts(const crivo_filter* filter);

  Input input_;
  SketchSession sketches_{input_};
  std::array<Slot, kSlots> slots_;
};

}  // namespace crivo::testing
