// Queries a filter file of any size: the file is mapped into memory, and a query reads only a few pages.
//
// **Forms.** A file with a checksum per segment is opened in constant time. BlobForm::kMappable writes such files;
// kFile, the form of `crivo build`, does so for most filters above 64 KiB. Each segment of 4096 bytes is verified when
// a query first reads it, and not again. If the system evicts a verified page and the disk then returns wrong bytes,
// answers may be wrong; read_blob_file avoids that risk. Any other raw file is mapped after one pass that verifies its
// checksum. A compressed file is decoded into memory. An empty filter of a kind that is built once is verified as a
// whole when it is opened.
//
// **Files that change.** Replacing a file by rename, as `crivo build` does, is safe: the mapping keeps the old file.
// Other programs may write into the file itself. Before returning, each query therefore compares the file's size and
// modification time with those at the time of opening. If they differ, this query and all later queries return
// kCorrupt: open the file again. Opening waits until a later change has a later time: for milliseconds, or until the
// next second on a file system that stores whole seconds. Five kinds of changes are not detected: writes through
// another program's mapping, for which the system updates the time late or not at all; writes after which the
// modification time is set back; writes at the very time that was the modification time when the file was opened, if
// that time was in the future; on FAT, which stores even seconds, writes within a second after a file was changed and
// opened; and, for some seconds, writes by another machine on a network file system. No call ever reads outside the
// mapping.
//
// **Files that shrink, and failing disks.** Reading a mapped page that no longer exists raises SIGBUS, which ends the
// process. After guard_mapped_files() the call returns kCorrupt instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

struct MapOptions {
  /// For compressed files, which are decoded into memory. Mapped files have no limit.
  ReadLimits limits = {};
  /// Whether each query checks that the file has not changed. The check takes up to 0.5 us, as long as ten queries. Set
  /// the option to false only for files that no program writes to, such as the files of an installed package.
  bool file_may_change = true;
};

/// A filter in one file, or in a blob. Any number of threads may query it at the same time. A mapped file stays open. A
/// moved-from object may only be destroyed or assigned to.
class MappedFilter {
 public:
  /// Opens a file of any form. Errors: kSystem, with the path and the system's reason, if the file cannot be opened or
  /// is being written; kBadArgument for a folder, a pipe or a device; kCorrupt naming the field, also for a manifest
  /// (use sharded_filter.h); kTooLarge.
  [[nodiscard]] static Result<MappedFilter> open(const std::string& path, const MapOptions& options = {});
  /// The same for a blob in memory, such as a blob read from a pipe. The whole blob is verified. Errors: as parse_blob.
  [[nodiscard]] static Result<MappedFilter> adopt(AlignedBytes blob, const ReadLimits& limits = {});

  MappedFilter(MappedFilter&&) noexcept;
  MappedFilter& operator=(MappedFilter&&) noexcept;
  ~MappedFilter();

  // Queries, as in FilterRef. Errors: kCorrupt, naming the segment, if the query reads a damaged segment; kCorrupt if
  // the file has changed. Queries that do not read a damaged segment still work.
  [[nodiscard]] Result<bool> may_contain(std::string_view key) const { return may_contain_hash(hash(key)); }
  [[nodiscard]] Result<bool> may_contain_hash(std::uint64_t key_hash) const;
  /// Checks once per call that the file has not changed, even if `hashes` is empty. After an error, `hits` is
  /// unspecified.
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const;
  /// Errors: also kUnsupported for a kind that cannot count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;
  [[nodiscard]] Result<bool> may_contain_range(std::uint64_t low, std::uint64_t high) const;
  /// As MapRef (crivo/map.h). Errors: also kUnsupported for a kind without values.
  [[nodiscard]] Result<std::optional<std::uint64_t>> find(std::string_view key) const { return find_hash(hash(key)); }
  [[nodiscard]] Result<std::optional<std::uint64_t>> find_hash(std::uint64_t key_hash) const;
  Result<void> find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                           std::span<bool> found) const;

  /// Verifies every segment that is not verified yet, so that later queries verify nothing. Errors: kCorrupt.
  Result<void> verify() const;
  /// Gives access to the functions of FilterRef that this class lacks: verifies the whole file, calls look(filter),
  /// then checks that the file has not changed. After an error, discard the results of `look`. Errors: as verify.
  Result<void> look_at_whole(const std::function<void(const FilterRef&)>& look) const;
  /// Verifies the whole file and returns a filter that is valid as long as this object. Queries of the returned filter
  /// run at full speed: they neither check the file for changes nor catch SIGBUS, so the file must not change. Errors:
  /// as look_at_whole.
  [[nodiscard]] Result<FilterRef> whole() const;

  /// Verifies the whole file, and copies the filter, which may grow to limits.max_bytes. Errors: as look_at_whole;
  /// kTooLarge, before memory is allocated, if the payload exceeds the limit.
  [[nodiscard]] Result<AnyFilter> to_filter(const ReadLimits& limits = {}) const;

  // From the header, which was verified when the file was opened.
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] const Facts& facts() const noexcept;
  [[nodiscard]] const KindInfo& kind() const noexcept;
  [[nodiscard]] Codec codec() const noexcept;
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
  [[nodiscard]] std::uint64_t blob_bytes() const noexcept;
  /// The header's checksum, by which a manifest names a shard.
  [[nodiscard]] std::uint64_t checksum() const noexcept;
  /// Whether the payload is in the file, rather than in this process's memory.
  [[nodiscard]] bool is_mapped() const noexcept;
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept {
    return hash_key(shape().hash_id, key, shape().seed);
  }

 private:
  class State;
  explicit MappedFilter(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Makes calls return kCorrupt, instead of ending the process, if a file shrinks or cannot be read. Installs a SIGBUS
/// handler for the whole process. The handler handles each SIGBUS that a read of a MappedFilter raised, and forwards
/// any other SIGBUS to the previous handler. A program with its own SIGBUS handler should install that handler first.
/// May be called repeatedly, from any thread. Errors: kSystem with the system's reason.
Result<void> guard_mapped_files();

}  // namespace crivo
