// A filter policy and a filter builder that forward all calls. Tests override functions to observe or damage results.
#pragma once

#include <memory>
#include <utility>

#include "support.h"

namespace crivo::testing {

class WrappedPolicy : public rocksdb::FilterPolicy {
 public:
  WrappedPolicy(const char* name, const char* compatibility_name, Policy inner)
      : name_(name), compatibility_name_(compatibility_name), inner_(std::move(inner)) {}
  [[nodiscard]] const char* Name() const override { return name_; }
  [[nodiscard]] const char* CompatibilityName() const override { return compatibility_name_; }
  rocksdb::FilterBitsBuilder* GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const override {
    return inner_->GetBuilderWithContext(context);
  }
  rocksdb::FilterBitsReader* GetFilterBitsReader(const rocksdb::Slice& contents) const override {
    return inner_->GetFilterBitsReader(contents);
  }

 protected:
  [[nodiscard]] const rocksdb::FilterPolicy& inner() const { return *inner_; }

 private:
  const char* name_;
  const char* compatibility_name_;
  Policy inner_;
};

class WrappedBuilder : public abi::FilterBitsBuilder {
 public:
  explicit WrappedBuilder(std::unique_ptr<abi::FilterBitsBuilder> inner) : inner_(std::move(inner)) {}

  void AddKey(const rocksdb::Slice& key) override { inner_->AddKey(key); }
#if CRIVO_ROCKSDB_VERSION >= 906
  void AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt) override { inner_->AddKeyAndAlt(key, alt); }
#endif
  std::size_t EstimateEntriesAdded() override { return inner_->EstimateEntriesAdded(); }
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buffer) override { return inner_->Finish(buffer); }
  rocksdb::Slice Finish(std::unique_ptr<const char[]>* buffer, rocksdb::Status* status) override {
    return inner_->Finish(buffer, status);
  }
  rocksdb::Status MaybePostVerify(const rocksdb::Slice& content) override { return inner_->MaybePostVerify(content); }
  std::size_t ApproximateNumEntries(std::size_t bytes) override { return inner_->ApproximateNumEntries(bytes); }
  std::size_t CalculateSpace(std::size_t entries) override { return inner_->CalculateSpace(entries); }
  double EstimatedFpRate(std::size_t entries, std::size_t bytes) override {
    return inner_->EstimatedFpRate(entries, bytes);
  }

 private:
  std::unique_ptr<abi::FilterBitsBuilder> inner_;
};

}  // namespace crivo::testing
