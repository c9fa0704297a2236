// Feeds the keys of files to a filter. One thread reads, splits and hashes; another one adds the hashes, which takes
// about as long where the filter is larger than the processor's cache or a builder sorts what piles up.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "crivo/hash.h"
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

/// Takes hashes, as a filter or its builder does, and the keys where it asks for them. May throw.
using HashSink = std::function<void(std::span<const std::uint64_t>, std::span<const std::string_view>)>;

/// How a filter knows its keys.
struct Hashing {
  HashId id;
  std::uint64_t seed;
};

/// Hands the hashes of all keys, in order, to `add`: on other threads, one after the other, or, with_keys, on this one
/// together with the keys, which are else left out. Shows the progress. `command` is for notes.
/// Throws Refused for the files, and for a line that is no integer, if the filter is one of ordered numbers; and what
/// `add` throws, which is then not called again.
void add_keys(const char* command, const KeyFiles& files, const Hashing& hashing, const HashSink& add,
              bool with_keys = false);

}  // namespace crivo::tool
