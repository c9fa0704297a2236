// crivo add: adds keys to a filter file, which is replaced atomically.
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "command.h"
#include "crivo/blob_file.h"
#include "crivo/host/replace_file.h"
#include "crivo/host/text.h"
#include "crivo/host/window.h"
#include "crivo/kinds.h"
#include "file.h"
#include "filter_file.h"
#include "key_feed.h"
#include "output.h"

namespace crivo::tool {
namespace {

struct AddOptions {
  FilterArgument filter;
  KeyFiles keys;
  std::string window;                // the text of --window, which creates a missing file
  FilterSpec spec;                   // of the file to create
  std::optional<std::int64_t> time;  // of the keys of a window; default: now
  bool print_new = false;
  bool quiet = false;
};

bool same_content(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// Serializes `crivo add` on a file. Without the lock, a process could overwrite keys that another process added.
class LockedFile {
 public:
  /// While the constructor waits, another process may replace the file. The constructor then locks the new file.
  LockedFile(const std::string& path, bool quiet) : path_(path) {
    struct stat now {};
    if (path == "-" || (::stat(path.c_str(), &now) == 0 && !S_ISREG(now.st_mode))) {
      throw Refused("FILTER must be a file, because it is replaced, got " + shown(path, "standard input"));
    }
    do {
      fd_ = open_input(path, "FILTER");
      if (!lock(fd_.get(), path, quiet)) throw file_error("FILTER must be a file that can be locked", path);
      if (::fstat(fd_.get(), &opened_) != 0 || ::stat(path.c_str(), &now) != 0) {
        throw file_error("FILTER must be readable", path);
      }
    } while (opened_.st_dev != now.st_dev || opened_.st_ino != now.st_ino);
  }

  /// Whether the path still leads to this file, unchanged.
  [[nodiscard]] bool is_unchanged() const {
    struct stat now {};
    return ::stat(path_.c_str(), &now) == 0 && same_content(now, opened_);
  }

 private:
  /// Locks the file. Unless `quiet`, prints a note before the first wait, and sets `quiet`.
  static bool lock(int fd, const std::string& path, bool& quiet) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK) return false;
    if (!quiet) std::fprintf(stderr, "crivo add: waiting for another crivo add to %s\n", shown(path).c_str());
    quiet = true;
    int result = 0;
    do {
      result = ::flock(fd, LOCK_EX);
    } while (result != 0 && errno == EINTR);
    return result == 0;
  }

  OwnedFd fd_{-1};
  std::string path_;
  struct stat opened_ {};  // zeros until the file is locked
};

/// The form in which the changed filter is stored. With kFile, a filter that has become too full to compress is stored
/// uncompressed.
BlobForm form_of(Codec codec) {
  if (codec == Codec::kRaw) return BlobForm::kRaw;
  return codec == Codec::kRawSums ? BlobForm::kMappable : BlobForm::kFile;
}

/// Adds the keys one by one, and prints the keys that were not found before.
void add_and_print(AnyFilter& filter, std::span<const std::uint64_t> hashes, std::span<const std::string_view> keys,
                   KeyEnd key_end) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_new = !filter.ref().may_contain_hash(hashes[i]);
    unwrap(filter.add_hash(hashes[i]));
    if (is_new) print_key(keys[i], key_end);
  }
  flush_output();  // for a program that waits for the answer to each line
}

/// Creates a missing file atomically, with an empty window. Another process may create it first.
void make_window(const AddOptions& options) {
  const std::string& path = options.filter.path;
  struct stat there {};
  if (path == "-" || ::stat(path.c_str(), &there) == 0) return;
  if (options.spec.capacity == 0)
    throw Refused("capacity must be set for a new window, got none: it is the number of keys per window");
  AnyFilter filter = unwrap(AnyFilter::create(options.spec, options.filter.max_bytes.bytes));
  set_clock(filter, options.time);
  const std::string made = std::filesystem::path(path).replace_filename(temporary_name()).string();
  unwrap(write_blob_file(filter.ref(), made));
  const bool is_named =
      ::link(made.c_str(), path.c_str()) == 0 || errno == EEXIST || ::rename(made.c_str(), path.c_str()) == 0;
  const int reason = errno;
  ::unlink(made.c_str());
  errno = reason;
  if (!is_named) throw file_error("FILTER must be writable", path);
}

