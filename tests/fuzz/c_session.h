// The filters of one input of fuzz_c, each with its model, and the calls that an input can ask for.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crivo.h"
#include "input.h"

namespace crivo::testing {

class CSession {
 public:
  explicit CSession(std::span<const std::uint8_t> input) : input_(input) {}

  [[nodiscard]] Input& input() { return input_; }

  void create();
  void build();
  void build_in_pieces();
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
  void describe();
  /// A call of any function, whose arguments are each sound, NULL, not aligned, or of a length that no object has.
  void call_with_anything();

  /// Every filter that the last call could have changed has what its model says.
  void check();
  /// So has every filter.
  void check_all();

 private:
  static constexpr unsigned kSlots = 3;
  static constexpr unsigned kKeys = 256;  // there are so many different keys

  struct Free {
    void operator()(crivo_filter* filter) const noexcept { crivo_free(filter); }
    void operator()(crivo_builder* builder) const noexcept { crivo_builder_free(builder); }
  };
  using Filter = std::unique_ptr<crivo_filter, Free>;
  using Builder = std::unique_ptr<crivo_builder, Free>;
  using Blob = std::vector<std::uint8_t>;
  using Model = std::array<std::uint64_t, kKeys>;

  struct Slot {
    Blob blob;  // what the filter may borrow
    Filter filter;
    Model least{};        // how often each key must at least be in it
    Model hashes{};       // the keys' hashes by the filter's seed, once one is not 0
    bool touched = true;  // by a call since it was checked

    void become(crivo_filter* made, const Model& keys = {}, Blob borrowed = {}) {
      *this = {.blob = std::move(borrowed), .filter = Filter(made), .least = keys};
    }
  };

  /// Options of which any field may be wrong, followed by zeros that a later version may read.
  class Options;
  /// A run of keys, in one of the layouts of crivo_keys.
  class Run;

  static const std::string& key(unsigned id);
  [[nodiscard]] Slot& take_slot() {
    Slot& slot = slots_[input_.take_below(kSlots)];
    slot.touched = true;
    return slot;
  }
  void merge(crivo_status (*how)(crivo_filter*, const crivo_filter*, crivo_error*));
  void fill(Slot& slot, crivo_status status, crivo_filter* made, const Run& run);
  static void note_added(Slot& slot, const Run& run, std::uint64_t keys_before, crivo_status status);
  static void check_slot(Slot& slot);

  static Blob raw_blob(const crivo_filter* filter);
  static crivo_facts facts(const crivo_filter* filter);

  Input input_;
  std::array<Slot, kSlots> slots_;
};

/// Ends the process unless this is a status with its message: one line of text that ends.
void require_status(crivo_status status, const crivo_error& error);

/// What a function of these arguments and a crivo_error* returns, with its error.
template <class Function, class... Args>
crivo_status checked(Function function, Args... args) {
  crivo_error error{};
  const crivo_status status = function(args..., &error);
  require_status(status, error);
  return status;
}

}  // namespace crivo::testing
