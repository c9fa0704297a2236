// Filter policies of RocksDB's interface as contestants: the built-in ones and those of Crivo's plugin.
#include <rocksdb/table.h>

#include <cstdio>

#include "abi.h"
#include "contestant.h"
#include "rocksdb_library.h"

namespace crivo::bench {
namespace {

using rocksdb::FilterPolicy;
using rocksdb::Slice;

class PolicyFilter final : public ContestantLoops<PolicyFilter> {
 public:
  PolicyFilter(std::string name, std::shared_ptr<const FilterPolicy> policy)
      : name_(std::move(name)), policy_(std::move(policy)) {}

  std::string name() const override { return name_; }
  void build(const KeyList& keys) override {
    reader_.reset();
    const rocksdb::BlockBasedTableOptions table;
    const rocksdb::FilterBuildingContext context(table);
    const std::unique_ptr<abi::FilterBitsBuilder> builder(
        reinterpret_cast<abi::FilterBitsBuilder*>(policy_->GetBuilderWithContext(context)));
    for (std::size_t i = 0; i < keys.size(); ++i) builder->AddKey({keys[i].data(), keys[i].size()});
    contents_ = builder->Finish(&buffer_);
    reader_.reset(reinterpret_cast<abi::FilterBitsReader*>(policy_->GetFilterBitsReader(contents_)));
  }
  double bits() const override { return 8.0 * static_cast<double>(contents_.size()); }

  bool contains(std::string_view key) const { return reader_->MayMatch(Slice(key.data(), key.size())); }
  void contains_batch(const std::string_view* keys, std::size_t count, bool* hits) const {
    Slice slices[kBatch];
    Slice* pointers[kBatch];
    for (std::size_t i = 0; i < count; ++i) {
      slices[i] = Slice(keys[i].data(), keys[i].size());
      pointers[i] = &slices[i];
    }
    reader_->MayMatch(static_cast<int>(count), pointers, hits);
  }

 private:
  std::string name_;
  std::shared_ptr<const FilterPolicy> policy_;
  std::unique_ptr<const char[]> buffer_;
  Slice contents_;
  std::unique_ptr<abi::FilterBitsReader> reader_;
};

std::string label(const std::string& source, const std::string& policy, double bits_per_key) {
  char bits[32];
  std::snprintf(bits, sizeof bits, "%g", bits_per_key);
  return source + " " + policy + " " + bits;
}

}  // namespace

std::unique_ptr<Contestant> make_rocksdb(const std::string& policy, double bits_per_key) {
  std::shared_ptr<const FilterPolicy> made(policy == "Ribbon" ? rocksdb::NewRibbonFilterPolicy(bits_per_key)
                                                              : rocksdb::NewBloomFilterPolicy(bits_per_key));
  return std::make_unique<PolicyFilter>(label(kInstalledRocksdb, policy, bits_per_key), std::move(made));
}

std::unique_ptr<Contestant> make_source_rocksdb(const std::string& policy, double bits_per_key) {
  const RocksdbLibrary* library = RocksdbLibrary::get();
  if (library == nullptr) return nullptr;
  return std::make_unique<PolicyFilter>(label(kSourceRocksdb, policy, bits_per_key),
                                        library->policy(policy, bits_per_key));
}

std::unique_ptr<Contestant> make_plugin(const std::string& option_string) {
  return std::make_unique<PolicyFilter>("plugin " + option_string, policy_from(option_string));
}

}  // namespace crivo::bench
