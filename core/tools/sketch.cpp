// crivo sketch and crivo diff: the difference of two sets of keys, from two small files.
#include "crivo/sketch.h"

#include <cinttypes>
#include <cstdio>
#include <map>
#include <optional>

#include "command.h"
#include "crivo/host/text.h"
#include "file.h"
#include "filter_file.h"
#include "key_feed.h"
#include "output.h"

namespace crivo::tool {
namespace {

struct SketchOptions {
  KeyFiles keys;
  OutputArgument output;
  SketchSpec spec;
  std::uint64_t differences = 0;
  ByteLimit max_bytes = FilterArgument{}.max_bytes;
  bool quiet = false;
};

/// Adds the lines as keys of the sketch's type.
void add_lines(Sketch& sketch, const KeyFiles& files) {
  const SketchSpec& spec = sketch.spec();
  const bool integers = spec.keys == SketchKeys::kIntegers;
  std::vector<std::uint64_t> numbers;
  const auto add = [&](const KeyBatch& batch) {
    if (spec.keys == SketchKeys::kHashes) return unwrap(sketch.add_numbers(batch.hashes));
    if (integers) {
      numbers.assign(batch.hashes.begin(), batch.hashes.end());
      for (std::uint64_t& number : numbers) number ^= std::uint64_t{1} << 63;  // undoes the offset of ordered numbers
      return unwrap(sketch.add_numbers(numbers));
    }
    for (const std::string_view line : batch.lines) {
      if (const auto added = sketch.add(line); !added) throw Refused(added.error().message + ": " + in_quotes(line));
    }
  };
  add_keys("sketch", files, {integers ? HashId::kOrdered : HashId::kXxh3_64, spec.seed}, add,
           spec.keys == SketchKeys::kBytes);
}

ExitCode sketch(const SketchOptions& options) {
  if (options.spec.symbols == 0 && options.differences == 0)
    throw Refused("symbols or differences must be set, got neither");
  check_output(options.output.path, options.keys.paths);
  SketchSpec spec = options.spec;
  if (spec.symbols == 0) spec.symbols = sketch_symbols(options.differences);
  Sketch made = unwrap(Sketch::create(spec, options.max_bytes.bytes));
  KeyFiles files = options.keys;
  files.integers_of = "a sketch of integers";
  add_lines(made, files);
  const std::string& path = options.output.path;
  if (path == "-") {
    const std::vector<std::byte> blob = made.to_blob();
    std::fwrite(blob.data(), 1, blob.size(), stdout);
    flush_output();
  } else {
    unwrap(write_sketch_file(made, path));
  }
  if (!options.quiet) {
    std::fprintf(stderr, "crivo sketch: %s: symbols %" PRIu64 " to %" PRIu64 ", keys %" PRIu64 ", %" PRIu64 " bytes\n",
                 shown(path, "standard output").c_str(), spec.first, spec.first + spec.symbols - 1, made.keys(),
                 made.blob_bytes());
  }
  return kYes;
}

struct DiffOptions {
  std::string first;
  std::string second;
  ByteLimit max_bytes = FilterArgument{}.max_bytes;
  KeyFiles lines = {.paths = {}};
  bool hex = false;
};

Sketch load(const std::string& path, const char* role, const ByteLimit& max_bytes) try {
  return load_sketch({path, max_bytes}, role);
} catch (const Refused& refused) {
  throw in_file(refused, path);
}

void print(char side, std::string_view key, KeyEnd key_end) {
  std::fputc(side, stdout);
  std::fputc(' ', stdout);
  print_key(key, key_end);
}

/// Prints the lines whose hashes are in the difference, and removes these hashes from `sides`.
void print_lines(std::map<std::uint64_t, char>& sides, const KeyFiles& files, std::uint64_t seed) {
  const auto look = [&](const KeyBatch& batch) {
    for (std::size_t i = 0; i < batch.hashes.size(); ++i) {
      const auto found = sides.find(batch.hashes[i]);
      if (found == sides.end()) continue;
      print(found->second, batch.lines[i], files.key_end);
      sides.erase(found);
    }
  };
  add_keys("diff", files, {HashId::kXxh3_64, seed}, look, true);
}

std::string in_hex(std::string_view bytes) {
  std::string hex;
  for (const char byte : bytes) {
    for (const int shift : {4, 0}) hex += "0123456789ABCDEF"[static_cast<unsigned char>(byte) >> shift & 15];
  }
  return hex;
}

void print_side(const SketchedKeys& keys, char side, const SketchSpec& spec, const DiffOptions& options) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (spec.keys == SketchKeys::kBytes) {
      print(side, options.hex ? in_hex(keys.key(i)) : keys.key(i), options.lines.key_end);
    } else {
      print(side, std::to_string(static_cast<std::int64_t>(keys.number(i))), options.lines.key_end);
    }
  }
}

