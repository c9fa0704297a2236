// Writing a filter; see output.h.
#include "output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "crivo/blob_file.h"
#include "crivo/blob_writer.h"
#include "file.h"

namespace crivo::tool {
namespace {

/// The status of what a path leads to, through links and open descriptors; "-" is `standard`.
std::optional<struct stat> status_of(const std::string& path, int standard) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(standard, &status) : ::stat(path.c_str(), &status);
  return result == 0 ? std::optional(status) : std::nullopt;
}

bool put(std::span<const std::byte> bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
}

}  // namespace

Result<void> check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) return Error{ErrorCode::kBadArgument, "output must be the name of a file, got an empty one"};
  const auto output = status_of(path, STDOUT_FILENO);
  if (!output || !S_ISREG(output->st_mode)) return {};
  for (const std::string& input : inputs) {
    const auto status = status_of(input, STDIN_FILENO);
    if (!status || status->st_dev != output->st_dev || status->st_ino != output->st_ino) continue;
    return Error{ErrorCode::kBadArgument, "output must be another file than the input " +
                                              (input == "-" ? "from standard input" : input) + ", got " +
                                              (path == "-" ? "standard output" : path)};
  }
  return {};
}

Result<std::uint64_t> write_filter(const FilterRef& filter, const std::string& path, BlobForm form) {
  if (path != "-") return write_blob_file(filter, path, form);
  auto written = write_blob(filter, form, put);
  if (!written) return file_error("output must be writable", "standard output");
  return written;
}

}  // namespace crivo::tool
