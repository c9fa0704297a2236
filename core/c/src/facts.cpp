// The facts and statistics of a filter, and the similarity of two filters.
#include <limits>
#include <optional>

#include "arguments.h"
#include "boundary.h"
#include "crivo/similarity.h"
#include "handle.h"

namespace crivo::c {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Filter is FilterRef, MappedFilter or ShardedFilter. The functions called here do not read a file.
template <class Filter>
crivo_facts facts_of(const Filter& filter, std::uint64_t payload_bytes, bool read_only) {
  crivo_facts facts{};
  facts.kind = filter.kind().name.data();  // a literal, so NUL-terminated
  facts.capacity = filter.facts().capacity;
  facts.fp_rate = filter.facts().fp_rate;
  facts.keys = filter.facts().keys;
  facts.units = filter.shape().units;
  facts.k = filter.shape().k;
  facts.param = filter.shape().param;
  facts.seed = filter.shape().seed;
  facts.payload_bytes = payload_bytes;
  facts.can = capability_bits(filter.kind().can);
  facts.read_only = read_only ? 1 : 0;
  return facts;
}

crivo_stats stats_of(const FilterRef& ref) {
  const Stats known = ref.stats();
  crivo_stats stats{};
  stats.bits = known.bits;
  stats.bits_set = known.bits_set;
  stats.current_fp_rate = known.current_fp_rate;
  stats.cardinality = known.cardinality.value_or(kInfinite);
  return stats;
}

/// The result if a filter or the union is saturated. The other filter may still have an estimate.
crivo_similarity saturated(const FilterRef& first, const FilterRef& second) {
  crivo_similarity similarity{};
  similarity.first = first.stats().cardinality.value_or(kInfinite);
  similarity.second = second.stats().cardinality.value_or(kInfinite);
  similarity.united = kInfinite;
  similarity.common = kInfinite;
  similarity.jaccard = std::numeric_limits<double>::quiet_NaN();
  return similarity;
}

Result<crivo_similarity> similarity_of(const FilterRef& first, const FilterRef& second) {
  const Result<std::optional<Similarity>> compared = compare(first, second);
  if (!compared.has_value()) return compared.error();
  if (!*compared) return saturated(first, second);
  const Similarity& known = **compared;
  return crivo_similarity{0, known.first, known.second, known.united, known.common, known.jaccard};
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_get_facts(const crivo_filter* filter, crivo_facts* facts, crivo_error* error) {
  return fill_in("facts", facts, error, [&]() -> Result<crivo_facts> {
    check_given("filter", filter);
    if (filter->ref == nullptr) {
      return filter->query_file([](const auto& file) { return facts_of(file, file.payload_bytes(), true); });
    }
    return facts_of(*filter->ref, filter->ref->payload().size(), !std::holds_alternative<AnyFilter>(filter->held));
  });
}

crivo_status crivo_get_stats(const crivo_filter* filter, crivo_stats* stats, crivo_error* error) {
  return fill_in("stats", stats, error, [&] {
    return read_whole(filter, "filter", [](const FilterRef& ref) -> Result<crivo_stats> { return stats_of(ref); });
  });
}

crivo_status crivo_compare(const crivo_filter* first, const crivo_filter* second, crivo_similarity* similarity,
                           crivo_error* error) {
  return fill_in("similarity", similarity, error, [&] {
    check_given("first", first);
    check_given("second", second);
    if (second->ref == nullptr)
      (void)second->mapped();  // throws for a sharded filter, which read_whole's work must not
    return read_whole(first, "first", [&](const FilterRef& one) {
      return read_whole(second, "second", [&](const FilterRef& other) { return similarity_of(one, other); });
    });
  });
}
