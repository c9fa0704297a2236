// Feeds the keys of files to a filter. One thread reads, splits and hashes; another one adds the hashes. Both take
// about the same time if the filter is larger than the cache, or while a builder sorts.
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
  std::string integers_of = "the kind range";  // for messages: what has integer keys
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

/// Passes the hashes of all keys, in order, to `add`: on other threads, one after the other; or, if with_lines, on this
/// thread with the lines. Shows the progress. `command` is for notes. Throws Refused for files that cannot be read, and
/// for lines that are not integers (for ordered numbers) or lack a value (for files with values). Also throws what
/// `add` throws; `add` is then not called again.
void add_keys(const char* command, const KeyFiles& files, const Hashing& hashing, const KeySink& add,
              bool with_lines = false);

/// The first place of the key with this hash, for messages: "'the key' in line 3 of FILE"; empty if the files cannot be
/// read again.
[[nodiscard]] std::string place_of_key(const KeyFiles& files, std::uint64_t seed, std::uint64_t key_hash);

}  // namespace crivo::tool
