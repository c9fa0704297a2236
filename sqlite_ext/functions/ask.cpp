#include "functions/ask.h"

#include <cstring>
#include <utility>

#include "crivo/hash.h"

namespace crivo::sqlite {
namespace {

/// The payload sizes that a connection caches. Decoding a smaller payload is as fast as a cache lookup.
constexpr std::size_t kMinKeptBytes = 4096;
constexpr std::size_t kMaxKeptBytes = std::size_t{32} << 20;

/// The auxiliary data of an argument that an earlier call of the statement decoded. Only its address matters.
constexpr char kMarker = 0;

/// Not inlined, so that the common query needs no stack frame.
[[gnu::noinline]] const OwnedFilter* keep_beside_argument(const Call& call) {
  auto filter = std::make_unique<OwnedFilter>(open_filter(call, 0).into_filter());
  sqlite3_set_auxdata(call.context, 0, filter.release(), delete_as<OwnedFilter>);
  return static_cast<const OwnedFilter*>(sqlite3_get_auxdata(call.context, 0));  // null if SQLite is out of memory
}

}  // namespace

const OwnedFilter* ready_filter(const Call& call) {
  const void* const beside = sqlite3_get_auxdata(call.context, 0);
  if (beside != nullptr && beside != &kMarker) return static_cast<const OwnedFilter*>(beside);
  if (call.is_null(0)) return opened_filter(call.args[0]);
  if (beside != nullptr) return keep_beside_argument(call);
  sqlite3_set_auxdata(call.context, 0, const_cast<char*>(&kMarker), nullptr);
  return nullptr;
}

const OwnedFilter* opened_filter(sqlite3_value* value) {
  return static_cast<const OwnedFilter*>(sqlite3_value_pointer(value, kPointerType));
}

std::shared_ptr<const KeptFilter> kept_filter(const Connection& connection, const FilterArgument& given) {
  const auto& kept = connection.kept;
  const bool may_be = kept != nullptr && kept->blob_bytes == given.bytes.size() &&
                      kept->owned.ref.payload().size() <= given.limits.max_bytes &&
                      std::memcmp(kept->start.data(), given.bytes.data(), kept->start.size()) == 0;
  return may_be ? kept : nullptr;
}

void keep(Connection& connection, std::span<const std::byte> blob, OpenedBlob&& opened) {
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

}  // namespace crivo::sqlite
