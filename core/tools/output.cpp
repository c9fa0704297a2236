#include "output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <optional>

#include "crivo/blob.h"
#include "crivo/blob_file.h"
#include "crivo/host/replace_file.h"
#include "crivo/host/sizing.h"
#include "file.h"
#include "progress.h"

namespace crivo::tool {
namespace {

/// The status of the file that a path leads to, through links and descriptors; for "-", of the descriptor `standard`.
std::optional<struct stat> status_of(const std::string& path, int standard) {
  struct stat status {};
  const int result = path == "-" ? ::fstat(standard, &status) : ::stat(path.c_str(), &status);
  return result == 0 ? std::optional(status) : std::nullopt;
}

bool put(std::span<const std::byte> bytes) {
  return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0;
}

/// Detects a missing or unwritable folder, or a folder as the output, before hours of work instead of after.
void check_place(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) return;
    errno = EISDIR;
    throw file_error("output must be writable", path);
  }
  if (errno != ENOENT) throw file_error("output must be writable", path);
  const std::string folder = replaced_folder(path);
  if (folder.starts_with("/proc/") || folder == "/dev/fd") return;  // a descriptor of this process
  if (::access(folder.c_str(), F_OK) != 0) throw file_error("output must be writable", path);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw file_error("the folder of the output must be writable", folder);
  }
}

void report_filter(const FilterRef& filter, const std::string& path, std::uint64_t bytes, const char* command) {
  const Facts& facts = filter.facts();
  const std::string_view kind = filter.kind().name;
  std::string keys = std::to_string(facts.keys);
  if (filter.kind().can.exact) {  // shows whether members and non-members were exchanged
    keys += " (distinct members " + std::to_string(static_cast<std::uint64_t>(*filter.stats().cardinality)) + ")";
  }
  std::fprintf(stderr, "crivo %s: %s: kind %.*s, capacity %" PRIu64 ", fp_rate %.3g, keys %s, %" PRIu64 " bytes\n",
               command, shown(path, "standard output").c_str(), static_cast<int>(kind.size()), kind.data(),
               facts.capacity, facts.fp_rate, keys.c_str(), bytes);
}

void warn_over_capacity(const FilterRef& filter, const Report& report) {
  const Facts& facts = filter.facts();
  const bool is_window = filter.kind().can.advance;
  if (facts.keys <= facts.capacity && !is_window) return;  // without a pass over the payload
  const Stats stats = filter.stats();
  if (!is_over_capacity(facts, stats, is_window)) return;  // the keys above the capacity were repeated
  const double actual = stats.current_fp_rate;
  const int digits = actual < 1.01 * facts.fp_rate ? 6 : 3;  // so that the printed rates differ
  const std::string why =
      is_window ? "a pane has more keys than an even share of the capacity of " + std::to_string(facts.capacity)
                : std::to_string(facts.keys) + " keys exceed the capacity of " + std::to_string(facts.capacity);
  std::fprintf(stderr, "crivo %s: note: %s: current_fp_rate is %.*g instead of %.*g; %s\n", report.command, why.c_str(),
               digits, actual, digits, facts.fp_rate,
               is_window ? "a new window needs a larger --capacity" : report.overfull);
}

std::uint64_t write(const FilterRef& filter, const std::string& path, BlobForm form) {
  const Progress progress("writing", true);
  if (path != "-") return unwrap(write_blob_file(filter, path, form));
  const auto written = write_blob(filter, form, put);
  if (!written.has_value()) throw file_error("output must be writable", "-", "standard output");
  return *written;
}

}  // namespace

BlobForm OutputArgument::form() const noexcept {
  if (raw) return BlobForm::kRaw;
  if (mappable) return BlobForm::kMappable;
  return compress ? BlobForm::kSmallest : BlobForm::kFile;
}

void add_output(CLI::App& command, OutputArgument& output) {
  add_option(command, "-o,--output", output.path, "The file to write, replaced atomically; - is standard output",
             "FILE")
      ->required();
}

void add_forms(CLI::App& command, OutputArgument& output) {
  CLI::Option* raw = command.add_flag("--raw", output.raw, "Store the payload uncompressed, as in memory");
  CLI::Option* compress = command.add_flag("--compress", output.compress, "Store the smallest form")->excludes(raw);
  command
      .add_flag(
          "--mappable", output.mappable,
          "Store the filter so that it opens in constant time; the default for large filters that are not nearly empty")
      ->excludes(raw)
      ->excludes(compress);
}

void add_quiet(CLI::App& command, bool& quiet) {
  command.add_flag("-q,--quiet", quiet, "Do not report what was written; still print notes and errors");
}

void check_output(const std::string& path, const std::vector<std::string>& inputs) {
  if (path.empty()) throw Refused("output must be the name of a file, got an empty one");
  if (path == "-" && ::isatty(STDOUT_FILENO) != 0) {
    throw Refused("output must be a file or a pipe, got a terminal; -o /dev/stdout writes to it anyway");
  }
  if (path != "-") check_place(path);
  const auto output = status_of(path, STDOUT_FILENO);
  if (!output || !S_ISREG(output->st_mode)) return;
  for (const std::string& input : inputs) {
    const auto status = status_of(input, STDIN_FILENO);
    if (!status || status->st_dev != output->st_dev || status->st_ino != output->st_ino) continue;
    throw Refused("output must differ from the input " + (input == "-" ? "from standard input" : shown(input)) +
                  ", got " + shown(path, "standard output"));
  }
}

ExitCode write_filter(const FilterRef& filter, const std::string& path, BlobForm form, const Report& report) {
  const std::uint64_t bytes = write(filter, path, form);
  if (!report.quiet) report_filter(filter, path, bytes, report.command);
  warn_over_capacity(filter, report);
  return kYes;
}

void report_shards(const char* command, const std::string& path, const Manifest& manifest) {
  const Facts facts = manifest.facts();
  std::fprintf(stderr,
               "crivo %s: %s: %zu shards, capacity %" PRIu64 ", fp_rate %.3g, keys %" PRIu64 ", %" PRIu64 " bytes\n",
               command, shown(path).c_str(), manifest.shards.size(), facts.capacity, facts.fp_rate, facts.keys,
               manifest.bytes());
}

}  // namespace crivo::tool
