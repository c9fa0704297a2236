// bloom_dump and bloom_load_agg: split a filter into chunks, and join them. sqlite_ext/README.md documents them.
#include <array>
#include <optional>

#include "crivo/host/chunks.h"
#include "functions.h"
#include "functions/table_valued.h"
#include "values/filter_argument.h"

namespace crivo::sqlite {
namespace {

constexpr const char* kColumns[] = {"seq INTEGER", "chunk BLOB"};
constexpr const char* kArguments[] = {"filter", "chunk_bytes"};

/// Makes each chunk when its column is read, so that only one chunk at a time is in memory.
class DumpRows final : public Rows {
 public:
  explicit DumpRows(const ChunkWriter& writer) : writer_(writer) {}
  bool next() override { return ++chunk_ <= writer_.chunks(); }
  void set_column(sqlite3_context* context, int column) const override {
    if (column == 0) return set_value(context, chunk_ - 1);
    set_value(context, writer_.chunk(chunk_ - 1));
  }

 private:
  ChunkWriter writer_;
  std::uint64_t chunk_ = 0;
};

std::size_t parse_chunk_bytes(const TableCall& call) {
  if (call.is_null(1)) return kDefaultChunkBytes;
  sqlite3_value* const value = call.args[1];
  const std::int64_t bytes = sqlite3_value_int64(value);
  if (sqlite3_value_type(value) != SQLITE_INTEGER || bytes < std::int64_t{kMinChunkBytes} ||
      bytes > std::int64_t{kMaxChunkBytes}) {
    throw SqlError{"chunk_bytes must be an integer from " + std::to_string(kMinChunkBytes) + " to " +
                   std::to_string(kMaxChunkBytes) + ", got " + shown(value)};
  }
  return static_cast<std::size_t>(bytes);
}

std::unique_ptr<Rows> dump(const TableCall& call) {
  const std::size_t chunk_bytes = parse_chunk_bytes(call);
  if (call.is_null(0)) return nullptr;
  const FilterArgument given(call, 0);
  (void)open_stored(given.bytes, given.limits);
  return std::make_unique<DumpRows>(unwrap(ChunkWriter::create(given.bytes, chunk_bytes)));
}

using LoadState = std::optional<ChunkReader>;

void bloom_load_agg_step(const Call& call) {
  auto& state = aggregate_state<LoadState>(call);
  if (call.is_null(1)) return;
  const std::int64_t seq = sqlite3_value_int64(call.args[0]);
  if (sqlite3_value_type(call.args[0]) != SQLITE_INTEGER || seq < 0) {
    throw SqlError{"seq must be an integer of at least 0, got " + shown(call.args[0])};
  }
  if (sqlite3_value_type(call.args[1]) != SQLITE_BLOB) {
    throw SqlError{"chunk " + std::to_string(seq) + " must be a blob, got " + shown(call.args[1])};
  }
  if (!state) state.emplace(kBlobHeaderBytes + max_payload_bytes(call.db()));
  unwrap(state->add(blob_of(call.args[1]), static_cast<std::uint64_t>(seq)));
}

void bloom_load_agg_finish(const Call& call) {
  const std::unique_ptr<LoadState> state = release_aggregate_state<LoadState>(call);
  if (state == nullptr || !*state) return;
  const std::vector<std::byte> blob = unwrap(std::move(**state).finish());
  (void)open_stored(blob, {.max_bytes = max_payload_bytes(call.db())});
  set_value(call.context, blob);
}

constexpr std::array kFunctions = {
    FunctionRow{"bloom_load_agg", 2, 2, kPure, guarded<bloom_load_agg_step>, guarded_finish<bloom_load_agg_finish>},
};

}  // namespace

std::span<const FunctionRow> chunk_functions() noexcept { return kFunctions; }

constinit const TableFunction kBloomDump{"bloom_dump", kColumns, kArguments, 1, 100, dump};

}  // namespace crivo::sqlite
