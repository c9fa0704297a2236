// crivo sst probe: prints the keys that the filter of an SST file lets pass.
#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>

#include "abi.h"
#include "crivo/host/text.h"
#include "crivo/rocksdb.h"
#include "selection.h"
#include "sst/filter_facts.h"
#include "sst/filter_layout.h"
#include "tool/commands.h"
#include "tool/database.h"

namespace crivo::tool {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

/// Queries the filter of an SST file, without reading the rest of the file. Holds all filter blocks in memory.
class FilterProbe {
 public:
  /// Reads the filter. Errors: as those of TableFile; NotFound if the file has no filter, or an unreadable one.
  Status open(rocksdb::FileSystem& files, const std::string& path);

  /// Caveats about the answers: damaged blocks, filters of prefixes alone, an unknown transform, an unknown key order.
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// Whether the filter lets each of these keys pass, in order. A damaged filter lets every key pass.
  void ask(std::span<Slice> keys, std::span<bool> hits);

 private:
  struct Part {
    std::string block;
    std::unique_ptr<abi::FilterBitsReader> reader;  // null: every key passes
  };

  void make_policy(const std::string& key_transform);
  static void query_all(const Part& part, std::span<Slice> keys, std::span<bool> hits);

  sst::FilterLayout layout_;
  std::deque<Part> parts_;  // readers refer to their blocks, which must not move
  std::vector<std::string> notes_;
  std::shared_ptr<const rocksdb::FilterPolicy> policy_;
};

Status FilterProbe::open(rocksdb::FileSystem& files, const std::string& path) {
  sst::TableFile file;
  Status status = file.open(files, path);
  if (status.ok()) status = layout_.find(file);
  if (!status.ok()) return status;
  if (layout_.parts().empty() || !layout_.is_readable()) {
    return Status::NotFound("filter must be readable by RocksDB or Crivo, got the form " +
                            std::string(name_of(layout_.form())));
  }
  const bool may_lack_keys = layout_.may_lack_keys(file.number_property("rocksdb.num.filter_entries"));
  std::uint64_t damaged = 0;
  for (const sst::FilterPartition& part : layout_.parts()) {
    sst::Block block;
    status = file.read(part.handle, &block);
    if (!status.ok() && !status.IsCorruption()) return status;
    const sst::FilterFacts facts = sst::describe_filter(block.contents, 0, block.matches, may_lack_keys);
    const bool sound = status.ok() && facts.damage.empty();
    damaged += sound ? 0 : 1;
    parts_.push_back({std::move(block.contents), nullptr});
    if (sound && facts.can_reject() && policy_ == nullptr) make_policy(facts.key_transform);
    if (!sound || policy_ == nullptr) continue;
    auto* const reader = policy_->GetFilterBitsReader(parts_.back().block);
    parts_.back().reader.reset(reinterpret_cast<abi::FilterBitsReader*>(reader));
  }
  if (damaged > 0) {
    notes_.push_back(std::to_string(damaged) + " of " + std::to_string(parts_.size()) +
                     " filter blocks are damaged and let every key pass");
  }
  if (file.text_property("rocksdb.block.based.table.whole.key.filtering") == "0") {
    notes_.push_back("the filter has only prefixes, by " +
                     printable(file.text_property("rocksdb.prefix.extractor.name")) + ": enter prefixes");
  }
  if (!layout_.has_order()) notes_.emplace_back("the order of the keys is unknown, so every partition is queried");
  return Status::OK();
}

/// Makes a Crivo policy, which reads Crivo's filters with this key transform; without a transform, also RocksDB's
/// filters.
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
  if (parts_.size() == 1) return query_all(parts_.front(), keys, hits);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto may_pass = [&](const Part& part) { return passes(part, keys[i]); };
    hits[i] = layout_.has_order() ? may_pass(parts_[layout_.part_of({keys[i].data(), keys[i].size()})])
                                  : std::ranges::any_of(parts_, may_pass);
  }
}

void FilterProbe::query_all(const Part& part, std::span<Slice> keys, std::span<bool> hits) {
  if (part.reader == nullptr) return void(std::ranges::fill(hits.first(keys.size()), true));
  // RocksDB's readers accept at most 32 keys at once (MultiGetContext::MAX_BATCH_SIZE).
  std::array<Slice*, 32> batch;
  for (std::size_t begin = 0; begin < keys.size(); begin += batch.size()) {
    const std::size_t count = std::min(batch.size(), keys.size() - begin);
    for (std::size_t i = 0; i < count; ++i) batch[i] = &keys[begin + i];
    part.reader->MayMatch(static_cast<int>(count), batch.data(), hits.data() + begin);
  }
}

