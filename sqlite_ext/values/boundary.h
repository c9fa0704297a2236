// The edge between SQLite and C++: reads values, sets results, and lets no exception of C++ reach SQLite.
#pragma once

#include <sqlite3ext.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/key.h"
#include "crivo/result.h"
#include "values/connection.h"

extern "C" {
SQLITE_EXTENSION_INIT3
}

namespace crivo::sqlite {

/// An exception that ends a SQL function with an error: "<field> must ..., got ...". The function's name is put in
/// front where it is caught.
struct SqlError {
  std::string message;
  int code = SQLITE_ERROR;  // SQLITE_BUSY and the like where SQLite itself said so, because callers try these again
};

/// An exception that hands a result code of SQLite on to SQLite: SQLITE_BUSY, SQLITE_FULL, SQLITE_IOERR, ...
struct HostError {
  int code;
  std::string message;
};

/// Throws what the connection's last call failed with, or std::bad_alloc for SQLITE_NOMEM.
[[noreturn]] void throw_host_error(sqlite3* db, int code);
/// Throws unless the code is SQLITE_OK.
inline void require_ok(sqlite3* db, int code) {
  if (code != SQLITE_OK) throw_host_error(db, code);
}

/// Returns the value of a Result, or throws its error as a SqlError.
template <class T>
T unwrap(Result<T> result) {
  if (!result.has_value()) throw SqlError{result.error().message};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// The user data that SQLite gives each call of a function: the function's name, for errors, and what the connection
/// keeps.
struct Registration {
  const char* function;
  std::shared_ptr<Connection> connection;
};

/// One call of a SQL function. Its result is NULL unless a result is set.
struct Call {
  sqlite3_context* context;
  std::span<sqlite3_value* const> args;

  [[nodiscard]] Connection& connection() const {
    return *static_cast<const Registration*>(sqlite3_user_data(context))->connection;
  }
  [[nodiscard]] sqlite3* db() const { return sqlite3_context_db_handle(context); }
  [[nodiscard]] bool is_null(std::size_t arg) const { return sqlite3_value_type(args[arg]) == SQLITE_NULL; }
};

using SqlCallback = void (*)(sqlite3_context*, int, sqlite3_value**);
using SqlFinalizer = void (*)(sqlite3_context*);

/// Turns the exception that is being handled into the call's error: SQLITE_NOMEM for std::bad_alloc, a message for
/// others.
void report_exception(sqlite3_context* context) noexcept;

/// Turns a `void body(const Call&)` into a function that SQLite can call.
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
  try {
    body(Call{context, {}});
  } catch (...) {
    report_exception(context);
  }
}

/// The bytes of a value that is a key; borrows from the value until the call ends.
class KeyBytes {
 public:
  explicit KeyBytes(sqlite3_value* value);
  [[nodiscard]] bool is_null() const noexcept { return is_null_; }
  [[nodiscard]] std::string_view view() const noexcept { return number_ ? number_->view() : bytes_; }
  /// The hash by which a filter with this hash function and seed knows the key, which must not be NULL. Throws SqlError
  /// for a key that a filter of ordered numbers does not take.
  [[nodiscard]] std::uint64_t hash(HashId id, std::uint64_t seed) const;

 private:
  sqlite3_value* value_;
  bool is_null_ = false;
  std::optional<NumberKey> number_;
  std::string_view bytes_;
};

/// The ordered numbers from `low` to `high`, both included (crivo/ordered.h). Where the two are blobs, the last number
/// is that of the last key that starts with `high`. Throws SqlError unless both are INTEGER or both BLOB.
struct KeyRange {
  KeyRange(sqlite3_value* low_value, sqlite3_value* high_value);
  std::uint64_t low;
  std::uint64_t high;
};

/// A count as the nearest integer that SQLite has: 2^63 - 1 for any above it.
[[nodiscard]] constexpr std::int64_t saturated(std::uint64_t count) noexcept {
  return static_cast<std::int64_t>(std::min(count, std::uint64_t{INT64_MAX}));
}

// A SQL value that outlives the call that it came from.
struct FreeValue {
  void operator()(sqlite3_value* value) const noexcept { sqlite3_value_free(value); }
};
using OwnedValue = std::unique_ptr<sqlite3_value, FreeValue>;

/// Copies a value. Throws std::bad_alloc.
[[nodiscard]] inline OwnedValue copy_of(sqlite3_value* value) {
  OwnedValue copy(sqlite3_value_dup(value));
  if (copy == nullptr) throw std::bad_alloc();
  return copy;
}

/// An integer, also if it is a REAL, as keys are alike: 1 and 1.0 are the same key. None for any other value.
[[nodiscard]] std::optional<std::int64_t> whole_number(sqlite3_value* value);

/// A value as an error message shows it: 12, 0.5, 'text', a blob of 3 bytes, NULL.
[[nodiscard]] std::string shown(sqlite3_value* value);

/// The most bytes that a filter's payload may have, so that the blob with its header stays within SQLITE_LIMIT_LENGTH.
[[nodiscard]] std::uint64_t max_payload_bytes(sqlite3* db);
/// Throws SqlError unless a payload of this size may be made.
void require_payload_fits(std::uint64_t bytes, std::uint64_t max_bytes);

/// The bytes of a BLOB, borrowed from it. Throws std::bad_alloc.
[[nodiscard]] std::span<const std::byte> blob_of(sqlite3_value* value);

/// An argument that must be a filter: the one way from a value to a filter. Borrows the value.
struct FilterArgument {
  /// Throws SqlError unless the value is a BLOB. Errors name the argument by `position`.
  FilterArgument(sqlite3* db, sqlite3_value* value, std::size_t position);
  /// Of a call of a function or a table-valued function.
  FilterArgument(const auto& call, std::size_t arg) : FilterArgument(call.db(), call.args[arg], arg + 1) {}
  /// Decodes and validates the filter, which borrows the bytes if its payload is raw. Throws SqlError.
  [[nodiscard]] OpenedBlob open() const { return unwrap(parse_blob(bytes, limits)); }
  std::span<const std::byte> bytes;
  ReadLimits limits;
};
[[nodiscard]] OpenedBlob open_filter(const auto& call, std::size_t arg) { return FilterArgument(call, arg).open(); }

void set_result(const Call& call, const FilterRef& filter, BlobForm form = BlobForm::kAuto,
                int level = kDefaultCompressionLevel);
void set_result(const Call& call, std::string_view text);

/// Deletes an object that SQLite keeps as a pointer.
template <class Object>
void delete_as(void* object) noexcept {
  delete static_cast<Object*>(object);
}

/// The state of an aggregate's group, made at the first row.
template <class State>
State& aggregate_state(const Call& call) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(call.context, sizeof(State*)));
  if (slot == nullptr) throw std::bad_alloc();
  if (*slot == nullptr) *slot = new State();
  return **slot;
}

/// The state when the group ends, for the last time; null if the group had no row.
template <class State>
std::unique_ptr<State> take_aggregate_state(const Call& call) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(call.context, 0));
  return std::unique_ptr<State>(slot == nullptr ? nullptr : std::exchange(*slot, nullptr));
}

}  // namespace crivo::sqlite
