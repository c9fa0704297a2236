#include "tool/filter_probe.h"

#include <algorithm>
#include <limits>

#include "crivo/rocksdb.h"
#include "sst/filter_facts.h"

namespace crivo::tool {

using rocksdb::Slice;
using rocksdb::Status;

Status FilterProbe::open(rocksdb::FileSystem& files, const std::string& path) {
  sst::TableFile file;
  Status status = file.open(files, path);
  if (status.ok()) status = layout_.find(file);
  if (!status.ok()) return status;
  if (layout_.parts().empty() || !layout_.is_readable()) {
    return Status::NotFound("it has no filter that can be read, only \"" + std::string(layout_.form()) + "\"");
  }
  std::uint64_t damaged = 0;
  for (const sst::FilterPart& part : layout_.parts()) {
    sst::Block block;
    status = file.read(part.handle, &block);
    if (!status.ok() && !status.IsCorruption()) return status;
    const sst::FilterFacts facts = sst::describe_filter(block.contents, 0, block.matches);
    const bool sound = status.ok() && facts.damage.empty();
    damaged += sound ? 0 : 1;
    parts_.push_back({std::move(block.contents), nullptr});
    if (sound && policy_ == nullptr) make_policy(facts.key_transform);
    if (!sound || policy_ == nullptr) continue;
    auto* const reader = policy_->GetFilterBitsReader(parts_.back().block);
    parts_.back().reader.reset(reinterpret_cast<abi::FilterBitsReader*>(reader));
  }
  if (damaged > 0) {
    notes_.push_back(std::to_string(damaged) + " of " + std::to_string(parts_.size()) +
                     " filter blocks are damaged and let every key pass");
  }
  if (file.text_property("rocksdb.block.based.table.whole.key.filtering") == "0") {
    notes_.push_back("the filter has prefixes only, by " + file.text_property("rocksdb.prefix.extractor.name") +
                     ": ask for prefixes");
  }
  if (!layout_.has_order()) notes_.emplace_back("the order of the keys is not known here, so every partition is asked");
  return Status::OK();
}

/// A policy of ours reads the filters of all of ours with this key transform, and RocksDB's.
void FilterProbe::make_policy(const std::string& key_transform) {
  const auto policy = NewRocksDBFilterPolicy({.key_transform = key_transform});
  if (policy->ValidateOptions(rocksdb::DBOptions(), rocksdb::ColumnFamilyOptions()).ok()) {
    policy_ = policy;
  } else if (notes_.empty()) {
    notes_.push_back("the filter has keys that were changed by " + key_transform +
                     ", which is not known here, so every key passes");
  }
}

void FilterProbe::ask(std::span<Slice> keys, std::span<bool> hits) {
  if (keys.empty()) return;
  if (capacity_ < keys.size()) part_hits_ = std::make_unique<bool[]>(capacity_ = keys.size());
  pointers_.resize(keys.size());
  if (parts_.size() == 1) {
    refer_to(keys);
    ask_part(parts_.front(), pointers_, hits);
  } else if (layout_.has_order()) {
    ask_own_parts(keys, hits);
  } else {
    ask_every_part(keys, hits);
  }
}

void FilterProbe::refer_to(std::span<Slice> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) pointers_[i] = &keys[i];
}

void FilterProbe::ask_part(const Part& part, std::span<Slice*> keys, std::span<bool> hits) const {
  if (part.reader == nullptr) {
    std::ranges::fill(hits.first(keys.size()), true);
    return;
  }
  // RocksDB's readers take at most 32 keys at once (MultiGetContext::MAX_BATCH_SIZE).
  constexpr std::size_t kBatch = 32;
  for (std::size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, keys.size() - begin);
    part.reader->MayMatch(static_cast<int>(count), keys.data() + begin, hits.data() + begin);
  }
}

/// Sorts the keys by their parts (a counting sort), asks part by part, and puts the answers where they belong.
void FilterProbe::ask_own_parts(std::span<Slice> keys, std::span<bool> hits) {
  begins_.assign(parts_.size() + 1, 0);
  part_of_key_.resize(keys.size());
  order_.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    part_of_key_[i] = layout_.part_of({keys[i].data(), keys[i].size()});
    ++begins_[part_of_key_[i] + 1];
  }
  for (std::size_t part = 1; part <= parts_.size(); ++part) begins_[part] += begins_[part - 1];
  for (std::size_t i = 0; i < keys.size(); ++i) order_[begins_[part_of_key_[i]]++] = i;
  for (std::size_t i = 0; i < keys.size(); ++i) pointers_[i] = &keys[order_[i]];
  // Each begin has moved to its part's end, where the next part begins.
  std::size_t begin = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const std::size_t count = begins_[part] - begin;
    ask_part(parts_[part], std::span(pointers_).subspan(begin, count), std::span(part_hits_.get() + begin, count));
    begin = begins_[part];
  }
  for (std::size_t i = 0; i < keys.size(); ++i) hits[order_[i]] = part_hits_[i];
}

void FilterProbe::ask_every_part(std::span<Slice> keys, std::span<bool> hits) {
  refer_to(keys);
  std::ranges::fill(hits.first(keys.size()), false);
  for (const Part& part : parts_) {
    ask_part(part, pointers_, std::span(part_hits_.get(), keys.size()));
    for (std::size_t i = 0; i < keys.size(); ++i) hits[i] = hits[i] || part_hits_[i];
  }
}

}  // namespace crivo::tool
