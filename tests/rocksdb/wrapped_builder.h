// A filter builder that passes everything on to another one, for tests to override what they watch or spoil.
#pragma once

#include <memory>
#include <utility>

#include "abi.h"

namespace crivo::testing {

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