struct ProbeOptions {
  std::string path;
  SelectionFlags selection;
  bool hex = false;
  bool time = false;
};

/// This thread's CPU time, which other programs do not affect.
std::chrono::nanoseconds processor_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Queries batch by batch, and prints the results.
class Probing {
 public:
  Probing(FilterProbe& probe, const ProbeOptions& options)
      : probe_(probe), options_(options), selection_(options.selection) {}

  [[nodiscard]] const Selection& selection() const noexcept { return selection_; }
  [[nodiscard]] double nanoseconds_per_key() const noexcept {
    return keys_queried_ == 0
               ? 0
               : std::chrono::duration<double, std::nano>(spent_).count() / static_cast<double>(keys_queried_);
  }

  /// Returns false if more keys cannot change the result.
  bool ask(Keys lines) {
    keys_.clear();
    if (!options_.hex) {
      for (const std::string_view line : lines) keys_.emplace_back(line.data(), line.size());
    } else {
      decode(lines);
    }
    const std::span<bool> hits = selection_.hits(lines.size());
    const auto start = processor_time();
    probe_.ask(keys_, hits);
    spent_ += processor_time() - start;
    keys_queried_ += lines.size();
    selection_.report(lines, hits);
    return !options_.selection.quiet || selection_.selected() == 0;
  }

 private:
  void decode(Keys lines) {
    decoded_.clear();
    for (const std::string_view line : lines) {
      if (rocksdb::Slice(line.data(), line.size()).DecodeHex(&decoded_.emplace_back())) continue;
      throw Refused("a key must be pairs of hexadecimal digits, got " + std::string(line.substr(0, 80)));
    }
    keys_.assign(decoded_.begin(), decoded_.end());
  }

  FilterProbe& probe_;
  const ProbeOptions& options_;
  std::vector<std::string> decoded_;
  std::vector<rocksdb::Slice> keys_;
  Selection selection_;
  std::uint64_t keys_queried_ = 0;
  std::chrono::nanoseconds spent_{};
};

void note(const std::string& text) { std::fprintf(stderr, "crivo sst probe: note: %s\n", text.c_str()); }

ExitCode probe(const ProbeOptions& options) {
  check_no_pipe(options.path, "FILE must be an SST file");
  if (std::error_code error; std::filesystem::is_directory(options.path, error)) {
    throw Refused("FILE must be one SST file (name.sst), got the folder " + options.path);
  }
  FilterProbe filter;
  const rocksdb::Status opened = filter.open(*rocksdb::FileSystem::Default(), options.path);
  if (!opened.ok()) throw rocksdb_error("FILE must be an SST file with a filter", options.path, opened);
  if (!options.selection.quiet) {
    for (const std::string& text : filter.notes()) note(text);
  }
  Probing probing(filter, options);
  query_standard_input("sst probe", options.selection, {}, [&](Keys keys) { return probing.ask(keys); });
  probing.selection().finish();
  if (options.time) note("the filter took " + std::to_string(probing.nanoseconds_per_key()) + " ns a key");
  return probing.selection().selected() > 0 ? kYes : kNo;
}

}  // namespace

void add_sst_probe(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "probe", "Print the keys of standard input that an SST file's filter lets pass", probe);
  add_option(command, "FILE", options.path, "An SST file")->required();
  add_null_flag(command, options.selection.key_end);
  command.add_flag("--hex", options.hex, "Keys are hexadecimal digits");
  add_selection_flags(command, options.selection, "-v,--invert,--absent");
  command.add_flag("--time", options.time, "Print the filter's time per key on standard error");
  command.footer(
      std::string("Exit code: 0 if a key was selected, 1 if none was, 2 if there was an error. Only the filter is "
                  "queried, not the file: a key that passes may still be absent. A damaged filter lets every key pass. "
                  "Keys are user keys without timestamp; if the filter has only prefixes, enter prefixes. In a "
                  "partitioned filter the key's partition is queried; if the database has a comparator of its own, all "
                  "partitions.\n") +
      kKeyLines);
}

}  // namespace crivo::tool
