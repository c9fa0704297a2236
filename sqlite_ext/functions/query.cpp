#include "functions/query.h"

#include <cstring>
#include <utility>

#include "crivo/hash.h"

namespace crivo::sqlite {
namespace {

/// The limits of a cached payload. The minimum applies only to raw blobs: the cache would not speed up smaller ones.
constexpr std::size_t kMinCachedBytes = 4096;
constexpr std::size_t kMaxCachedBytes = std::size_t{32} << 20;

/// The auxiliary data that the first call of a statement sets. Only the address of kMarker matters.
constexpr char kMarker = 0;

/// Not inlined, so that the common query needs no stack frame.
[[gnu::noinline]] const OwnedFilter* store_in_auxdata(const Call& call) {
  auto filter = std::make_unique<OwnedFilter>(open_filter(call, 0).into_filter());
  sqlite3_set_auxdata(call.context, 0, filter.release(), delete_as<OwnedFilter>);
  return static_cast<const OwnedFilter*>(sqlite3_get_auxdata(call.context, 0));  // null if SQLite is out of memory
}

}  // namespace

const OwnedFilter* ready_filter(const Call& call) {
  const void* const auxdata = sqlite3_get_auxdata(call.context, 0);
  if (auxdata != nullptr && auxdata != &kMarker) return static_cast<const OwnedFilter*>(auxdata);
  if (call.is_null(0)) return opened_filter(call.args[0]);
  if (auxdata != nullptr) return store_in_auxdata(call);
  sqlite3_set_auxdata(call.context, 0, const_cast<char*>(&kMarker), nullptr);
  return nullptr;
}

const OwnedFilter* opened_filter(sqlite3_value* value) {
  return static_cast<const OwnedFilter*>(sqlite3_value_pointer(value, kPointerType));
}

std::shared_ptr<const CachedFilter> cached_filter(const Connection& connection, const FilterArgument& given) {
  const auto& cached = connection.cached;
  const bool matches = cached != nullptr && cached->blob_bytes == given.bytes.size() &&
                       cached->owned.ref.payload().size() <= given.limits.max_bytes &&
                       std::memcmp(cached->blob_prefix.data(), given.bytes.data(), cached->blob_prefix.size()) == 0;
  return matches ? cached : nullptr;
}

void cache_filter(Connection& connection, std::span<const std::byte> blob, OpenedBlob&& opened) {
  const bool raw = opened.codec() == Codec::kRaw;
  const std::size_t bytes = opened.ref().payload().size();
  const std::span<const std::byte> prefix = raw ? blob.first(kBlobHeaderBytes) : blob;
  if (bytes > kMaxCachedBytes || (raw && bytes < kMinCachedBytes)) return;
  if (raw) {
    const std::uint64_t header = hash_key({reinterpret_cast<const char*>(prefix.data()), prefix.size()}, 0);
    if (std::exchange(connection.last_raw_header, header) != header) return;
  }
  connection.cached = std::make_shared<const CachedFilter>(prefix, blob.size(), std::move(opened).into_filter());
}

}  // namespace crivo::sqlite
