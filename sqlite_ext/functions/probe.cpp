// bloom_probe: looks up each key of a JSON array; one row per key. sqlite_ext/README.md documents it.
#include "functions.h"
#include "functions/ask.h"
#include "functions/table_valued.h"
#include "values/json_keys.h"

namespace crivo::sqlite {
namespace {

constexpr const char* kColumns[] = {"key", "maybe INTEGER"};
constexpr const char* kArguments[] = {"filter", "keys"};

/// Reads the array twice: first to hash and look up all keys at once, then again row by row. So no key is copied, and a
/// large array takes nine bytes per key.
class ProbeRows final : public Rows {
 public:
  /// Borrows the array. If `filter` is null, every answer is NULL.
  ProbeRows(sqlite3* db, sqlite3_value* array, const FilterRef* filter) : keys_(db, array) {
    if (filter == nullptr) return;
    const std::vector<std::uint64_t> hashes = hash_json_keys(db, array, filter->shape());
    hits_ = std::make_unique<bool[]>(hashes.size());
    filter->may_contain_hashes(hashes, {hits_.get(), hashes.size()});
  }
  bool next() override {
    if (!keys_.next()) return false;
    if (!keys_.is_null()) ++asked_;
    return true;
  }
  void set_column(sqlite3_context* context, int column) const override {
    if (column == 0) return keys_.set_result(context);
    if (hits_ != nullptr && !keys_.is_null()) set_value(context, std::int64_t{hits_[asked_ - 1]});
  }

 private:
  JsonKeys keys_;
  std::unique_ptr<bool[]> hits_;  // one answer for each key that is not NULL
  std::size_t asked_ = 0;
};

std::unique_ptr<Rows> probe(const TableCall& call) {
  if (call.is_null(1)) return nullptr;
  if (!call.is_null(0)) {
    const OpenedBlob filter = open_filter(call, 0);
    return std::make_unique<ProbeRows>(call.db(), call.args[1], &filter.ref());
  }
  const OwnedFilter* const opened = opened_filter(call.given[0]);
  return std::make_unique<ProbeRows>(call.db(), call.args[1], opened != nullptr ? &opened->ref : nullptr);
}

}  // namespace

constinit const TableFunction kBloomProbe{"bloom_probe", kColumns, kArguments, 2, 100, probe};

}  // namespace crivo::sqlite
