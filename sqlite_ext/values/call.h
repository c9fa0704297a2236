// A call of a SQL function: its arguments, the connection's caches, the state of an aggregate, and the guard that stops
// every C++ exception before it reaches SQLite.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crivo/filter.h"
#include "crivo/host/planned_sizes.h"
#include "values/value.h"

namespace crivo::sqlite {

/// A filter that owns its payload, with a reference for queries.
struct OwnedFilter {
  explicit OwnedFilter(AnyFilter&& owned) : filter(std::move(owned)), ref(filter.ref()) {}
  OwnedFilter(const OwnedFilter&) = delete;
  OwnedFilter& operator=(const OwnedFilter&) = delete;
  AnyFilter filter;
  FilterRef ref;
};

/// A filter that a connection caches, and the bytes that identify its blob (functions/query.h).
struct CachedFilter {
  CachedFilter(std::span<const std::byte> prefix, std::size_t size, AnyFilter&& filter)
      : blob_prefix(prefix.begin(), prefix.end()), blob_bytes(size), owned(std::move(filter)) {}
  std::vector<std::byte> blob_prefix;  // the header if the codec is kRaw; else the whole blob
  std::size_t blob_bytes;
  OwnedFilter owned;
};

/// The state that the functions of a database connection share. For an intact filter, the caches affect only the speed
/// of queries, not the answers. Lives as long as the functions are registered. Not thread-safe, like the connection.
struct Connection {
  std::shared_ptr<const CachedFilter> cached;
  std::uint64_t last_raw_header = 0;  // the hash of the header of the last raw filter that was decoded
  PlannedSizes sizes;                 // for bloom_agg, which may build a filter for each of many groups
  bool reads_table = false;           // a function is reading a filter table, and must not be called again
};

/// The user data of a SQL function: the function's name, for errors, and the state of the connection.
struct Registration {
  const char* function;
  std::shared_ptr<Connection> connection;
};

/// One call of a SQL function. The result is NULL unless the function sets one.
struct Call {
  sqlite3_context* context;
  std::span<sqlite3_value* const> args;

  [[nodiscard]] Connection& connection() const {
    return *static_cast<const Registration*>(sqlite3_user_data(context))->connection;
  }
  [[nodiscard]] sqlite3* db() const { return sqlite3_context_db_handle(context); }
  [[nodiscard]] bool is_null(std::size_t arg) const { return sqlite::is_null(args[arg]); }
  /// Whether an optional argument is given and not NULL.
  [[nodiscard]] bool has(std::size_t arg) const { return arg < args.size() && !is_null(arg); }
};

using SqlCallback = void (*)(sqlite3_context*, int, sqlite3_value**);
using SqlFinalizer = void (*)(sqlite3_context*);

/// Reports the current exception as the call's error: SQLITE_NOMEM for std::bad_alloc, else a message and a code.
inline void report_exception(sqlite3_context* context) noexcept {
  const auto set_error = [context](const std::string& message) {
    const auto* registration = static_cast<const Registration*>(sqlite3_user_data(context));
    sqlite3_result_error(context, (std::string(registration->function) + ": " + message).c_str(), -1);
  };
  const int code = coded([]() -> int { throw; }, set_error);
  if (code == SQLITE_NOMEM) return sqlite3_result_error_nomem(context);
  if (code != SQLITE_ERROR) sqlite3_result_error_code(context, code);
}

/// Wraps a `void body(const Call&)` as a callback for SQLite.
template <auto body>
void guarded(sqlite3_context* context, int argc, sqlite3_value** argv) noexcept {
  try {
    body(Call{context, {argv, static_cast<std::size_t>(argc)}});
  } catch (...) {
    report_exception(context);
  }
}

template <auto body>
void guarded_finish(sqlite3_context* context) noexcept {
  guarded<body>(context, 0, nullptr);
}

/// A destructor for objects that SQLite holds by pointer.
template <class Object>
void delete_as(void* object) noexcept {
  delete static_cast<Object*>(object);
}

/// The state of the current group of an aggregate. The first row of a group creates the state.
template <class State>
State& aggregate_state(const Call& call) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(call.context, sizeof(State*)));
  if (slot == nullptr) throw std::bad_alloc();
  if (*slot == nullptr) *slot = new State();
  return **slot;
}

/// Releases the group's state to the caller at the end of the group. Null if the group had no rows.
template <class State>
std::unique_ptr<State> release_aggregate_state(const Call& call) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(call.context, 0));
  return std::unique_ptr<State>(slot == nullptr ? nullptr : std::exchange(*slot, nullptr));
}

}  // namespace crivo::sqlite
