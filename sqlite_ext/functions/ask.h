// Asks the filter in a function's first argument, without reading that filter again in every row.
//
// SQLite keeps auxiliary data from row to row only for an argument that is constant in the statement (a literal, a
// bound parameter), and drops it at once for any other (a column, a scalar subquery). So the first call leaves a marker
// and borrows the filter; only where the marker has survived is the filter copied and kept with the argument.
//
// Any other argument is a new copy of the value in every row or statement. Checking it takes as long as SQLite's copy,
// and decoding some twenty times as long, so the connection keeps one filter: the compressed one that was read last, or
// a raw one that was read twice in a row (a scan over a filter in each row would otherwise copy all of them). A
// compressed blob is known by all of its bytes. A raw one is known by its header, which holds the checksum of the rest.
// That is no proof: who makes blobs by hand can give two of them the same header. So the kept filter does not answer
// alone: the given payload is asked, too, and where the two disagree the blob is read in full.
#pragma once

#include <memory>
#include <optional>

#include "values/boundary.h"

namespace crivo::sqlite {

inline constexpr const char* kPointerType = "crivo filter";

/// The answer to one question; no value stands for NULL.
using Answer = std::optional<std::int64_t>;

/// The filter in argument 0 if it needs no reading: bloom_open left it in the argument, or an earlier call of this
/// statement left it beside the argument. Null if it must be read, or if the argument is NULL.
[[nodiscard]] const OwnedFilter* ready_filter(const Call& call);

/// The filter that bloom_open left in a value; null if the value does not come from bloom_open.
[[nodiscard]] const OwnedFilter* opened_filter(sqlite3_value* value);

/// The connection's filter, if this blob may be its; null if not. Shared: a question may run a statement that keeps
/// another.
[[nodiscard]] std::shared_ptr<const KeptFilter> kept_filter(const Connection& connection, const FilterArgument& given);
/// Keeps the filter of a blob that was asked for the connection, if it is worth it.
void keep(Connection& connection, std::span<const std::byte> blob, OpenedBlob&& opened);

/// What `ask(const FilterRef&)` answers about the filter in argument 0; no value if that argument is NULL.
template <class Ask>
[[nodiscard]] Answer answer_of(const Call& call, const Ask& ask) {
  if (const OwnedFilter* const ready = ready_filter(call)) return ask(ready->ref);
  if (call.is_null(0)) return {};
  const FilterArgument given(call, 0);
  if (const auto kept = kept_filter(call.connection(), given)) {
    const FilterRef& ref = kept->owned.ref;
    if (kept->start.size() == given.bytes.size()) return ask(ref);
    if (const auto same = FilterRef::open(ref.shape(), ref.facts(), given.bytes.subspan(kBlobHeaderBytes))) {
      if (const Answer answer = ask(*same); answer == ask(ref)) return answer;
    }
  }
  OpenedBlob opened = given.open();
  const Answer answer = ask(opened.ref());
  keep(call.connection(), given.bytes, std::move(opened));
  return answer;
}

/// Sets that answer as the call's result.
template <class Ask>
void ask_filter(const Call& call, const Ask& ask) {
  if (const Answer answer = answer_of(call, ask)) sqlite3_result_int64(call.context, *answer);
}

}  // namespace crivo::sqlite
