// Filter files of any size: a file is mapped into memory, and a question reads only the few pages that it needs.
//
// A file with sums (BlobForm::kMappable; kFile, which `crivo build` writes, for most filters above 64 KiB) is opened in
// constant time. Each 4096-byte segment is compared with its checksum before its first byte is used, and then never
// again; verify() does it for all at once. So a page that the system drops, and reads anew from a disk that has gone
// bad meanwhile, may make an answer wrong; a copy in memory (read_blob_file) is free of that. (Only a filter
// without keys of a kind that is built once is read as a whole.) A raw file without sums is mapped, too, but its
// checksum takes one pass over it when it is opened. A compressed file is decoded into memory.
//
// **Files that change.** Whoever replaces a file by rename, as `crivo build` does, disturbs nobody: a mapping keeps the
// file that it opened. Other programs may write into the file itself. So after the work of each call, the file's size
// and its time of modification are compared with those it had when it was opened. If they differ, the call returns
// kCorrupt instead of its answers, and so does every later one: open the file again. Four kinds of changes are not
// noticed: those through another program's mapping of the file, for which the system sets the time at most when such a
// program first writes to a page, and not again until it has stored that page; those after which the time is set back;
// those in the second in which the file was opened, on a file system that counts in seconds, such as FAT; and, for some
// seconds, those by another machine of a network. Whatever happens to the file, no call reads outside the mapping.
//
// **Files that shrink, and disks that fail.** Reading a mapped page that is no longer there raises SIGBUS, which ends
// the process. A program that calls guard_mapped_files() gets kCorrupt from the call instead.
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
  /// The limit applies to a compressed file, which takes memory. One that is mapped takes none, whatever its size.
  ReadLimits limits = {};
  /// Whether each call checks afterwards that the file has not changed. That takes some 0.3 us, as much as ten
  /// questions. Set it to false only for files that nobody writes to, such as those of an installed package.
  bool file_may_change = true;
};

/// A filter in one file, or one that was read from a file. Any number of threads may ask it at the same time. It keeps
/// a file that it maps open. One that was moved from may only be destroyed or assigned to.
class MappedFilter {
 public:
  /// Opens a file of any form. Errors: kSystem, with the path and the system's reason, for a file that cannot be opened
  /// or is being written to; kBadArgument for a folder, a pipe or a device; kCorrupt naming the field; kTooLarge.
  /// sharded_filter.h opens a manifest, which is kCorrupt here.
  [[nodiscard]] static Result<MappedFilter> open(const std::string& path, const MapOptions& options = {});
  /// The same for a blob that lies in memory already, such as one that came through a pipe; all of it is verified.
  /// Errors: as parse_blob.
  [[nodiscard]] static Result<MappedFilter> adopt(AlignedBytes blob, const ReadLimits& limits = {});

  MappedFilter(MappedFilter&&) noexcept;
  MappedFilter& operator=(MappedFilter&&) noexcept;
  ~MappedFilter();

  // Questions, as those of FilterRef. Errors: kCorrupt where the file is damaged at a place that the question reads,
  // naming the segment, or where it has changed. A damaged segment leaves the other keys' answers alone.
  [[nodiscard]] Result<bool> may_contain(std::string_view key) const { return may_contain_hash(hash(key)); }
  [[nodiscard]] Result<bool> may_contain_hash(std::uint64_t key_hash) const;
  /// Checks once for all of them that the file has not changed. On an error, ignore what is in `hits`. With no hashes
  /// it fails only if the whole file can no longer be used, and not for a damaged place.
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits) const;
  /// Errors: also kUnsupported for a kind that cannot count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) const { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash) const;
  [[nodiscard]] Result<bool> may_contain_range(std::uint64_t low, std::uint64_t high) const;
  /// As MapRef (crivo/map.h). Errors: also kUnsupported for a kind that has no values.
  [[nodiscard]] Result<std::optional<std::uint64_t>> find(std::string_view key) const { return find_hash(hash(key)); }
  [[nodiscard]] Result<std::optional<std::uint64_t>> find_hash(std::uint64_t key_hash) const;
  Result<void> find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                           std::span<bool> found) const;

  /// Verifies all that was not verified yet. Later questions verify nothing any more. Errors: kCorrupt.
  Result<void> verify() const;
  /// For everything else that a FilterRef can tell: verifies the whole file, calls look(filter), and then checks that
  /// the file has not changed. On an error, ignore what `look` has found. Errors: as verify.
  Result<void> look_at_whole(const std::function<void(const FilterRef&)>& look) const;
  /// The filter itself, once all of it is verified; it lives as long as this object. It answers at full speed, because
  /// it does not check the file for changes: its answers hold as long as nobody changes the file, and SIGBUS is not
  /// caught. Errors: as look_at_whole.
  [[nodiscard]] Result<FilterRef> whole() const;

  // What the header says: read and verified when the file was opened.
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] const Facts& facts() const noexcept;
  [[nodiscard]] const KindInfo& kind() const noexcept;
  [[nodiscard]] Codec codec() const noexcept;
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
  [[nodiscard]] std::uint64_t blob_bytes() const noexcept;
  /// The checksum in the header: a manifest names a shard by it.
  [[nodiscard]] std::uint64_t checksum() const noexcept;
  /// Whether the payload lies in the file, and not in memory of this process.
  [[nodiscard]] bool is_mapped() const noexcept;
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept {
    return hash_key(shape().hash_id, key, shape().seed);
  }

 private:
  class State;
  explicit MappedFilter(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

/// Makes questions to files that shrink or cannot be read return kCorrupt, where they would end the process. Sets a
/// handler for SIGBUS, for the whole process and until its end. It acts on reads that a MappedFilter makes, and hands
/// everything else on to the handler that was set before. May be called any number of times, from any thread. A program
/// that sets its own handler for SIGBUS should do so before. Errors: kSystem with the system's reason.
Result<void> guard_mapped_files();

}  // namespace crivo
