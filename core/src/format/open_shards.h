// The shards of a filter while it is asked: each file is opened by its first question, and closed when others are asked
// more. crivo/shards.h says what a manifest is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "crivo/shards.h"
#include "format/filter_file.h"

namespace crivo {

/// The file of a shard, if it is the one that its manifest names. Errors: kCorrupt, and those of FilterFile.
[[nodiscard]] Result<std::unique_ptr<FilterFile>> open_shard(const std::string& manifest_path, const Manifest& manifest,
                                                             std::uint32_t number, const ReadLimits& limits,
                                                             bool file_may_change);

/// Any number of threads may ask it at the same time. Errors: kCorrupt, and those of FilterFile, with the shard's path
/// in front.
class OpenShards {
 public:
  /// The last three are those of MapOptions.
  OpenShards(std::string path, Manifest manifest, const ReadLimits& limits, bool file_may_change,
             std::size_t max_open_shards);

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Facts& facts() const noexcept { return facts_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  [[nodiscard]] Result<bool> may_contain_hash(std::uint64_t hash);
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits);
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t hash);
  Result<void> verify();

 private:
  using File = std::shared_ptr<FilterFile>;
  struct Slot {
    File file;
    std::uint64_t used = 0;  // when it was asked last, by asked_
  };
  [[nodiscard]] Result<File> open(std::uint32_t number);
  [[nodiscard]] Result<File> open_one(std::uint32_t number) const;
  [[nodiscard]] Result<void> read_again();
  void close_others(std::uint32_t number);
  template <class Answer, class Ask>
  Result<Answer> ask(std::uint64_t hash, const Ask& ask_shard);

  const std::string path_;
  const ReadLimits limits_;
  const bool file_may_change_;
  const std::size_t max_open_shards_;
  const Shape shape_;
  const Facts facts_;
  const std::uint64_t bytes_;
  std::mutex mutex_;  // of what follows
  Manifest manifest_;
  std::vector<Slot> slots_;
  std::size_t open_ = 0;
  std::uint64_t asked_ = 0;
};

}  // namespace crivo
