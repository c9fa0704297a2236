#include "filter_file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "command.h"
#include "crivo/host/raw_blob.h"
#include "file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

constexpr std::uint64_t kFirstReadBytes = 1 << 16;

/// The maximum file size of a payload: the payload, plus the header and the checksums of segments, or plus a codec's
/// overhead if that is larger.
std::uint64_t most_stored_bytes(std::uint64_t payload_bytes) {
  constexpr std::uint64_t kCodecBytes = 4096;
  return payload_bytes + std::max(kCodecBytes, blob_frame_bytes(Codec::kRawSums, payload_bytes));
}

/// The size of a regular file; 0 for a pipe or a device.
std::uint64_t size_of(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool is_file(const std::string& path) {
  struct stat status {};
  return path != "-" && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// Raises the soft limit of open files to the hard limit. A sharded filter uses at most a quarter of the limit: with
/// the usual 1024, queries of 1024 shards would repeatedly reopen files.
void raise_open_files() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// With guard_mapped_files(), a file that shrinks causes an error, like any other change.
FilterFile open_file(const std::string& path, const ReadLimits& limits) {
  raise_open_files();
  unwrap(guard_mapped_files());
  return unwrap(open_filter_file(path, {.map = {.limits = limits}}));
}

/// Reads a whole file; "-" is standard input. Throws Refused, which names the file by its `role`; kTooLarge above
/// `most` bytes.
AlignedBytes read_whole(const std::string& path, const std::string& role, std::uint64_t most) {
  const OwnedFd input = open_input(path, role);
  const std::uint64_t size = size_of(input.get());
  AlignedBytes bytes;
  for (std::uint64_t used = 0;;) {
    if (std::max(used, size) > most) {
      throw Refused(Error{ErrorCode::kTooLarge, role + " must have at most " + std::to_string(most) +
                                                    " bytes, got more; --max-bytes raises the limit"});
    }
    // The buffer has one byte more than the file, so that reading reaches its end before the buffer must grow.
    const std::uint64_t buffer_bytes = std::max({kFirstReadBytes, size + 1, used * 2});
    if (used == bytes.size()) bytes.resize(std::min(buffer_bytes, most + 1));
    const ssize_t got = ::read(input.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(role + " must be readable", path);
    used += static_cast<std::uint64_t>(got);
    if (got > 0) continue;
    bytes.resize(used);
    return bytes;
  }
}

AlignedBytes read_pipe(const std::string& path, const ReadLimits& limits) {
  return read_whole(path, "FILTER", most_stored_bytes(limits.max_bytes));
}

/// Whether a file begins like a sketch.
bool has_sketch(const std::string& path) {
  std::array<std::byte, kBlobHeaderBytes> start{};
  const ssize_t got = ::read(open_input(path, "FILTER").get(), start.data(), start.size());
  return got > 0 && Sketch::is_sketch(std::span(start).first(static_cast<std::size_t>(got)));
}

void add_max_bytes(CLI::App& command, ByteLimit& max_bytes) {
  add_limit(command, max_bytes, std::string("Largest filter to load into memory; ") + kByteUnits);
}

}  // namespace

void add_filter_argument(CLI::App& command, FilterArgument& filter, const char* about) {
  add_option(command, "FILTER", filter.path, about)->required();
  add_max_bytes(command, filter.max_bytes);
}

void add_filter_arguments(CLI::App& command, FilterArguments& filters, int least) {
  add_option(command, "FILTER", filters.paths, kAboutFilter)->required()->expected(least, -1);
  add_max_bytes(command, filters.max_bytes);
}

Refused in_file(const Refused& refused, const std::string& path) {
  const Error& error = refused.error;
  if (error.code == ErrorCode::kBadArgument || error.code == ErrorCode::kSystem) return refused;
  return Refused(Error{error.code, shown(path, "standard input") + ": " + error.message});
}

Refused in_given_units(const Refused& refused, const ByteLimit& max_bytes) {
  const std::uint64_t needed = refused.error.needed_bytes;
  return needed == 0 ? refused : limit_error(max_bytes, needed);
}

FilterFile load_filter(const FilterArgument& filter) try {
  const ReadLimits limits{.max_bytes = filter.max_bytes.bytes};
  const bool is_mapped = is_file(filter.path);
  const Progress progress("opening", is_mapped);  // for a terminal, open_input prints a note instead
  if (is_mapped) return open_file(filter.path, limits);
  return unwrap(MappedFilter::adopt(read_pipe(filter.path, limits), limits));
} catch (const Refused& refused) {
  throw in_given_units(refused, filter.max_bytes);
}

std::variant<FilterFile, Sketch> load_filter_or_sketch(const FilterArgument& filter) try {
  const ReadLimits limits{.max_bytes = filter.max_bytes.bytes};
  if (is_file(filter.path)) {
    if (has_sketch(filter.path)) return load_sketch(filter, "FILTER");
    return load_filter(filter);
  }
  AlignedBytes bytes = read_pipe(filter.path, limits);
  if (Sketch::is_sketch(bytes)) return unwrap(Sketch::parse(bytes, limits));
  return unwrap(MappedFilter::adopt(std::move(bytes), limits));
} catch (const Refused& refused) {
  throw in_given_units(refused, filter.max_bytes);
}

Sketch load_sketch(const FilterArgument& sketch, const std::string& role) try {
  const std::uint64_t max_bytes = sketch.max_bytes.bytes;
  return unwrap(Sketch::parse(read_whole(sketch.path, role, max_bytes + kBlobHeaderBytes), {.max_bytes = max_bytes}));
} catch (const Refused& refused) {
  throw in_given_units(refused, sketch.max_bytes);
}

LineLimit longest_line(const FilterArgument& filter) {
  const auto bytes = static_cast<std::size_t>(filter.max_bytes.bytes);
  return bytes < LineLimit{}.bytes ? LineLimit{bytes, filter.max_bytes.text()} : LineLimit{};
}

LoadedCopy load_copy(const FilterArgument& filter) try {
  const FilterFile file = load_filter(filter);
  const MappedFilter& opened = *unwrap(as_mapped_filter(file));
  const Progress progress("reading", true);
  return {unwrap(opened.to_filter({.max_bytes = filter.max_bytes.bytes})), opened.codec()};
} catch (const Refused& refused) {
  throw in_given_units(refused, filter.max_bytes);
}

}  // namespace crivo::tool
