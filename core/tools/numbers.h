// Reads the numbers that people type, strictly: the whole text must be a number, or Refused names the option.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/host/unwrap.h"

namespace crivo::tool {

/// Reads a capacity: an integer from 1 to 2^40, which may be written as "1e6", or with K, M, G or T behind it, as
/// parse_bytes has them.
[[nodiscard]] std::uint64_t parse_capacity(std::string_view text);
/// The same for another number, whose name is for the message, from `least` to `most`, which is at most 2^40.
[[nodiscard]] std::uint64_t parse_count(std::string_view text, std::string_view name, std::uint64_t least,
                                        std::uint64_t most);
/// Reads a rate in (0, 1], of which the library allows 1 for maps alone.
[[nodiscard]] double parse_fp_rate(std::string_view text);
/// Reads a number of bits per key, whose range the library knows.
[[nodiscard]] double parse_bits_per_key(std::string_view text);
/// Reads a number of threads from 1 to 1024, or "all", which is kAllThreads.
[[nodiscard]] unsigned parse_threads(std::string_view text);
/// Reads a seed: any 64-bit integer. A negative one is taken as its two's complement, as in SQL.
[[nodiscard]] std::uint64_t parse_seed(std::string_view text);

/// Reads a time in UTC, as milliseconds since 1970: "now", seconds since 1970, "2024-03-01", "2024-03-01 12:30" or
/// "2024-03-01T12:30:59Z", up to the year 9999.
[[nodiscard]] std::int64_t parse_time(std::string_view text);
/// Sets the clock of a window to this time, or to now, and says on standard error if it is ahead of that; with a time,
/// any other filter is refused.
void set_clock(AnyFilter& filter, std::optional<std::int64_t> time);

/// Reads a key of a filter of kind range, a 64-bit integer, as its ordered number (crivo/ordered.h).
[[nodiscard]] std::optional<std::uint64_t> parse_ordered(std::string_view text);

/// A question to a filter of kind range: the numbers from `low` to `high`, both included.
struct OrderedRange {
  std::uint64_t low;
  std::uint64_t high;
};
/// Reads an integer, or two with ".." between them.
[[nodiscard]] std::optional<OrderedRange> parse_range(std::string_view text);

/// Declares --time, of the keys that are added to a window.
CLI::Option* take_time(CLI::App& command, std::optional<std::int64_t>& time);

/// What --help says of the units that parse_bytes reads.
inline constexpr const char* kByteUnits = "K, M, G, T or KB, MB, GB, TB may follow";

/// Reads a number of bytes, at least 1. As for dd and sort, K, M, G or T behind it stands for a power of 1024, with or
/// without "iB" ("4G", "4GiB"), and KB (or kB), MB, GB or TB for one of 1000. `name` is the option's.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text, std::string_view name);

/// A limit in bytes that an option sets.
struct ByteLimit {
  std::string option;  // "max-bytes"
  std::uint64_t bytes;
  std::string given = {};  // as the user wrote it; empty if the option was not given

  /// "max-bytes 4G", as messages say it.
  [[nodiscard]] std::string text() const { return option + " " + given; }
};
/// Declares the option. The limit must live until the command has run.
CLI::Option* take_limit(CLI::App& command, ByteLimit& limit, const std::string& about);
/// The error for a given limit that must be at least so high. This is said in the given units, rounded up.
[[nodiscard]] Refused limit_error(const ByteLimit& limit, std::uint64_t needed_bytes);

}  // namespace crivo::tool
