// Reading a filter; see filter_file.h.
#include "filter_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "command.h"
#include "crivo/blob_sums.h"
#include "file.h"
#include "numbers.h"

namespace crivo::tool {
namespace {

constexpr std::uint64_t kFirstReadBytes = 1 << 16;

/// The most bytes that a filter may be stored in whose payload takes `payload_bytes`: with checksums for its chunks, or
/// with what a codec adds to a tiny payload.
std::uint64_t most_stored_bytes(std::uint64_t payload_bytes) {
  constexpr std::uint64_t kCodecBytes = 4096;
  return payload_bytes + std::max(kCodecBytes, blob_frame_bytes(Codec::kRawSums, payload_bytes));
}

Error with_advice(Error error) {
  error.message += "; --max-bytes raises the limit";
  return error;
}

/// The size of a file in bytes; 0 for a pipe, whose size is unknown.
std::uint64_t size_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool is_file(const std::string& path) {
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// A file that shrinks while it is read is then an error, as every other change of it is.
Result<MappedFilter> open_file(const std::string& path, const ReadLimits& limits) {
  if (auto guarded = guard_mapped_files(); !guarded) return guarded.error();
  return MappedFilter::open(path, {.limits = limits});
}

/// Reads the whole content. Errors: kTooLarge when it has more than `most` bytes.
Result<AlignedBytes> read_whole(const std::string& path, std::uint64_t most) {
  const Result<OwnedFd> input = open_input(path, "FILTER");
  if (!input) return input.error();
  const std::uint64_t size = size_of(input->get());
  AlignedBytes bytes;
  for (std::uint64_t used = 0;;) {
    if (std::max(used, size) > most) {
      return Error{ErrorCode::kTooLarge,
                   "FILTER must have at most " + std::to_string(most) + " bytes, got more in " + path};
    }
    // The buffer has one byte more than the file, so that the end of the file is seen before the buffer has to grow.
    const std::uint64_t room = std::max({kFirstReadBytes, size + 1, used * 2});
    if (used == bytes.size()) bytes.resize(std::min(room, most + 1));
    const ssize_t got = ::read(input->get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("FILTER must be readable", path);
    used += static_cast<std::uint64_t>(got);
    if (got > 0) continue;
    bytes.resize(used);
    return bytes;
  }
}

Result<MappedFilter> read_pipe(const std::string& path, const ReadLimits& limits) {
  Result<AlignedBytes> bytes = read_whole(path, most_stored_bytes(limits.max_raw_bytes));
  if (!bytes) return bytes.error();
  return MappedFilter::adopt(*std::move(bytes), limits);
}

}  // namespace

void add_filter_argument(CLI::App& command, FilterArgument& filter) {
  command.add_option("FILTER", filter.path, "A file that crivo build or SQL made; - is standard input")
      ->required()
      ->transform(literal);
  command.add_option("--max-bytes", filter.max_bytes, "Refuse a filter that takes more memory; K, M, G, T may follow")
      ->type_name("BYTES")
      ->capture_default_str()
      ->transform(literal);
}

Result<MappedFilter> load_filter(const FilterArgument& filter) {
  const Result<std::uint64_t> max_bytes = parse_bytes(filter.max_bytes);
  if (!max_bytes) return max_bytes.error();
  const ReadLimits limits{.max_raw_bytes = *max_bytes};
  Result<MappedFilter> opened = is_file(filter.path) ? open_file(filter.path, limits) : read_pipe(filter.path, limits);
  if (!opened && opened.error().code == ErrorCode::kTooLarge) return with_advice(opened.error());
  return opened;
}

}  // namespace crivo::tool
