// Keeps the filters that a connection was asked about before, so that they need not be read again.
//
// A filter that comes from a column or a subquery is a new value in every row. Reading it in full (its checksum, and
// decoding where it is compressed) takes far longer than a question, so filters that come again are kept. They are
// found by the blob's header, which holds the checksum of the rest, and its size.
//
// A checksum is no proof: who makes blobs by hand can give two of them the same header. So a kept filter never answers
// alone. The payload that was given is asked, too, and where the two disagree the blob is read in full, as if nothing
// had been kept: a damaged blob is then an error, and a forged one gives the answer of its own bytes. (A compressed
// payload cannot be asked. It is compared, byte by byte, with the one that was read.)
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "crivo/blob.h"
#include "crivo/filter.h"

namespace crivo::sqlite {

/// A filter that owns its payload and is ready to be asked.
struct OwnedFilter {
  explicit OwnedFilter(AnyFilter&& owned) : filter(std::move(owned)), ref(filter.ref()) {}
  OwnedFilter(const OwnedFilter&) = delete;
  OwnedFilter& operator=(const OwnedFilter&) = delete;
  AnyFilter filter;
  FilterRef ref;
};

/// A kept filter, with the parts of its blob that tell it from other filters.
struct KeptFilter {
  /// `rest` is what follows the blob's header if the payload is compressed, and else empty.
  KeptFilter(std::span<const std::byte> blob, std::span<const std::byte> rest, AnyFilter&& filter);
  OwnedFilter owned;
  std::array<std::byte, kBlobHeaderBytes> header;
  std::size_t blob_bytes;
  std::vector<std::byte> compressed;  // the compressed payload; empty if the blob was raw
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

/// The answer to one question; no value stands for NULL.
using Answer = std::optional<std::int64_t>;

class KeptFilters {
 public:
  /// The most bytes that are kept. A filter larger than this is read anew each time.
  static constexpr std::uint64_t kMaxBytes = std::uint64_t{32} << 20;

  KeptFilters() = default;
  KeptFilters(const KeptFilters&) = delete;  // by_id_ refers into entries_
  KeptFilters& operator=(const KeptFilters&) = delete;

  /// Returns what `ask(const FilterRef&)` answers about the filter in a blob. `ask` may be called twice, so it must be
  /// a function without effects. Errors: as parse_blob.
  template <class Ask>
  Result<Answer> ask(std::span<const std::byte> blob, const ReadLimits& limits, const Ask& ask) {
    const std::span<const std::byte> header = blob.first(std::min(blob.size(), kBlobHeaderBytes));
    if (const std::shared_ptr<const KeptFilter> kept = find(header, blob.size(), limits)) {
      const std::span<const std::byte> rest = blob.subspan(kBlobHeaderBytes);
      const FilterRef& ref = kept->owned.ref;
      if (kept->compressed.empty()) {
        const Result<FilterRef> given = FilterRef::open(ref.shape(), ref.facts(), rest);
        if (given) {
          const Answer answer = ask(*given);
          if (answer == ask(ref)) return answer;
        }
      } else if (std::memcmp(rest.data(), kept->compressed.data(), rest.size()) == 0) {
        return ask(ref);
      }
    }
    Result<OpenedBlob> opened = parse_blob(blob, limits);
    if (!opened) return opened.error();
    const Answer answer = ask(opened->ref());
    offer(blob, *std::move(opened));
    return answer;
  }

  /// The filter of a blob with this header and of this size, if it is kept and within the limit. It must not answer
  /// alone; see above. The pointer is shared, so that the filter stays while it is asked, even if it is dropped
  /// meanwhile.
  std::shared_ptr<const KeptFilter> find(std::span<const std::byte> header, std::size_t blob_bytes,
                                         const ReadLimits& limits);
  /// Keeps a filter that is seen for the second time, if there is room. Keeps nothing when memory is short.
  void offer(const std::shared_ptr<const KeptFilter>& filter) noexcept;

  /// The bytes that are kept now.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Entry {
    std::uint64_t id;
    std::uint64_t last_used;
    std::shared_ptr<const KeptFilter> filter;
  };
  struct Sight {
    std::uint64_t id;
    std::uint64_t time;
  };

  void offer(std::span<const std::byte> blob, OpenedBlob&& opened) noexcept;
  /// Notes that a filter was seen now. Returns when it was seen before; no value if it was not.
  std::optional<std::uint64_t> note_sight(std::uint64_t id) noexcept;
  [[nodiscard]] bool make_room(std::uint64_t id, std::uint64_t bytes, std::uint64_t seen_before);
  void insert(std::uint64_t id, std::shared_ptr<const KeptFilter> filter);
  void forget(std::list<Entry>::iterator entry);

  std::list<Entry> entries_;  // the most recently used entry comes first
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> by_id_;
  std::uint64_t bytes_ = 0;
  std::uint64_t questions_ = 0;  // the number of questions so far, which serves as a clock
  std::array<Sight, 1024> sights_{};
};

}  // namespace crivo::sqlite