void check_window(const AddOptions& options, const FilterRef& filter) {
  const auto stored = clock_of(filter.shape(), filter.payload().data());
  const auto wanted = length_of_pane(static_cast<double>(options.spec.window), options.spec.panes);
  if (stored && stored->panes == options.spec.panes && stored->pane_length == wanted) return;
  throw Refused("window must be that of the filter, " +
                (stored ? number_text(static_cast<double>(stored->pane_length * stored->panes) / 1000) + " seconds/" +
                              std::to_string(stored->panes)
                        : "which has none") +
                ", got " + in_quotes(options.window));
}

ExitCode add(const AddOptions& options) try {
  const std::string& path = options.filter.path;
  const bool has_window = !options.window.empty();
  if (has_window) make_window(options);
  const LockedFile file(path, options.quiet);
  check_output(path, options.keys.paths);
  LoadedCopy loaded = load_copy(options.filter);
  AnyFilter& filter = loaded.filter;
  if (has_window) check_window(options, filter.ref());
  set_clock(filter, options.time);
  unwrap(filter.add_hashes({}));  // fails before keys are read if the kind cannot add
  const auto add_batch = [&](const KeyBatch& batch) {
    if (options.print_new) return add_and_print(filter, batch.hashes, batch.lines, options.keys.key_end);
    unwrap(filter.add_hashes(batch.hashes));
  };
  const Hashing hashing{filter.shape().hash_id, filter.shape().seed};
  KeyFiles files = options.keys;
  files.longest = longest_line(options.filter);
  add_keys("add", files, hashing, add_batch, options.print_new);
  if (!file.is_unchanged()) throw Refused("FILTER must not be changed while keys are added, got " + shown(path));
  return write_filter(filter.ref(), path, form_of(loaded.codec),
                      {"add", options.quiet, "crivo build makes a larger filter"});
} catch (const Refused& refused) {
  Refused shown = in_given_units(refused, options.filter.max_bytes);
  if (shown.error.code == ErrorCode::kFull) shown.error.message += "; crivo build makes a larger filter";
  throw in_file(shown, options.filter.path);
}

void add_window(CLI::App& command, AddOptions& options) {
  CLI::Option* const window = add_option(
      command, "--window",
      [&options](const std::string& text) {
        options.window = text;
        if (!choose_kind(options.spec, "window:" + text)) {
          throw Refused("window must be " + std::string(kWindowLengths) + ", and /N for N panes up to 256, got " +
                        in_quotes(text));
        }
      },
      "Expire keys after this time, as '7 days', or '36 hours/12' with the number of panes; create FILTER if it is "
      "missing",
      "WINDOW");
  add_option(command, "--capacity", into(options.spec.capacity, parse_capacity),
             "For a new filter: keys per window; for uneven arrival, the keys of the busiest pane times the panes", "N")
      ->needs(window);
  add_option(command, "--fp-rate,--fpr", into(options.spec.fp_rate, parse_fp_rate),
             "For a new filter: false-positive rate", "RATE")
      ->default_str("0.01")
      ->needs(window);
  add_time(command, options.time);
}

}  // namespace

void add_add(CLI::App& app, Action& action) {
  const auto [command, options] = declare(app, action, "add", "Add keys to a filter file", add);
  add_filter_argument(command, options.filter, "The filter's file, replaced atomically");
  add_key_files(command, options.keys);
  add_window(command, options);
  command.add_flag("--print-new", options.print_new, "Print each key that was not found before it was added");
  add_quiet(command, options.quiet);
  command.footer(kKeyLines);
}

}  // namespace crivo::tool