void print_hashes(const SetDifference& difference, const DiffOptions& options, std::uint64_t seed) {
  std::map<std::uint64_t, char> sides;
  for (std::size_t i = 0; i < difference.only_first.size(); ++i) sides.emplace(difference.only_first.number(i), '<');
  for (std::size_t i = 0; i < difference.only_second.size(); ++i) sides.emplace(difference.only_second.number(i), '>');
  print_lines(sides, options.lines, seed);
  if (!sides.empty()) {
    note("diff", std::to_string(sides.size()) + " of the keys are in no file of --lines; their hashes follow");
  }
  for (const char wanted : {'<', '>'}) {
    for (const auto& [hash, side] : sides) {
      if (side == wanted) print(side, std::to_string(static_cast<std::int64_t>(hash)), options.lines.key_end);
    }
  }
}

ExitCode diff(const DiffOptions& options) {
  Sketch sketch = load(options.first, "FIRST", options.max_bytes);
  unwrap(sketch.subtract(load(options.second, "SECOND", options.max_bytes)));
  const std::optional<SetDifference> found = unwrap(sketch.decode());
  const SketchSpec& spec = sketch.spec();
  if (!found) {
    throw Refused("symbols must be more than " + std::to_string(spec.symbols) +
                  " to decode the difference; make longer sketches of both sets (or remove repeated keys from a set)");
  }
  const bool by_lines = !options.lines.paths.empty();
  if (by_lines && spec.keys != SketchKeys::kHashes) {
    throw Refused("lines must be used for sketches of hashes only, got sketches of keys");
  }
  if (by_lines) {
    print_hashes(*found, options, spec.seed);
  } else {
    print_side(found->only_first, '<', spec, options);
    print_side(found->only_second, '>', spec, options);
  }
  flush_output();
  return found->only_first.size() + found->only_second.size() == 0 ? kYes : kNo;
}

void add_max_bytes(CLI::App& command, ByteLimit& limit) {
  add_limit(command, limit, std::string("Largest sketch; ") + kByteUnits);
}

}  // namespace

void add_sketch(CLI::App& app, Action& action) {
  const auto [command, options] = declare(app, action, "sketch", "Make a sketch of keys, for diff", sketch);
  add_key_files(command, options.keys);
  add_output(command, options.output);
  const auto number = [](const char* name) {
    return [name](std::string_view text) { return parse_count(text, name, 1, kMaxSketchSymbols); };
  };
  CLI::Option* const symbols =
      add_option(command, "--symbols", into(options.spec.symbols, number("symbols")), "Length of the sketch", "N");
  CLI::Option* const differences =
      add_option(command, "--differences", into(options.differences, number("differences")),
                 "Choose the length for N differing keys, enough in 997 of 1,000 cases", "N");
  symbols->excludes(differences);
  add_option(command, "--first",
             into(options.spec.first,
                  [](std::string_view text) { return parse_count(text, "first", 0, kMaxSketchSymbols - 1); }),
             "Number of the first symbol, to continue a sketch of N symbols", "N")
      ->needs(symbols);
  add_option(
      command, "--keys", [&spec = options.spec](const std::string& text) { unwrap(choose_sketch_keys(spec, text)); },
      "What diff can print: hashes, integers, or bytes:N for lines of N bytes, at most 32", "WHAT")
      ->default_str("hashes");
  add_option(command, "--seed", into(options.spec.seed, parse_seed), "Seed of the hash, a 64-bit integer", "N")
      ->default_str("0");
  add_max_bytes(command, options.max_bytes);
  add_quiet(command, options.quiet);
  command.footer(std::string("Keys must be distinct: sort -u removes repeated lines. ") + kKeyLines);
}

void add_diff(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "diff", "Print the keys that only one of two sketches has", diff);
  add_option(command, "FIRST", options.first, "A file made by crivo sketch or SQL; - is standard input")->required();
  add_option(command, "SECOND", options.second, "Another sketch, with the same type of keys and seed")->required();
  add_option(command, "--lines", options.lines.paths, "Print lines of this file instead of their hashes", "FILE")
      ->allow_extra_args(false);
  command.add_flag("--hex", options.hex, "Print strings of bytes in hexadecimal, as SQL's hex() does");
  add_null_flag(command, options.lines.key_end);
  add_max_bytes(command, options.max_bytes);
  command.footer(
      "Keys of FIRST alone are printed after '< ', keys of SECOND alone after '> '. Strings and integers are in "
      "ascending order per side, lines in the order of their files. Exit code: 0 if there is no difference, 1 if there "
      "is one, 2 for an error, such as sketches that are too short.");
}

}  // namespace crivo::tool
