// The control of the crash test. When preloaded, it makes RocksDB's own filter policies deny one key in 5,000. A crash
// test that does not detect this proves nothing.
#include <dlfcn.h>
#include <rocksdb/filter_policy.h>

#include <functional>
#include <memory>
#include <string_view>

#include "abi.h"

namespace {

constexpr std::size_t kOneIn = 5000;

bool is_denied(const rocksdb::Slice& key) {
  return std::hash<std::string_view>{}({key.data(), key.size()}) % kOneIn == 0;
}

class LossyReader final : public crivo::abi::FilterBitsReader {
 public:
  explicit LossyReader(rocksdb::FilterBitsReader* inner)
      : inner_(reinterpret_cast<crivo::abi::FilterBitsReader*>(inner)) {}
  bool MayMatch(const rocksdb::Slice& key) override { return !is_denied(key) && inner_->MayMatch(key); }
  void MayMatch(int count, rocksdb::Slice** keys, bool* may_match) override {
    inner_->MayMatch(count, keys, may_match);
    for (int i = 0; i < count; ++i) may_match[i] = may_match[i] && !is_denied(*keys[i]);
  }

 private:
  std::unique_ptr<crivo::abi::FilterBitsReader> inner_;
};

class LossyPolicy final : public rocksdb::FilterPolicy {
 public:
  explicit LossyPolicy(const rocksdb::FilterPolicy* inner) : inner_(inner) {}
  const char* Name() const override { return inner_->Name(); }
  const char* CompatibilityName() const override { return inner_->CompatibilityName(); }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const override {
    return inner_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    rocksdb::FilterBitsReader* inner = inner_->GetFilterBitsReader(contents);
    return inner == nullptr ? nullptr : reinterpret_cast<rocksdb::FilterBitsReader*>(new LossyReader(inner));
  }

 private:
  std::unique_ptr<const rocksdb::FilterPolicy> inner_;
};

#define NEW_BLOOM "_ZN7rocksdb20NewBloomFilterPolicyEdb"
#define NEW_RIBBON "_ZN7rocksdb21NewRibbonFilterPolicyEdi"

/// Calls RocksDB's function, and wraps its policy.
template <class... Arguments>
const rocksdb::FilterPolicy* make_lossy(const char* symbol, Arguments... arguments) {
  using Function = const rocksdb::FilterPolicy*(Arguments...);
  return new LossyPolicy(reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol))(arguments...));
}

}  // namespace

// Defined by their symbols, because the type of the result differs between versions of RocksDB.
extern "C" {
const rocksdb::FilterPolicy* lossy_bloom(double bits_per_key, bool unused) __asm__(NEW_BLOOM);
const rocksdb::FilterPolicy* lossy_ribbon(double bits_per_key, int bloom_before) __asm__(NEW_RIBBON);

const rocksdb::FilterPolicy* lossy_bloom(double bits_per_key, bool unused) {
  return make_lossy(NEW_BLOOM, bits_per_key, unused);
}
const rocksdb::FilterPolicy* lossy_ribbon(double bits_per_key, int bloom_before) {
  return make_lossy(NEW_RIBBON, bits_per_key, bloom_before);
}
}
