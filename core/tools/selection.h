// Selects keys by a filter's answers, and prints them: shared by `crivo query` and `crivo sst probe`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "key_reader.h"

namespace crivo::tool {

/// The flags of the selection.
struct SelectionFlags {
  KeyEnd key_end = KeyEnd::kNewline;  // from add_null_flag
  bool invert = false;                // selects keys that are certainly absent
  bool quiet = false;                 // prints nothing
  bool count = false;                 // prints only the number of selected keys
};

/// Declares -v, -q and -c; `invert` has all names of -v. The flags must live until the command has run.
void add_selection_flags(CLI::App& command, SelectionFlags& flags, const char* invert = "-v,--invert");

using Keys = std::span<const std::string_view>;

/// Selects keys, batch by batch.
class Selection {
 public:
  /// The flags must outlive this object.
  explicit Selection(const SelectionFlags& flags) noexcept : flags_(flags) {}

  /// A buffer for the answers to this many keys, valid until the next call.
  [[nodiscard]] std::span<bool> hits(std::size_t keys);
  /// Prints the keys that these answers select: unchanged, or as `text(index)`.
  void report(Keys keys, std::span<const bool> hits, const std::function<std::string(std::size_t)>& text = nullptr);
  /// With -c, prints the number of selected keys. Throws Refused if standard output could not be written.
  void finish() const;

  [[nodiscard]] std::uint64_t selected() const noexcept { return selected_; }

 private:
  const SelectionFlags& flags_;
  std::unique_ptr<bool[]> hits_;
  std::size_t capacity_ = 0;
  std::uint64_t selected_ = 0;
};

/// Passes the lines of standard input to `query`, batch by batch, until it returns false. Shows the progress if no keys
/// are printed, or only to a file. `command` is for notes. Throws Refused, and what `query` throws.
void query_standard_input(const char* command, const SelectionFlags& flags, const LineLimit& longest,
                          const std::function<bool(Keys)>& query);

}  // namespace crivo::tool
