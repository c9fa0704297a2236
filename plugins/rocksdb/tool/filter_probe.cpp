#include "tool/filter_probe.h"

#include <algorithm>
#include <array>

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
    return Status::NotFound("it has no readable filter, only \"" + std::string(name_of(layout_.form())) + "\"");
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
    notes_.push_back("the filter has only prefixes, by " + file.text_property("rocksdb.prefix.extractor.name") +
                     ": enter prefixes");
  }
  if (!layout_.has_order()) notes_.emplace_back("the order of the keys is unknown, so every partition is queried");
  return Status::OK();
}

/// A Crivo policy reads all Crivo filters with this key transform, and RocksDB's filters.
void FilterProbe::make_policy(const std::string& key_transform) {
  const auto policy = NewRocksDBFilterPolicy({.key_transform = key_transform});
  if (policy->ValidateOptions(rocksdb::DBOptions(), rocksdb::ColumnFamilyOptions()).ok()) {
    policy_ = policy;
  } else if (notes_.empty()) {
    notes_.push_back("the filter's keys were changed by " + key_transform +
                     ", which is unknown here, so every key passes");
  }
}

void FilterProbe::ask(std::span<Slice> keys, std::span<bool> hits) {
  const auto passes = [](const Part& part, const Slice& key) {
    return part.reader == nullptr || part.reader->MayMatch(key);
  };
  if (parts_.size() == 1) return ask_all(parts_.front(), keys, hits);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto may_pass = [&](const Part& part) { return passes(part, keys[i]); };
    hits[i] = layout_.has_order() ? may_pass(parts_[layout_.part_of({keys[i].data(), keys[i].size()})])
                                  : std::ranges::any_of(parts_, may_pass);
  }
}

void FilterProbe::ask_all(const Part& part, std::span<Slice> keys, std::span<bool> hits) {
  if (part.reader == nullptr) return void(std::ranges::fill(hits.first(keys.size()), true));
  // RocksDB's readers take at most 32 keys at once (MultiGetContext::MAX_BATCH_SIZE).
  std::array<Slice*, 32> batch;
  for (std::size_t begin = 0; begin < keys.size(); begin += batch.size()) {
    const std::size_t count = std::min(batch.size(), keys.size() - begin);
    for (std::size_t i = 0; i < count; ++i) batch[i] = &keys[begin + i];
    part.reader->MayMatch(static_cast<int>(count), batch.data(), hits.data() + begin);
  }
}

}  // namespace crivo::tool
