// Writing a filter; see output.h.
#include "output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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

bool write_all(int fd, std::span<const std::byte> content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return true;
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
  auto written =
      write_blob(filter, form, [](std::span<const std::byte> bytes) { return write_all(STDOUT_FILENO, bytes); });
  if (!written) return file_error("output must be writable", "standard output");
  return written;
}

}  // namespace crivo::tool
