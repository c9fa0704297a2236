// Asks the filter in a function's first argument, without reading that filter again in every row.
//
// SQLite keeps auxiliary data from row to row only for an argument that is constant in the statement (a literal, a
// bound parameter), and drops it at once for any other (a column, a scalar subquery). So the first call leaves a marker
// and borrows the filter; only where the marker has survived is the filter copied and kept with the argument. All other
// filters are found among those that the connection keeps. The address of a blob says nothing about its content, and is
// never looked at.
#pragma once

#include <memory>

#include "values/boundary.h"
#include "values/kept_filters.h"

namespace crivo::sqlite {

inline constexpr char kSeenOnce = 0;  // the marker: only its address counts

inline constexpr const char* kPointerType = "crivo filter";

inline void free_owned(void* owned) { std::unique_ptr<OwnedFilter>(static_cast<OwnedFilter*>(owned)); }

/// The filter that bloom_open left in a value; null if the value does not come from bloom_open.
inline const OwnedFilter* opened_filter(sqlite3_value* value) {
  return static_cast<const OwnedFilter*>(sqlite3_value_pointer(value, kPointerType));
}

/// Returns what `ask(const FilterRef&)` answers about the filter in argument 0, or nothing (SQL's NULL) if that
/// argument is NULL. `ask` may be called twice.
template <class Ask>
[[nodiscard]] Answer answer_of(const Call& call, const Ask& ask) {
  void* const kept = sqlite3_get_auxdata(call.context, 0);
  if (kept != nullptr && kept != &kSeenOnce) return ask(static_cast<const OwnedFilter*>(kept)->ref);
  if (call.is_null(0)) {
    const OwnedFilter* const opened = opened_filter(call.args[0]);
    return opened != nullptr ? ask(opened->ref) : Answer{};
  }
  if (kept == nullptr) {
    const ReadLimits limits{.max_bytes = max_payload_bytes(call.context)};
    const Answer answer = unwrap(call.connection().kept.ask(filter_bytes(call, 0), limits, ask));
    sqlite3_set_auxdata(call.context, 0, const_cast<char*>(&kSeenOnce), nullptr);
    return answer;
  }
  auto filter = std::make_unique<OwnedFilter>(open_filter(call, 0).into_filter());
  const Answer answer = ask(filter->ref);  // asks before SQLite takes the filter, as SQLite may free it at once
  sqlite3_set_auxdata(call.context, 0, filter.release(), free_owned);
  return answer;
}

/// Does the same and sets the answer as the call's result.
template <class Ask>
void ask_filter(const Call& call, const Ask& ask) {
  const Answer answer = answer_of(call, ask);
  if (answer) sqlite3_result_int64(call.context, *answer);
}

}  // namespace crivo::sqlite
