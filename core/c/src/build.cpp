// Makes filters from options and keys, and from other filters.
#include <algorithm>
#include <vector>

#include "arguments.h"
#include "crivo/builder.h"
#include "crivo/convert.h"
#include "crivo/kinds.h"
#include "handle.h"

namespace crivo::c {

namespace {

/// The share of a build's progress for hashing the keys.
constexpr double kHashShare = 0.25;

/// Calls `Result<void> use(hashes)` for batches of the keys' hashes, and calls the progress function.
template <class Use>
Result<void> hash_with_progress(const Keys& keys, const Request& request, Use&& use) {
  constexpr std::uint64_t kKeysPerReport = 1 << 16;
  const auto& progress = request.options.progress;
  std::uint64_t hashed = 0;
  std::uint64_t next_report = kKeysPerReport;
  return keys.hash(hash_id_of(request.spec.kind), request.spec.seed,
                   [&](std::span<const std::uint64_t> hashes) -> Result<void> {
                     if (auto used = use(hashes); !used) return used;
                     hashed += hashes.size();
                     if (progress == nullptr || hashed < next_report) return {};
                     next_report += kKeysPerReport;
                     if (progress(kHashShare * static_cast<double>(hashed) / static_cast<double>(keys.count())))
                       return {};
                     return Error{ErrorCode::kCancelled, "cancelled by the progress function"};
                   });
}

BuildOptions after_hashing(const Request& request) {
  BuildOptions options = request.options;
  if (options.progress != nullptr) {
    options.progress = [&request](double done) {
      return request.options.progress(kHashShare + (1 - kHashShare) * done);
    };
  }
  return options;
}

Result<AnyFilter> build(const Request& request, const Keys& keys) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(static_cast<std::size_t>(keys.count()));
  unwrap(hash_with_progress(keys, request, [&](std::span<const std::uint64_t> batch) -> Result<void> {
    hashes.insert(hashes.end(), batch.begin(), batch.end());
    return {};
  }));
  return AnyFilter::build(request.spec, std::move(hashes), after_hashing(request));
}

/// The same for a request with a memory limit or without a capacity. FilterBuilder determines a missing capacity.
Result<AnyFilter> build_in_batches(const Request& request, const Keys& keys) {
  FilterBuilder builder = unwrap(FilterBuilder::create(request.spec, after_hashing(request)));
  unwrap(hash_with_progress(keys, request,
                            [&](std::span<const std::uint64_t> batch) { return builder.add_hashes(batch); }));
  return builder.finish();
}

Result<AnyFilter> build_in_batches(const Request& request, std::span<const std::uint64_t> hashes) {
  FilterBuilder builder = unwrap(FilterBuilder::create(request.spec, request.options));
  unwrap(builder.add_hashes(hashes));
  return builder.finish();
}

/// Whether the filter is built from all its hashes at once. This requires a known capacity and no memory limit.
bool in_memory(const Request& request) {
  return request.spec.capacity != 0 && request.options.max_memory == UINT64_MAX;
}

/// Validates keys. Errors name the argument `name` instead of "keys".
Keys checked_side(const char* name, const crivo_keys* keys) {
  try {
    return Keys(keys);
  } catch (Refused& refused) {
    refused.error.message.replace(0, std::string_view("keys").size(), name);
    throw;
  }
}

Result<AnyFilter> build_exact(const crivo_options* options, const crivo_keys* members, const crivo_keys* others) {
  const Request request = read_options(options, Kind::kExact);
  if (request.spec.kind != Kind::kExact) {
    throw Refused(Error{ErrorCode::kUnsupported, "kind must be exact, got " + kind_text(request.spec)});
  }
  const Keys of_members = checked_side("members", members);
  const Keys of_others = checked_side("others", others);
  FilterBuilder builder = unwrap(FilterBuilder::create(request.spec, request.options));
  std::vector<std::uint64_t> same;
  const auto add = [&](const Keys& keys, std::uint64_t value) {
    unwrap(keys.hash(HashId::kXxh3_64, request.spec.seed, [&](std::span<const std::uint64_t> hashes) {
      same.assign(hashes.size(), value);
      return builder.add_hashes(hashes, same);
    }));
  };
  add(of_members, 1);
  add(of_others, 0);
  return builder.finish();
}

Result<AnyFilter> create(const crivo_options* options) {
  check_given("options", options);
  const Request request = read_options(options);
  return AnyFilter::create(request.spec, request.options.max_bytes);
}

}  // namespace
}  // namespace crivo::c

using namespace crivo;
using namespace crivo::c;

crivo_status crivo_create(const crivo_options* options, crivo_filter** filter, crivo_error* error) {
  return hand_out("filter", filter, error, [&] { return create(options); });
}

crivo_status crivo_build(const crivo_options* options, const crivo_keys* keys, crivo_filter** filter,
                         crivo_error* error) {
  return hand_out("filter", filter, error, [&] {
    const Request request = read_options(options);
    const Keys checked(keys);
    return in_memory(request) ? build(request, checked) : build_in_batches(request, checked);
  });
}

crivo_status crivo_build_from_hashes(const crivo_options* options, const uint64_t* hashes, uint64_t count,
                                     crivo_filter** filter, crivo_error* error) {
  return hand_out("filter", filter, error, [&] {
    const Request request = read_options(options);
    const auto checked = checked_hashes(hashes, count);
    return in_memory(request) ? AnyFilter::build(request.spec, checked, request.options)
                              : build_in_batches(request, checked);
  });
}

crivo_status crivo_build_exact(const crivo_options* options, const crivo_keys* members, const crivo_keys* others,
                               crivo_filter** filter, crivo_error* error) {
  return hand_out("filter", filter, error, [&] { return build_exact(options, members, others); });
}

crivo_status crivo_copy(const crivo_filter* filter, crivo_filter** copy, crivo_error* error) {
  return hand_out("copy", copy, error, [&] { return copy_of(filter, "filter"); });
}

crivo_status crivo_drop_counts(const crivo_filter* filter, crivo_filter** blocked, crivo_error* error) {
  return hand_out("blocked", blocked, error, [&] { return read_whole(filter, "filter", &drop_counts); });
}
