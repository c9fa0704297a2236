// The scalar functions on two or more filters; sqlite_ext/README.md documents them.
#include <array>

#include "crivo/similarity.h"
#include "functions.h"

namespace crivo::sqlite {
namespace {

void merge_all(const Call& call, Result<void> (AnyFilter::*merge)(const FilterRef& other)) {
  require_args(call, 2);
  AnyFilter merged = open_filter(call, 0).into_filter();
  for (std::size_t arg = 1; arg < call.args.size(); ++arg) unwrap((merged.*merge)(open_filter(call, arg).ref()));
  set_result(call, merged.ref());
}

void bloom_union(const Call& call) { merge_all(call, &AnyFilter::unite); }
void bloom_intersect(const Call& call) { merge_all(call, &AnyFilter::intersect); }

void bloom_jaccard(const Call& call) {
  if (call.is_null(0) || call.is_null(1)) return;
  const auto similarity = unwrap(compare(open_filter(call, 0).ref(), open_filter(call, 1).ref()));
  if (similarity) sqlite3_result_double(call.context, similarity->jaccard);
}

constexpr std::array kSetFunctions = {
    FunctionRow{"bloom_union", 2, kAnyNumber, kPure, guarded<bloom_union>},
    FunctionRow{"bloom_intersect", 2, kAnyNumber, kPure, guarded<bloom_intersect>},
    FunctionRow{"bloom_jaccard", 2, 2, kPure, guarded<bloom_jaccard>},
};

}  // namespace

std::span<const FunctionRow> set_functions() noexcept { return kSetFunctions; }

}  // namespace crivo::sqlite
