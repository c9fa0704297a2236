// What entry.cpp registers: a FunctionRow for each SQL function, the table-valued functions, and the module bloom.
#pragma once

#include <span>
#include <string>

#include "values/call.h"

namespace crivo::sqlite {

/// max_args of a function with any number of arguments. Such a function checks min_args itself.
inline constexpr int kAnyNumber = -1;

/// Flags of functions that any schema may use under trusted_schema=0. Indexes must not use them, because their results
/// may depend on the clock or on the build.
inline constexpr int kInnocuous = SQLITE_UTF8 | SQLITE_INNOCUOUS;
/// Flags of pure functions, which indexes and generated columns may also use.
inline constexpr int kPure = kInnocuous | SQLITE_DETERMINISTIC;

struct FunctionRow {
  const char* name;
  int min_args;
  int max_args;
  int flags;
  SqlCallback call;               // a scalar function, or an aggregate's step
  SqlFinalizer finish = nullptr;  // an aggregate's final step; null for a scalar function
};

/// Checks the minimum number of arguments of a function registered with kAnyNumber, because SQLite does not.
inline void require_args(const Call& call, std::size_t least) {
  if (call.args.size() < least) {
    throw SqlError{"arguments must be at least " + std::to_string(least) + ", got " + std::to_string(call.args.size())};
  }
}

[[nodiscard]] std::span<const FunctionRow> scalar_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> key_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> in_place_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> set_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> build_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> sketch_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> chunk_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> table_functions() noexcept;

struct TableFunction;  // a table-valued function; functions/table_valued.h
extern const TableFunction kBloomEach;
extern const TableFunction kBloomLayers;
extern const TableFunction kBloomProbe;
extern const TableFunction kBloomDump;
extern const TableFunction kBloomDifference;

/// Registers the module of the virtual table bloom. Returns a SQLite result code.
[[nodiscard]] int register_bloom_table(sqlite3* db);

}  // namespace crivo::sqlite
