// Feeds the keys of files to a filter. One thread reads, splits and hashes; another one adds the hashes, which takes
// about as long where the filter is larger than the processor's cache or a builder sorts what piles up.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "crivo/hash.h"
#include "crivo/result.h"
#include "key_reader.h"

namespace crivo::tool {

/// Where a command's keys are.
struct KeyFiles {
  std::vector<std::string> paths = {"-"};  // "-" is standard input
  KeyEnd key_end = KeyEnd::kNewline;
  LineLimit longest = {};
};

/// Declares FILE and -0. The files must live until the command has run.
void add_key_files(CLI::App& command, KeyFiles& files);

/// Takes hashes, as a filter or its builder does, and the keys where it asks for them.
using HashSink = std::function<Result<void>(std::span<const std::uint64_t>, std::span<const std::string_view>)>;

/// How a filter knows its keys.
struct Hashing {
  HashId id;
  std::uint64_t seed;
};

/// Hands the hashes of all keys, in order, to `add`: on another thread, or, with_keys, on this one together with the
/// keys, which are else left out. Shows the progress. `command` is for notes.
/// Errors: of the files; of a line that is no integer, for a filter of ordered numbers; and those of `add`, which is
/// then not called again.
[[nodiscard]] Result<void> add_keys(const char* command, const KeyFiles& files, const Hashing& hashing,
                                    const HashSink& add, bool with_keys = false);

}  // namespace crivo::tool
