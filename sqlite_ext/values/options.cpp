// Parses the options of SQL functions; see options.h.
#include "values/options.h"

#include <cmath>

#include "crivo/kinds.h"
#include "crivo/types.h"

namespace crivo::sqlite {
namespace {

SqlError wrong(std::string_view field, std::string_view rule, sqlite3_value* got) {
  return {std::string(field) + " must " + std::string(rule) + ", got " + shown(got)};
}

std::uint64_t parse_capacity(sqlite3_value* value) {
  const auto error = [value] {
    return wrong("capacity", "be an integer from 1 to " + std::to_string(kMaxCapacity), value);
  };
  const int type = sqlite3_value_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) throw error();
  // Comparing doubles is exact here: a double holds every integer up to 2^40, and rounding moves no larger integer into
  // the range.
  const double capacity = sqlite3_value_double(value);
  if (!(capacity >= 1 && capacity <= static_cast<double>(kMaxCapacity)) || capacity != std::floor(capacity)) {
    throw error();
  }
  return static_cast<std::uint64_t>(capacity);
}

double parse_fp_rate(sqlite3_value* value, bool may_be_one) {
  const int type = sqlite3_value_type(value);
  const bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
  const double fp_rate = number ? sqlite3_value_double(value) : 0;
  if (fp_rate > 0 && (fp_rate < 1 || (may_be_one && fp_rate == 1))) return fp_rate;
  throw wrong("fp_rate", std::string(number ? "be in " : "be a number in ") + (may_be_one ? "(0, 1]" : "(0, 1)"),
              value);
}

void parse_kind(FilterSpec& spec, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_TEXT) throw wrong("kind", "be a text", value);
  unwrap(choose_kind(spec, KeyBytes(value).view()));
}

bool is_given(std::span<sqlite3_value* const> args, std::size_t option) {
  return option < args.size() && sqlite3_value_type(args[option]) != SQLITE_NULL;
}

[[noreturn]] void refuse_change(std::string_view field, const std::string& first, const std::string& later) {
  throw SqlError{std::string(field) + " must be the same in every row, got " + first + ", then " + later};
}

}  // namespace

FilterSpec parse_options(std::span<sqlite3_value* const> args) {
  const auto given = [args](std::size_t option) { return is_given(args, option); };
  FilterSpec spec;
  if (given(0)) spec.capacity = parse_capacity(args[0]);
  if (given(1)) spec.fp_rate = parse_fp_rate(args[1], false);
  if (given(2)) parse_kind(spec, args[2]);
  if (given(3)) spec.seed = parse_seed(args[3]);
  return spec;
}

FilterSpec parse_pair_options(Kind kind, std::span<sqlite3_value* const> args) {
  FilterSpec spec{.kind = kind, .fp_rate = default_fp_rate(kind)};
  if (is_given(args, 0)) spec.fp_rate = parse_fp_rate(args[0], true);
  if (is_given(args, 1)) spec.seed = parse_seed(args[1]);
  return spec;
}

std::uint64_t parse_seed(sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_INTEGER) throw wrong("seed", "be a 64-bit integer", value);
  return static_cast<std::uint64_t>(sqlite3_value_int64(value));
}

SketchSpec parse_sketch_options(std::span<sqlite3_value* const> args) {
  const auto number = [args](std::string_view field, std::size_t option) {
    const std::optional<std::int64_t> value = whole_number(args[option]);
    if (!value || *value < 0) throw wrong(field, "be an integer of at least 0", args[option]);
    return static_cast<std::uint64_t>(*value);
  };
  SketchSpec spec{.symbols = number("symbols", 0)};
  if (is_given(args, 1)) {
    if (sqlite3_value_type(args[1]) != SQLITE_TEXT) throw wrong("keys", "be a text", args[1]);
    unwrap(choose_sketch_keys(spec, KeyBytes(args[1]).view()));
  }
  if (is_given(args, 2)) spec.first = number("first", 2);
  if (is_given(args, 3)) spec.seed = parse_seed(args[3]);
  return spec;
}

void require_same_options(const FilterSpec& first, const FilterSpec& later) {
  const auto integer = [](std::uint64_t value) { return std::to_string(static_cast<std::int64_t>(value)); };
  const auto capacity = [&](const FilterSpec& spec) { return spec.capacity == 0 ? "NULL" : integer(spec.capacity); };
  const auto number = [](double value) { return std::string(NumberKey(value).view()); };
  if (first.capacity != later.capacity) refuse_change("capacity", capacity(first), capacity(later));
  if (first.fp_rate != later.fp_rate) refuse_change("fp_rate", number(first.fp_rate), number(later.fp_rate));
  if (kind_text(first) != kind_text(later)) refuse_change("kind", kind_text(first), kind_text(later));
  if (first.seed != later.seed) refuse_change("seed", integer(first.seed), integer(later.seed));
}

}  // namespace crivo::sqlite
