// Converts values and results between SQLite and C++, and stops every C++ exception before it reaches SQLite.
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

/// Thrown to end a SQL function with an error: "<field> must ..., got ...". The handler prepends the function's name.
struct SqlError {
  std::string message;
  int code = SQLITE_ERROR;  // SQLite's own code, such as SQLITE_BUSY, if SQLite failed, so that callers can retry
};

/// Thrown to return a result code to SQLite: SQLITE_BUSY, SQLITE_FULL, SQLITE_IOERR, ...
struct HostError {
  int code;
  std::string message;
};

/// Throws the error of the connection's last call, or std::bad_alloc for SQLITE_NOMEM.
[[noreturn]] void throw_host_error(sqlite3* db, int code);
/// Throws as throw_host_error does unless the code is SQLITE_OK.
inline void require_ok(sqlite3* db, int code) {
  if (code != SQLITE_OK) throw_host_error(db, code);
}

/// Returns the value of a Result, or throws its error as a SqlError.
template <class T>
T unwrap(Result<T> result) {
  if (!result.has_value()) throw SqlError{result.error().message};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

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
  [[nodiscard]] bool is_null(std::size_t arg) const { return sqlite3_value_type(args[arg]) == SQLITE_NULL; }
};

using SqlCallback = void (*)(sqlite3_context*, int, sqlite3_value**);
using SqlFinalizer = void (*)(sqlite3_context*);

/// Reports the current exception as the call's error: SQLITE_NOMEM for std::bad_alloc, else a message.
void report_exception(sqlite3_context* context) noexcept;

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
  try {
    body(Call{context, {}});
  } catch (...) {
    report_exception(context);
  }
}

/// The bytes of a key. Borrows the value until the call ends.
class KeyBytes {
 public:
  explicit KeyBytes(sqlite3_value* value);
  [[nodiscard]] bool is_null() const noexcept { return is_null_; }
  [[nodiscard]] std::string_view view() const noexcept { return number_ ? number_->view() : bytes_; }
  /// The key's hash in a filter with this hash function and seed. The key must not be NULL. Throws SqlError if a filter
  /// of ordered numbers does not support the key.
  [[nodiscard]] std::uint64_t hash(HashId id, std::uint64_t seed) const;

 private:
  sqlite3_value* value_;
  bool is_null_ = false;
  std::optional<NumberKey> number_;
  std::string_view bytes_;
};

/// The ordered numbers from `low` to `high`, inclusive (crivo/ordered.h). For blobs, the range ends with the last key
/// that starts with `high`. Throws SqlError unless both are INTEGER or both BLOB.
struct KeyRange {
  KeyRange(sqlite3_value* low_value, sqlite3_value* high_value);
  std::uint64_t low;
  std::uint64_t high;
};

/// Clamps a count to SQLite's largest integer, 2^63 - 1.
[[nodiscard]] constexpr std::int64_t saturated(std::uint64_t count) noexcept {
  return static_cast<std::int64_t>(std::min(count, std::uint64_t{INT64_MAX}));
}

// Owns a copy of a SQL value, which outlives the call.
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

/// The value of an INTEGER or of a REAL without a fraction, as 1 and 1.0 are the same key. No value for anything else.
[[nodiscard]] std::optional<std::int64_t> whole_number(sqlite3_value* value);

/// Formats a value for an error message: 12, 0.5, 'text', a blob of 3 bytes, NULL.
[[nodiscard]] std::string shown(sqlite3_value* value);

/// The argument as the name of a table, column or schema, until the call ends. Throws SqlError unless it is a text
/// without NUL, at which SQLite would cut the name off.
[[nodiscard]] const char* name_arg(const Call& call, std::size_t arg, const char* field);

/// The largest payload, in bytes, for which the blob with its header fits SQLITE_LIMIT_LENGTH.
[[nodiscard]] std::uint64_t max_payload_bytes(sqlite3* db);
/// Throws SqlError if the payload would be larger than max_bytes.
void require_payload_fits(std::uint64_t bytes, std::uint64_t max_bytes);

/// Borrows the bytes of a BLOB. Throws std::bad_alloc.
[[nodiscard]] std::span<const std::byte> blob_of(sqlite3_value* value);

/// An argument that must be a filter. All functions read filters through this type. Borrows the value.
struct FilterArgument {
  /// Throws SqlError unless the value is a BLOB. Errors give the argument's `position`, from 1.
  FilterArgument(sqlite3* db, sqlite3_value* value, std::size_t position);
  /// The argument of a function (Call) or of a table-valued function (TableCall).
  FilterArgument(const auto& call, std::size_t arg) : FilterArgument(call.db(), call.args[arg], arg + 1) {}
  /// Decodes and validates the filter. A raw payload is borrowed, not copied. Throws SqlError.
  [[nodiscard]] OpenedBlob open() const { return unwrap(parse_blob(bytes, limits)); }
  std::span<const std::byte> bytes;
  ReadLimits limits;
};
[[nodiscard]] OpenedBlob open_filter(const auto& call, std::size_t arg) { return FilterArgument(call, arg).open(); }

void set_result(const Call& call, const FilterRef& filter, BlobForm form = BlobForm::kAuto,
                int level = kDefaultCompressionLevel);
void set_result(const Call& call, std::string_view text);

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

/// Takes ownership of the group's state at the end of the group. Null if the group had no rows.
template <class State>
std::unique_ptr<State> take_aggregate_state(const Call& call) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(call.context, 0));
  return std::unique_ptr<State>(slot == nullptr ? nullptr : std::exchange(*slot, nullptr));
}

}  // namespace crivo::sqlite
