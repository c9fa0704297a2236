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

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "crivo/hash.h"
#include "values/boundary.h"

namespace crivo::sqlite {

inline constexpr char kSeenOnce = 0;  // the marker: only its address counts

inline constexpr const char* kPointerType = "crivo filter";

/// The payloads that a connection keeps: those of fewer bytes are read as fast as they are found.
inline constexpr std::size_t kMinKeptBytes = 4096;
inline constexpr std::size_t kMaxKeptBytes = std::size_t{32} << 20;

/// The answer to one question; no value stands for NULL.
using Answer = std::optional<std::int64_t>;

inline void free_owned(void* owned) { std::unique_ptr<OwnedFilter>(static_cast<OwnedFilter*>(owned)); }

/// The filter that bloom_open left in a value; null if the value does not come from bloom_open.
inline const OwnedFilter* opened_filter(sqlite3_value* value) {
  return static_cast<const OwnedFilter*>(sqlite3_value_pointer(value, kPointerType));
}

/// Keeps the filter of a blob that was asked, if it is worth it.
inline void keep(Connection& connection, std::span<const std::byte> blob, OpenedBlob&& opened) {
  const bool raw = opened.codec() == Codec::kRaw;
  const std::size_t bytes = opened.ref().payload().size();
  const std::span<const std::byte> start = raw ? blob.first(kBlobHeaderBytes) : blob;
  if (bytes > kMaxKeptBytes || (raw && bytes < kMinKeptBytes)) return;
  if (raw) {
    const std::uint64_t id = hash_key({reinterpret_cast<const char*>(start.data()), start.size()}, 0);
    if (std::exchange(connection.asked_last, id) != id) return;
  }
  connection.kept = std::make_shared<const KeptFilter>(start, blob.size(), std::move(opened).into_filter());
}

/// Asks the filter in argument 0, which is no constant as far as is known.
template <class Ask>
[[nodiscard]] Answer answer_of_blob(const Call& call, const Ask& ask) {
  const std::span<const std::byte> blob = filter_bytes(call, 0);
  const auto kept = call.connection().kept;  // shared: the question may run a statement that keeps another
  if (kept != nullptr && kept->blob_bytes == blob.size() &&
      kept->owned.ref.payload().size() <= max_payload_bytes(call.context) &&
      std::memcmp(kept->start.data(), blob.data(), kept->start.size()) == 0) {
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
