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

/// Where the filter of a question is.
enum class Place {
  kNowhere,           // the argument is NULL
  kOpened,            // in the pointer value that bloom_open left
  kBesideArgument,    // with the argument, where an earlier call of this statement has kept it
  kConstantArgument,  // in the argument, which an earlier call has marked, so it pays to keep the filter beside it
  kArgument,          // in the argument, of which nothing is known
};
struct AskedFilter {
  Place place;
  const OwnedFilter* filter = nullptr;  // where it is opened or kept already
};
/// Decides where the filter in argument 0 is.
[[nodiscard]] AskedFilter find_filter(const Call& call);

inline constexpr char kMarker = 0;  // only its address counts
inline void free_owned(void* owned) { std::unique_ptr<OwnedFilter>(static_cast<OwnedFilter*>(owned)); }

/// The filter that bloom_open left in a value; null if the value does not come from bloom_open.
[[nodiscard]] const OwnedFilter* opened_filter(sqlite3_value* value);

/// The connection's filter, if this blob may be its; null if not. Shared: a question may run a statement that keeps
/// another.
[[nodiscard]] std::shared_ptr<const KeptFilter> kept_filter(const Call& call, std::span<const std::byte> blob);
/// Keeps the filter of a blob that was asked for the connection, if it is worth it.
void keep(Connection& connection, std::span<const std::byte> blob, OpenedBlob&& opened);

/// Asks the filter in argument 0, of which nothing is known.
template <class Ask>
[[nodiscard]] Answer answer_of_blob(const Call& call, const Ask& ask) {
  const std::span<const std::byte> blob = filter_bytes(call.args[0], 1);
  if (const auto kept = kept_filter(call, blob)) {
    const FilterRef& ref = kept->owned.ref;
    if (kept->start.size() == blob.size()) return ask(ref);
    if (const auto given = FilterRef::open(ref.shape(), ref.facts(), blob.subspan(kBlobHeaderBytes))) {
      if (const Answer answer = ask(*given); answer == ask(ref)) return answer;
    }
  }
  OpenedBlob opened = open_filter(call, 0);
  const Answer answer = ask(opened.ref());
  keep(call.connection(), blob, std::move(opened));
  return answer;
}

/// Sets what `ask(const FilterRef&)` answers about the filter in argument 0 as the call's result, or NULL if that
/// argument is NULL.
template <class Ask>
void ask_filter(const Call& call, const Ask& ask) {
  Answer answer;
  switch (const AskedFilter asked = find_filter(call); asked.place) {
    case Place::kNowhere:
      break;
    case Place::kOpened:
    case Place::kBesideArgument:
      answer = ask(asked.filter->ref);
      break;
    case Place::kConstantArgument: {
      auto filter = std::make_unique<OwnedFilter>(open_filter(call, 0).into_filter());
      answer = ask(filter->ref);
      sqlite3_set_auxdata(call.context, 0, filter.release(), free_owned);  // SQLite may free it at once
      break;
    }
    case Place::kArgument:
      answer = answer_of_blob(call, ask);
      sqlite3_set_auxdata(call.context, 0, const_cast<char*>(&kMarker), nullptr);
  }
  if (answer) sqlite3_result_int64(call.context, *answer);
}

}  // namespace crivo::sqlite
