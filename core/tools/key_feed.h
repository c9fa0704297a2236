// Feeds the keys of files to a filter. One thread reads, splits and hashes; another one adds the hashes, which takes
// about as long where the filter is larger than the processor's cache or a builder sorts what piles up.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "crivo/hash.h"
#include "crivo/types.h"
#include "key_reader.h"

namespace crivo::tool {

/// Where a command's keys are.
struct KeyFiles {
  std::vector<std::string> paths = {"-"};  // "-" is standard input
  KeyEnd key_end = KeyEnd::kNewline;
  LineLimit longest = {};
  bool have_values = false;  // a line is a key, a tab and a value
  unsigned value_bits = kMaxValueBits;
  std::string integers_of = "the kind range";  // what has integers as its keys, for messages
};

/// Declares FILE and -0. The files must live until the command has run.
void add_key_files(CLI::App& command, KeyFiles& files);

/// Some keys, as a filter or its builder takes them.
struct KeyBatch {
  std::span<const std::uint64_t> hashes;
  std::span<const std::uint64_t> values;    // one for each hash, if the files have values
  std::span<const std::string_view> lines;  // one for each hash, if they were asked for
};
/// May throw.
using KeySink = std::function<void(const KeyBatch&)>;

/// How a filter knows its keys.
struct Hashing {
  HashId id;
  std::uint64_t seed;
};

/// Hands the hashes of all keys, in order, to `add`: on other threads, one after the other, or, with_lines, on this one
/// together with the lines, which are else left out. Shows the progress. `command` is for notes.
/// Throws Refused for the files, for a line that is no integer, if the filter is one of ordered numbers, and for one
/// without a value, if the files have values; and what `add` throws, which is then not called again.
void add_keys(const char* command, const KeyFiles& files, const Hashing& hashing, const KeySink& add,
              bool with_lines = false);

/// Where the key with this hash first stands, for a message: "'the key' in line 3 of FILE"; empty where the files
/// cannot be read a second time.
[[nodiscard]] std::string place_of_key(const KeyFiles& files, std::uint64_t seed, std::uint64_t key_hash);

}  // namespace crivo::tool
