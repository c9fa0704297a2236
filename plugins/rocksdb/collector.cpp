#include "collector.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "crivo/rocksdb.h"
#include "filter_record.h"

namespace crivo {
namespace {

constexpr const char* kProperty = "crivo.filter";

/// "ribbon"; "none" where no filter could be built, "ribbon+none" where that was so in some of the partitions.
std::string property_text(const FilterRecord& record) {
  if (record.filters() == 0) return "none";
  return std::string(kind_name(record.kind())) + (record.always_maybe() != 0 ? "+none" : "");
}

class Collector final : public rocksdb::TablePropertiesCollector {
 public:
  /// `record` is null if the file has no filter of ours.
  explicit Collector(std::shared_ptr<const FilterRecord> record) noexcept : record_(std::move(record)) {}

  const char* Name() const override { return CollectorFactory::kName; }
  rocksdb::Status AddUserKey(const rocksdb::Slice&, const rocksdb::Slice&, rocksdb::EntryType, rocksdb::SequenceNumber,
                             std::uint64_t) override {
    return rocksdb::Status::OK();
  }
  /// RocksDB calls this after the filter blocks were finished.
  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override try {
    properties->merge(read());
    return rocksdb::Status::OK();
  } catch (const std::bad_alloc&) {
    return rocksdb::Status::MemoryLimit();
  }
  rocksdb::UserCollectedProperties GetReadableProperties() const override try {
    return read();
  } catch (const std::bad_alloc&) {
    return {};
  }

 private:
  [[nodiscard]] rocksdb::UserCollectedProperties read() const {
    if (record_ == nullptr || record_->filters() + record_->always_maybe() == 0) return {};
    return {{kProperty, property_text(*record_)}};
  }

  std::shared_ptr<const FilterRecord> record_;
};

}  // namespace

// Some versions of RocksDB that we support do not take null for "no collector". So this throws std::bad_alloc where
// there is no memory, just as RocksDB's own next step does, which allocates a wrapper for the collector.
rocksdb::TablePropertiesCollector* CollectorFactory::CreateTablePropertiesCollector(Context) {
  return new Collector(take_record());
}

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewRocksDBFilterCollector() {
  return std::make_shared<CollectorFactory>();
}

}  // namespace crivo
