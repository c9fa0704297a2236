// The registration table: a function of SQL is one C++ function and one row here.
#pragma once

#include <span>

#include "boundary.h"

namespace crivo::sqlite {

/// max_args of a function that takes any number; it checks its least number itself.
inline constexpr int kAnyNumber = -1;

/// Usable in any schema under trusted_schema=0, but not in indexes: another build of the library answers differently.
inline constexpr int kHarmless = SQLITE_UTF8 | SQLITE_INNOCUOUS;
/// Pure functions: usable in indexes and generated columns, too.
inline constexpr int kPure = kHarmless | SQLITE_DETERMINISTIC;

struct FunctionRow {
  const char* name;
  int min_args;
  int max_args;
  int flags;
  SqlCallback call;               // of a scalar function, or the step of an aggregate
  SqlFinalizer finish = nullptr;  // of an aggregate
};

/// What only the registration of any number of arguments leaves to the function itself.
inline void require_args(const Call& call, std::size_t least) {
  if (call.args.size() < least) {
    throw SqlError{"arguments must be at least " + std::to_string(least) + ", got " + std::to_string(call.args.size())};
  }
}

[[nodiscard]] std::span<const FunctionRow> scalar_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> key_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> set_functions() noexcept;
[[nodiscard]] std::span<const FunctionRow> aggregate_functions() noexcept;

/// Registers the table-valued function bloom_each. Returns a SQLite result code.
[[nodiscard]] int register_bloom_each(sqlite3* db);

}  // namespace crivo::sqlite
