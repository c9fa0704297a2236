// A filter policy that loses keys. A test that does not detect it proves nothing.
#pragma once

#include "wrapped_builder.h"

namespace crivo::testing {

/// crivo.Bloom, but one in `every` keys is dropped when a filter is built, or denied in lookups.
class LossyPolicy final : public WrappedPolicy {
 public:
  enum class Loss : std::uint8_t { kBuilder, kReader };

  LossyPolicy(Loss loss, std::uint64_t every)
      : WrappedPolicy("test.Lossy", crivo_bloom()->CompatibilityName(), crivo_bloom()), loss_(loss), every_(every) {}

  [[nodiscard]] rocksdb::FilterBitsBuilder* GetBuilderWithContext(
      const rocksdb::FilterBuildingContext& context) const override {
    const std::uint64_t every = loss_ == Loss::kBuilder ? every_ : ~std::uint64_t{0};
    return abi::as_rocksdb(new Builder(new_builder(inner(), context), every));
  }

  [[nodiscard]] rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    const std::uint64_t every = loss_ == Loss::kReader ? every_ : ~std::uint64_t{0};
    return abi::as_rocksdb(new Reader(new_reader(inner(), contents), every));
  }

 private:
  class Builder final : public WrappedBuilder {
   public:
    Builder(std::unique_ptr<abi::FilterBitsBuilder> inner, std::uint64_t every)
        : WrappedBuilder(std::move(inner)), every_(every) {}
    void AddKey(const rocksdb::Slice& key) override {
      if (++added_ % every_ != 0) WrappedBuilder::AddKey(key);
    }
#if CRIVO_ROCKSDB_VERSION >= 906
    void AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt) override {
      if (++added_ % every_ != 0) WrappedBuilder::AddKeyAndAlt(key, alt);
    }
#endif

   private:
    std::uint64_t every_;
    std::uint64_t added_ = 0;
  };

  class Reader final : public abi::FilterBitsReader {
   public:
    Reader(std::unique_ptr<abi::FilterBitsReader> inner, std::uint64_t every)
        : inner_(std::move(inner)), every_(every) {}
    bool MayMatch(const rocksdb::Slice& key) override { return admits(key) && inner_->MayMatch(key); }
    void MayMatch(int count, rocksdb::Slice** keys, bool* may_match) override {
      inner_->MayMatch(count, keys, may_match);
      for (int i = 0; i < count; ++i) may_match[i] = may_match[i] && admits(*keys[i]);
    }

   private:
    [[nodiscard]] bool admits(const rocksdb::Slice& key) const {
      return std::hash<std::string_view>{}(key.ToStringView()) % every_ != 0;
    }
    std::unique_ptr<abi::FilterBitsReader> inner_;
    std::uint64_t every_;
  };

  Loss loss_;
  std::uint64_t every_;
};

}  // namespace crivo::testing
