// Asks the filter in a function's first argument, without reading that filter again in every row.
//
// SQLite keeps auxiliary data from row to row only for an argument that is constant in the statement (a literal, a
// bound parameter), and drops it at once for any other (a column, a scalar subquery). So the first call leaves a marker
// and borrows the filter; only where the marker has survived is the filter copied and kept with the argument.
//
// Any other argument is a new copy of the value in every row. A raw filter is then checked in every row, which takes
// about as long as SQLite's copy of it. Decoding takes some twenty times as long, so the connection keeps the filter
// that it decoded last, and takes it for a blob with the very same bytes. The address of a blob says nothing about its
// content, and is never looked at.
#pragma once

#include <cstring>
#include <memory>
#include <optional>

#include "values/boundary.h"

namespace crivo::sqlite {

inline constexpr char kSeenOnce = 0;  // the marker: only its address counts

inline constexpr const char* kPointerType = "crivo filter";

/// The largest payload that a connection keeps.
inline constexpr std::size_t kMaxDecodedBytes = std::size_t{32} << 20;

/// The answer to one question; no value stands for NULL.
using Answer = std::optional<std::int64_t>;

inline void free_owned(void* owned) { std::unique_ptr<OwnedFilter>(static_cast<OwnedFilter*>(owned)); }

/// The filter that bloom_open left in a value; null if the value does not come from bloom_open.
inline const OwnedFilter* opened_filter(sqlite3_value* value) {
  return static_cast<const OwnedFilter*>(sqlite3_value_pointer(value, kPointerType));
}

/// Asks the filter in argument 0, which is no constant as far as is known.
template <class Ask>
[[nodiscard]] Answer answer_of_blob(const Call& call, const Ask& ask) {
  const std::span<const std::byte> blob = filter_bytes(call, 0);
  const auto last = call.connection().decoded;  // shared: the question may run a statement that decodes another
  if (last != nullptr && last->blob.size() == blob.size() &&
      last->owned.ref.payload().size() <= max_payload_bytes(call.context) &&
      std::memcmp(last->blob.data(), blob.data(), blob.size()) == 0) {
    return ask(last->owned.ref);
  }
  OpenedBlob opened = open_filter(call, 0);
  const Answer answer = ask(opened.ref());
  if (opened.codec() != Codec::kRaw && opened.ref().payload().size() <= kMaxDecodedBytes) {
    call.connection().decoded = std::make_shared<const DecodedFilter>(blob, std::move(opened).into_filter());
  }
  return answer;
}

/// Returns what `ask(const FilterRef&)` answers about the filter in argument 0, or nothing (SQL's NULL) if that
/// argument is NULL.
template <class Ask>
[[nodiscard]] Answer answer_of(const Call& call, const Ask& ask) {
  void* const kept = sqlite3_get_auxdata(call.context, 0);
  if (kept != nullptr && kept != &kSeenOnce) return ask(static_cast<const OwnedFilter*>(kept)->ref);
  if (call.is_null(0)) {
    const OwnedFilter* const opened = opened_filter(call.args[0]);
    return opened != nullptr ? ask(opened->ref) : Answer{};
  }
  if (kept == nullptr) {
    const Answer answer = answer_of_blob(call, ask);
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
