// Filters that a statement asks row after row are parsed once, through SQLite's auxiliary data.
//
// SQLite keeps auxiliary data from row to row only for an argument that is constant in the statement (a literal, a
// bound parameter), and drops it at once for any other (a column, a scalar subquery). So the first call leaves a marker
// and borrows the filter; only where the marker has survived is the filter copied and kept. The address of a blob says
// nothing about its content, and is never looked at.
#pragma once

#include <memory>

#include "boundary.h"

namespace crivo::sqlite {

struct KeptFilter {
  explicit KeptFilter(AnyFilter&& kept) : filter(std::move(kept)), ref(filter.ref()) {}
  AnyFilter filter;
  FilterRef ref;
};

inline constexpr char kSeenOnce = 0;  // the marker: only its address counts

inline constexpr const char* kPointerType = "crivo filter";

inline void free_kept(void* kept) { std::unique_ptr<KeptFilter>(static_cast<KeptFilter*>(kept)); }

/// The filter that bloom_open left in an argument; null if it did not.
inline const KeptFilter* opened_filter(const Call& call, std::size_t arg) {
  return static_cast<const KeptFilter*>(sqlite3_value_pointer(call.args[arg], kPointerType));
}

/// Calls ask(const FilterRef&) with the filter in argument 0, or not at all if that is NULL.
template <class Ask>
void ask_filter(const Call& call, const Ask& ask) {
  void* const kept = sqlite3_get_auxdata(call.context, 0);
  if (kept != nullptr && kept != &kSeenOnce) return ask(static_cast<const KeptFilter*>(kept)->ref);
  if (call.is_null(0)) {
    const KeptFilter* const opened = opened_filter(call, 0);
    return opened != nullptr ? ask(opened->ref) : void();
  }
  if (kept == nullptr) {
    ask(open_filter(call, 0).ref());
    sqlite3_set_auxdata(call.context, 0, const_cast<char*>(&kSeenOnce), nullptr);
  } else {
    auto filter = std::make_unique<KeptFilter>(open_filter(call, 0).into_filter());
    ask(filter->ref);  // before SQLite has it, for it may free it at once
    sqlite3_set_auxdata(call.context, 0, filter.release(), free_kept);
  }
}

}  // namespace crivo::sqlite
