// The scalar and aggregate functions on several filters; sqlite_ext/README.md documents them.
#include <array>
#include <optional>

#include "crivo/similarity.h"
#include "functions.h"
#include "values/filter_argument.h"

namespace crivo::sqlite {
namespace {

using Merge = Result<void> (AnyFilter::*)(const FilterRef& other);

template <Merge merge>
void merge_all(const Call& call) {
  require_args(call, 2);
  AnyFilter merged = open_filter(call, 0).into_filter();
  for (std::size_t arg = 1; arg < call.args.size(); ++arg) unwrap((merged.*merge)(open_filter(call, arg).ref()));
  set_result(call, merged.ref());
}

void bloom_jaccard(const Call& call) {
  if (call.is_null(0) || call.is_null(1)) return;
  const auto similarity = unwrap(compare(open_filter(call, 0).ref(), open_filter(call, 1).ref()));
  if (similarity) set_value(call.context, similarity->jaccard);
}

using MergeState = std::optional<AnyFilter>;

/// Copies the first filter of a group and merges the others into the copy. Skips NULL.
template <Merge merge>
void merge_step(const Call& call) {
  auto& state = aggregate_state<MergeState>(call);
  if (call.is_null(0)) return;
  OpenedBlob operand = open_filter(call, 0);
  if (state) {
    unwrap(((*state).*merge)(operand.ref()));
  } else {
    state = std::move(operand).into_filter();
  }
}

void merge_finish(const Call& call) {
  const std::unique_ptr<MergeState> state = release_aggregate_state<MergeState>(call);
  if (state != nullptr && *state) set_result(call, (*state)->ref());
}

constexpr std::array kSetFunctions = {
    FunctionRow{"bloom_union", 2, kAnyNumber, kPure, guarded<merge_all<&AnyFilter::unite>>},
    FunctionRow{"bloom_intersect", 2, kAnyNumber, kPure, guarded<merge_all<&AnyFilter::intersect>>},
    FunctionRow{"bloom_jaccard", 2, 2, kPure, guarded<bloom_jaccard>},
    FunctionRow{"bloom_union_agg", 1, 1, kPure, guarded<merge_step<&AnyFilter::unite>>, guarded_finish<merge_finish>},
    FunctionRow{"bloom_intersect_agg", 1, 1, kPure, guarded<merge_step<&AnyFilter::intersect>>,
                guarded_finish<merge_finish>},
};

}  // namespace

std::span<const FunctionRow> set_functions() noexcept { return kSetFunctions; }

}  // namespace crivo::sqlite
