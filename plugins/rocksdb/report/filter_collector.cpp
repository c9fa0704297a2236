#include "report/filter_collector.h"

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/host/text.h"
#include "crivo/rocksdb.h"
#include "report/filter_record.h"
#include "sst/file_filters.h"

namespace crivo::plugin {
namespace {

/// The kinds of the file's blocks, joined by "+": "blocked", "ribbon", "always_maybe" (every key passes).
std::string kinds_text(const WrittenFilters& filters) {
  std::string text;
  const auto add = [&](std::uint64_t blocks, std::string_view name) {
    if (blocks != 0) text.append(text.empty() ? "" : "+").append(name);
  };
  add(filters.blocked.filters(), kind_name(Kind::kBlocked));
  add(filters.ribbon.filters(), kind_name(Kind::kRibbon));
  add(filters.always_maybe, "always_maybe");
  return text;
}

constexpr int kDigits = 4;  // the model is accurate to two or three digits

rocksdb::UserCollectedProperties properties_of(const FilterRecord& record) {
  const WrittenFilters filters = record.read();
  if (filters.keys() == 0) return {};  // the file has no filter, or one without keys
  rocksdb::UserCollectedProperties properties = {
      {sst::kStampProperty, record.stamp()},
      {"crivo.filter", kinds_text(filters)},
      {kBlocksProperty, std::to_string(filters.blocks())},
      {kBytesProperty, std::to_string(filters.bytes())},
      {"crivo.filter.predicted_fp_rate", number_text(filters.predicted_fp_rate(), kDigits)},
      {kKeysProperty, std::to_string(filters.keys())}};
  if (!record.key_transform().empty()) properties.emplace(kTransformProperty, record.key_transform());
  if (record.max_total_bytes() != 0) properties.emplace(kLimitProperty, std::to_string(record.max_total_bytes()));
  return properties;
}

/// A property name that contains the main values: sst_dump prints names as text, but values in hexadecimal.
std::string readable_name(const rocksdb::UserCollectedProperties& properties) {
  std::string name = "crivo.filter (" + properties.at("crivo.filter");
  for (const char* const each : {"blocks", "keys", "bytes", "predicted_fp_rate"}) {
    name.append(", ").append(each).append(1, ' ').append(properties.at(std::string("crivo.filter.") + each));
  }
  return name + ")";
}

class Collector final : public rocksdb::TablePropertiesCollector {
 public:
  /// `record` is null if the file has no Crivo filter.
  explicit Collector(std::shared_ptr<const FilterRecord> record) noexcept : record_(std::move(record)) {}

  const char* Name() const override { return CollectorFactory::kName; }
  rocksdb::Status AddUserKey(const rocksdb::Slice&, const rocksdb::Slice&, rocksdb::EntryType, rocksdb::SequenceNumber,
                             std::uint64_t) override {
    return rocksdb::Status::OK();
  }
  /// RocksDB calls this after the filter blocks were finished.
  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override try {
    rocksdb::UserCollectedProperties ours = read();
    if (!ours.empty()) ours.emplace(readable_name(ours), "");
    properties->merge(ours);
    return rocksdb::Status::OK();
  } catch (const std::bad_alloc&) {
    return rocksdb::Status::MemoryLimit();
  }
  /// For the file's line in LOG.
  rocksdb::UserCollectedProperties GetReadableProperties() const override try {
    return read();
  } catch (const std::bad_alloc&) {
    return {};
  }

 private:
  [[nodiscard]] rocksdb::UserCollectedProperties read() const {
    return record_ != nullptr ? properties_of(*record_) : rocksdb::UserCollectedProperties();
  }

  std::shared_ptr<const FilterRecord> record_;
};

}  // namespace

// Some supported versions of RocksDB do not accept null for "no collector". So this function throws std::bad_alloc if
// memory is short. RocksDB's next step, which allocates a wrapper for the collector, would throw, too.
rocksdb::TablePropertiesCollector* CollectorFactory::CreateTablePropertiesCollector(Context) {
  return new Collector(claim_record());
}

}  // namespace crivo::plugin
