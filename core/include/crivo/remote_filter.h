// Filters that lie elsewhere, such as on a web server: a question fetches the few bytes that it reads.
//
// The program says how bytes are read (RangeReader): by HTTP with Range, from an object store, from another process.
// What comes is kept up to a limit, and verified before it is used, as in a mapped file (crivo/mapped_filter.h): a
// question reads segments of 4096 bytes and, once for each 256 KiB of the filter, 512 bytes of their checksums. So it
// must be a file with sums, which `crivo build` writes for most filters above 64 KiB; any other is fetched as a whole,
// up to max_memory. The kinds blocked and ribbon are made for this: a question to them takes one segment, or mostly
// two, and one round. A filter in parts (crivo/parts.h) is opened as any other. Its parts are opened by their first
// questions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Bytes of a file that are wanted.
struct RemoteRange {
  /// What follows the name of the filter's file: nothing, or a part's file, as in
  /// ".parts/00007-0123456789abcdef.crivo".
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  /// What was read: `bytes` of them, or fewer where the file ends before.
  std::vector<std::byte> found = {};
  /// Which version of the file was read, such as its ETag: whatever differs when the file is replaced. It may be empty
  /// where nothing was found, and for a part, which is never replaced: its name changes. A time in whole seconds is too
  /// little where a file may be replaced twice in one.
  std::string version = {};
};

/// Reads a filter's files.
class RangeReader {
 public:
  virtual ~RangeReader() = default;
  /// Reads some ranges, at the same time if it can, and sets what was found of each, and its version. It may be called
  /// by several threads at once. Errors: kSystem with a reason, also for a file that is not there. If a part's file is
  /// among the ranges, the manifest is then read again, as the part may have been replaced.
  virtual Result<void> read(std::span<RemoteRange> ranges) = 0;
};

struct RemoteOptions {
  /// The most memory for what was fetched, in bytes; less than 64 KiB is taken as that. At most half of it is kept from
  /// question to question, and the rest is for what one misses: questions at the same time may each need that much, and
  /// a single key more. What was used longest ago is given up first: part by part, or in one file all of it. It is also
  /// the most that a file without sums may have, and that is not given up. Beside it, a 512th of the size of a file
  /// says which of its bytes are here.
  std::uint64_t max_memory = std::uint64_t{64} << 20;
  /// Whether what comes is compared with its checksums. Without, a question fetches only the lines of 64 bytes that it
  /// reads, one of them for a blocked filter, and a byte that was damaged where it lies, or on its way, may hide a key.
  /// Set it to false only where something else verifies, and the lines are worth more than that.
  bool verify = true;
};

/// Any number of threads may ask it at the same time; what their questions miss is read side by side. One that was
/// moved from may only be destroyed or assigned to.
class RemoteFilter {
 public:
  /// Fetches the header, and what tells where questions read: one round or two for most kinds, and one more for each
  /// level of a ribbon, up to 6 in all. Errors: those of the reader; kCorrupt naming the field; kTooLarge; kSystem
  /// where the reader gives no version.
  [[nodiscard]] static Result<RemoteFilter> open(std::unique_ptr<RangeReader> reader,
                                                 const RemoteOptions& options = {});
  RemoteFilter(RemoteFilter&&) noexcept;
  RemoteFilter& operator=(RemoteFilter&&) noexcept;
  ~RemoteFilter();

  // Questions, as those of FilterRef: of the file as it was when it was opened, also where what they read was fetched
  // long ago. Whoever must know of a new one opens it again. Errors: those of the reader; kCorrupt where what came is
  // damaged, naming the segment and the part; kTooLarge for a part without sums. The next question fetches it again.
  // With RemoteOptions::verify there is never an answer from damaged bytes.
  [[nodiscard]] Result<bool> may_contain(std::string_view key) { return may_contain_hash(hash(key)); }
  [[nodiscard]] Result<bool> may_contain_hash(std::uint64_t key_hash);
  /// Fetches what all of them need together: one call of the reader for thousands of keys. On an error, ignore what is
  /// in `hits`.
  Result<void> may_contain_hashes(std::span<const std::uint64_t> hashes, std::span<bool> hits);
  /// Errors: also kUnsupported for a kind that cannot count.
  [[nodiscard]] Result<std::uint64_t> count(std::string_view key) { return count_hash(hash(key)); }
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash);
  /// Of ordered numbers (crivo/ordered.h), as keys of a range filter are.
  [[nodiscard]] Result<bool> may_contain_range(std::uint64_t low, std::uint64_t high);
  /// As MapRef (crivo/map.h). Errors: also kUnsupported for a kind that has no values.
  [[nodiscard]] Result<std::optional<std::uint64_t>> find(std::string_view key) { return find_hash(hash(key)); }
  [[nodiscard]] Result<std::optional<std::uint64_t>> find_hash(std::uint64_t key_hash);
  Result<void> find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                           std::span<bool> found);

  // What the header says, or of a filter in parts the manifest, as when it was opened.
  [[nodiscard]] const Shape& shape() const noexcept;
  [[nodiscard]] const Facts& facts() const noexcept;
  /// Its name is "parts" for a filter in parts.
  [[nodiscard]] const KindInfo& kind() const noexcept;
  /// For a filter in parts the bytes of all their files.
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept;
  [[nodiscard]] std::uint64_t hash(std::string_view key) const noexcept {
    return hash_key(shape().hash_id, key, shape().seed);
  }

 private:
  class State;
  explicit RemoteFilter(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace crivo
