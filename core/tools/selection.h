// Which keys the answers of a filter select, and how they are reported: what `crivo query` and `crivo sst probe` share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "key_reader.h"

namespace crivo::tool {

/// What the user says of it.
struct SelectionFlags {
  KeyEnd key_end = KeyEnd::kNewline;  // declared by add_null_flag
  bool invert = false;                // selects the keys that are certainly absent
  bool quiet = false;                 // prints nothing
  bool count = false;                 // prints how many there are
};

/// Declares -v, by all its names, -q and -c. The flags must live until the command has run.
void add_selection_flags(CLI::App& command, SelectionFlags& flags, const char* invert = "-v,--invert");

using Keys = std::span<const std::string_view>;

/// Selects keys, batch by batch.
class Selection {
 public:
  /// The flags must outlive it.
  explicit Selection(const SelectionFlags& flags) noexcept : flags_(flags) {}

  /// Room for the answers to so many keys, until the next call.
  [[nodiscard]] std::span<bool> hits(std::size_t keys);
  /// Reports the keys that are selected by these answers: as they are, or as what `text(index)` returns.
  void report(Keys keys, std::span<const bool> hits, const std::function<std::string(std::size_t)>& text = nullptr);
  /// Reports what is reported at the end. Throws Refused if standard output could not be written.
  void finish() const;

  [[nodiscard]] std::uint64_t selected() const noexcept { return selected_; }

 private:
  const SelectionFlags& flags_;
  std::unique_ptr<bool[]> hits_;
  std::size_t capacity_ = 0;
  std::uint64_t selected_ = 0;
};

/// Hands the lines of standard input to `ask`, batch by batch, until it returns false. Shows how far it is if nobody
/// watches the keys that are printed. `command` is for notes. Throws Refused, and what `ask` throws.
void ask_standard_input(const char* command, const SelectionFlags& flags, const LineLimit& longest,
                        const std::function<bool(Keys)>& ask);

}  // namespace crivo::tool
