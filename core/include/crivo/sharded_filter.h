// A sharded filter: a manifest, and one file per shard.
//
// Use a sharded filter if the filter is larger than memory, or if many machines build it. The hash of a key selects its
// shard. Each shard is an ordinary filter in any form, of any kind without ordered keys, values or a clock. Shards are
// built, queried, verified and replaced independently (docs/format.md, "Shards").
//
// The shards of FILE are in the folder FILE.shards. A shard's file name contains the shard's number and checksum, so a
// manifest determines the contents of every shard. A writer that replaces a shard writes a new file first. If a writer
// is killed at any time, the manifest is the old one or the new one, and all its shards exist. shard_writer.h and
// sharded_builder.h write sharded filters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "crivo/filter.h"
#include "crivo/hash.h"
#include "crivo/manifest.h"
#include "crivo/mapped_filter.h"
#include "crivo/result.h"

namespace crivo {

/// Errors: kSystem, with the path and the system's reason; kBadArgument for a folder, a pipe or a device; kCorrupt
/// naming the field.
[[nodiscard]] Result<Manifest> read_manifest(const std::string& path);
/// The folder of the shards. If `manifest_path` is a symbolic link, the folder is next to the link's target.
[[nodiscard]] std::string shards_folder(const std::string& manifest_path);
[[nodiscard]] std::string shard_path(const std::string& manifest_path, const Manifest& manifest, std::uint32_t number);
/// Verifies that a shard is the one that the manifest names, and copies it into memory. Errors, with the shard's
/// number: kTooLarge; kCorrupt for every other error, even if the file is missing.
[[nodiscard]] Result<AnyFilter> read_shard(const std::string& manifest_path, const Manifest& manifest,
                                           std::uint32_t number, const ReadLimits& limits = {});

struct ShardedOptions {
  MapOptions map = {};  // for each shard
  /// The maximum number of open shards; 0 stands for 1. A larger number is reduced to a quarter of the process's limit
  /// of file descriptors. Closed shards are reopened when needed.
  std::size_t max_open_shards = 1024;
};

/// A sharded filter, for queries by any number of threads. A moved-from object may only be destroyed or assigned to.
class ShardedFilter {
 public:
  /// Reads the manifest. Each shard is opened by the first query that needs it. If the shard's file is missing, the
  /// query reads the manifest again, because replace_shard may have replaced the shard. An open shard stays open even
  /// if it is replaced. Errors of open() and of queries: as read_manifest. Errors of queries only, with the shard's
  /// number: kCorrupt if the shard is missing, damaged, or not the shard that the manifest names; kTooLarge if a
  /// compressed shard exceeds map.limits.
  [[nodiscard]] static Result<ShardedFilter> open(const std::string& manifest_path, const ShardedOptions& options = {});

  ShardedFilter(ShardedFilter&&) noexcept;
  ShardedFilter& operator=(ShardedFilter&&) noexcept;
  ~ShardedFilter();

  // Queries, as in MappedFilter.
  [[nodiscard]] Result<bool> may_contain(std::string_view key) const { return may_contain_hash(hash(key)); }
  [[nodiscard]] Result<bool> may_contain_hash(std::uint64_t key_hash) const;
  /// Opens each shard once. After an error, `hits` is unspecified.
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const;
  /// Errors: also kUnsupported if the shard's kind cannot count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;
  /// Verifies all shards. Errors: as queries; the message names each shard that failed.
  Result<void> verify() const;

  /// shape().units is the number of shards.
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] const Facts& facts() const noexcept;
  /// The kind "sharded", which has no capabilities.
  [[nodiscard]] const KindInfo& kind() const noexcept;
  /// The total size of the shards' files.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept { return hash_key(key, shape().seed); }

 private:
  class State;
  explicit ShardedFilter(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// A filter in one file, or a sharded filter.
using FilterFile = std::variant<MappedFilter, ShardedFilter>;
/// Opens the file of a filter, or the manifest of a sharded filter. Errors: as MappedFilter::open and
/// ShardedFilter::open.
[[nodiscard]] Result<FilterFile> open_filter_file(const std::string& path, const ShardedOptions& options = {});
/// The MappedFilter in `file`. Errors: kUnsupported for a sharded filter.
[[nodiscard]] Result<const MappedFilter*> as_mapped_filter(const FilterFile& file);

}  // namespace crivo
