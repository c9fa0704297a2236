// A sharded filter: a manifest, and a file for each shard beside it.
//
// A filter that is larger than a machine's memory, or that many machines build, is divided by its keys: the hash of a
// key gives the one shard that has it. Each shard is a filter of its own, of any kind that answers for keys, in any
// form. It is built, asked, verified and replaced without the others. docs/format.md, "Shards".
//
// The shards of FILE lie in the folder FILE.shards, each under a name that has its number and its checksum. So a
// manifest names exactly these files, and a writer that replaces a shard writes a new file first. Whenever a writer is
// killed, the manifest is the old one or the new one, with all of its shards. shard_writer.h and sharded_builder.h
// write them.
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

/// Errors: kSystem, with the path and the system's reason; kCorrupt naming the field.
[[nodiscard]] Result<Manifest> read_manifest(const std::string& path);
/// The folder of the shards' files. A path that is a link leads to the folder beside the file.
[[nodiscard]] std::string shards_folder(const std::string& manifest_path);
/// The path of a shard's file.
[[nodiscard]] std::string shard_path(const std::string& manifest_path, const Manifest& manifest, std::uint32_t number);
/// Verifies a shard, and that it is the one that the manifest names, and copies it. Errors: as MappedFilter::open, with
/// the shard's number; kTooLarge.
[[nodiscard]] Result<AnyFilter> read_shard(const std::string& manifest_path, const Manifest& manifest,
                                           std::uint32_t number, const ReadLimits& limits = {});

struct ShardedOptions {
  MapOptions map = {};  // of each shard
  /// The most files that are open at once, at least 1, and at most a quarter of what the process may have. The others
  /// are opened again when they are asked.
  std::size_t max_open_shards = 1024;
};

/// Any number of threads may ask it at the same time. One that was moved from may only be destroyed or assigned to.
class ShardedFilter {
 public:
  /// Reads the manifest. Each shard is opened by its first question. A shard that is missing, damaged, or not the one
  /// that is named, is kCorrupt to the questions that need it, with its number. Errors: as read_manifest.
  [[nodiscard]] static Result<ShardedFilter> open(const std::string& manifest_path, const ShardedOptions& options = {});

  ShardedFilter(ShardedFilter&&) noexcept;
  ShardedFilter& operator=(ShardedFilter&&) noexcept;
  ~ShardedFilter();

  // Questions, as those of MappedFilter.
  [[nodiscard]] Result<bool> may_contain(std::string_view key) const { return may_contain_hash(hash(key)); }
  [[nodiscard]] Result<bool> may_contain_hash(std::uint64_t key_hash) const;
  /// Opens each shard once. On an error, ignore what is in `hits`.
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const;
  /// Errors: also kUnsupported where the shard is of a kind that cannot count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;
  /// Verifies all shards. Errors: kCorrupt, which names each shard that is not whole.
  Result<void> verify() const;

  /// Units are the shards.
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] const Facts& facts() const noexcept;
  /// "sharded", which can do nothing that only some kinds can.
  [[nodiscard]] const KindInfo& kind() const noexcept;
  /// The bytes of all shards' files.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept { return hash_key(key, shape().seed); }

 private:
  class State;
  explicit ShardedFilter(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// What a path names.
using FilterFile = std::variant<MappedFilter, ShardedFilter>;
/// Opens either. Errors: those of the two classes.
[[nodiscard]] Result<FilterFile> open_filter_file(const std::string& path, const ShardedOptions& options = {});
/// The filter in one file. Errors: kUnsupported for a sharded one.
[[nodiscard]] Result<const MappedFilter*> in_one_file(const FilterFile& file);

}  // namespace crivo
