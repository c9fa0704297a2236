// Feeds the keys of files to a filter. One thread reads, splits and hashes the lines; another thread adds the hashes,
// unless the lines are needed. Both need about the same time if the filter exceeds the cache, or while a builder sorts.
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

/// The input files of a command, and their format.
struct KeyFiles {
  std::vector<std::string> paths = {"-"};  // "-" is standard input
  KeyEnd key_end = KeyEnd::kNewline;
  LineLimit longest = {};
  bool have_values = false;  // a line is a key, a tab and a value
  unsigned value_bits = kMaxValueBits;
  std::string integers_of = "the kind range";  // for messages: the object that has integer keys
};

/// Declares FILE and -0. The files must live until the command has run.
void add_key_files(CLI::App& command, KeyFiles& files);

/// A batch of keys for a filter or its builder.
struct KeyBatch {
  std::span<const std::uint64_t> hashes;
  std::span<const std::uint64_t> values;    // one per hash, if the files have values
  std::span<const std::string_view> lines;  // one per hash, if requested
};
using KeySink = std::function<void(const KeyBatch&)>;

/// How a filter hashes its keys.
struct Hashing {
  HashId id;
  std::uint64_t seed;
};

/// Passes batches with the hashes of all keys to `add`, in order. Calls `add` on another thread, one batch at a time;
/// if with_lines, on this thread, with the lines. Shows the progress. `command` is for notes. Throws Refused if a file
/// cannot be read, if a line is too long, if a line that must be an integer is not, or if a line lacks a required
/// value. Also throws what `add` throws, and then does not call `add` again.
void add_keys(const char* command, const KeyFiles& files, const Hashing& hashing, const KeySink& add,
              bool with_lines = false);

/// The first place of the key with this hash, for messages: "'the key' in line 3 of FILE"; empty if no file has the
/// key, or if one is not a regular file and cannot be read again.
[[nodiscard]] std::string place_of_key(const KeyFiles& files, std::uint64_t seed, std::uint64_t key_hash);

}  // namespace crivo::tool
