// Parses numbers, sizes, times and ranges. For a wrong text, throws Refused, naming the option, or returns no value.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/host/unwrap.h"

namespace crivo::tool {

/// Parses a capacity: an integer from 1 to 2^40, also as "1e6", or with a suffix: K, M, G and T are powers of 1024, and
/// KB, MB, GB and TB powers of 1000.
[[nodiscard]] std::uint64_t parse_capacity(std::string_view text);
/// The same for another number, called `name` in messages, from `least` to `most` <= 2^40.
[[nodiscard]] std::uint64_t parse_count(std::string_view text, std::string_view name, std::uint64_t least,
                                        std::uint64_t most);
/// Parses a rate in (0, 1]. The library allows 1 only for maps and exact filters.
[[nodiscard]] double parse_fp_rate(std::string_view text);
/// Parses bits per key. The library checks the range.
[[nodiscard]] double parse_bits_per_key(std::string_view text);
/// Parses a number of threads from 1 to 1024, or "all", which is kAllThreads.
[[nodiscard]] unsigned parse_threads(std::string_view text);
/// Parses a seed: any 64-bit integer, negative ones as two's complement, as in SQL.
[[nodiscard]] std::uint64_t parse_seed(std::string_view text);

/// Advances the clock of a window to this time, or to now; an earlier time has no effect. Without a time, prints a note
/// if the clock is ahead of this machine's. A time for any other filter is an error.
void set_clock(AnyFilter& filter, std::optional<std::int64_t> time);

/// Parses a 64-bit integer to its ordered number (crivo/ordered.h), the key of a filter of kind range.
[[nodiscard]] std::optional<std::uint64_t> parse_ordered(std::string_view text);

/// A query of a filter of kind range: the numbers in [low, high].
struct OrderedRange {
  std::uint64_t low;
  std::uint64_t high;
};
/// Parses an integer, or two integers with ".." between them.
[[nodiscard]] std::optional<OrderedRange> parse_range(std::string_view text);

/// Declares --time, the time of the keys that are added to a window.
CLI::Option* add_time(CLI::App& command, std::optional<std::int64_t>& time);

/// The explanation of units in --help.
inline constexpr const char* kByteUnits = "K, M, G, T or KB, MB, GB, TB may follow";

/// A limit in bytes from an option.
struct ByteLimit {
  std::string option;  // "max-bytes"
  std::uint64_t bytes;
  std::string given = {};  // as the user or the default wrote it; may be empty

  /// For messages: "max-bytes 4G".
  [[nodiscard]] std::string text() const { return option + " " + given; }
};
/// Declares the option. The limit must live until the command has run.
CLI::Option* add_limit(CLI::App& command, ByteLimit& limit, const std::string& about);
/// The error for a limit that is too low, in the units of `limit.given`, rounded up.
[[nodiscard]] Refused limit_error(const ByteLimit& limit, std::uint64_t needed_bytes);

}  // namespace crivo::tool
