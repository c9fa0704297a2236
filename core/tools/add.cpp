// crivo add: keys into the filter of a file, which is replaced in one step.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "command.h"
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
  std::string window;                // makes a missing file
  FilterSpec spec;                   // for that
  std::optional<std::int64_t> time;  // of the keys of a window; without it, now
  bool print_new = false;
  bool quiet = false;
};

bool same_content(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// Lets one `crivo add` of a file wait for another one, which would else be the last to replace the file, without the
/// keys of the first.
class LockedFile {
 public:
  /// Whoever had to wait finds another file at the path, and locks that one. With `make`, a missing file becomes an
  /// empty one, which goes again unless it is replaced.
  LockedFile(const std::string& path, bool make, bool quiet) : path_(path) {
    struct stat now {};
    if (path == "-" || (::stat(path.c_str(), &now) == 0 && !S_ISREG(now.st_mode))) {
      throw Refused("FILTER must be a file, because it is replaced, got " + shown(path, "standard input"));
    }
    do {
      if (make && OwnedFd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)).get() >= 0) made_ = true;
      fd_ = open_input(path, "FILTER");
      if (!lock(fd_.get(), path, quiet)) throw file_error("FILTER must be a file that can be locked", path);
      const bool is_there = ::stat(path.c_str(), &now) == 0;
      if (::fstat(fd_.get(), &opened_) != 0 || (!is_there && !(make && errno == ENOENT))) {
        throw file_error("FILTER must be readable", path);
      }
    } while (opened_.st_dev != now.st_dev || opened_.st_ino != now.st_ino);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile() {
    if (made_ && is_empty() && is_as_opened()) ::unlink(path_.c_str());
  }

  /// Whether it was made, and nobody has written to it.
  [[nodiscard]] bool is_empty() const noexcept { return opened_.st_size == 0; }
  /// Whether the path still leads to this file, and nobody has written to it.
  [[nodiscard]] bool is_as_opened() const {
    struct stat now {};
    return ::stat(path_.c_str(), &now) == 0 && same_content(now, opened_);
  }

 private:
  /// Says that it waits unless it is to be quiet, as it then becomes.
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
  bool made_ = false;
  struct stat opened_ {};  // zeros until the file is locked
};

/// The form in which a filter is stored again. A compressed one that is full enough by now is not.
BlobForm form_of(Codec codec) {
  if (codec == Codec::kRaw) return BlobForm::kRaw;
  return codec == Codec::kRawSums ? BlobForm::kMappable : BlobForm::kFile;
}

/// Adds the keys one after the other, and prints those that were not found before.
void add_and_print(AnyFilter& filter, std::span<const std::uint64_t> hashes, std::span<const std::string_view> keys,
                   KeyEnd key_end) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_new = !filter.ref().may_contain_hash(hashes[i]);
    unwrap(filter.add_hash(hashes[i]));
    if (is_new) print_key(keys[i], key_end);
  }
  flush_output();  // a program that sends line after line waits for each
}

/// The filter of an empty file, which --window has made.
LoadedCopy new_window(const AddOptions& options) {
  if (options.spec.capacity == 0) throw Refused("capacity must be given for a new window, the keys that come in one");
  return {unwrap(AnyFilter::create(options.spec, options.filter.max_bytes.bytes)), Codec::kZstd};
}

void check_window(const AddOptions& options, const FilterRef& filter) {
  const auto stored = window_of(filter.shape(), filter.payload().data());
  const auto wanted = pane_length(static_cast<double>(options.spec.window), options.spec.panes);
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
  const LockedFile file(path, has_window, options.quiet);
  check_output(path, options.keys.paths);
  LoadedCopy loaded = has_window && file.is_empty() ? new_window(options) : load_copy(options.filter);
  AnyFilter& filter = loaded.filter;
  if (has_window) check_window(options, filter.ref());
  if (filter.ref().kind().can.advance || options.time) unwrap(filter.advance(options.time.value_or(time_now())));
  unwrap(filter.add_hashes({}));  // before anything is read
  const auto add_batch = [&](const KeyBatch& batch) {
    if (options.print_new) return add_and_print(filter, batch.hashes, batch.lines, options.keys.key_end);
    unwrap(filter.add_hashes(batch.hashes));
  };
  const Hashing hashing{filter.shape().hash_id, filter.shape().seed};
  KeyFiles files = options.keys;
  files.longest = longest_line(options.filter);
  add_keys("add", files, hashing, add_batch, options.print_new);
  if (!file.is_as_opened()) throw Refused("FILTER must not be changed while keys are added, got " + shown(path));
  return write_filter(filter.ref(), path, form_of(loaded.codec),
                      {"add", options.quiet, "crivo build makes a larger filter"});
} catch (const Refused& refused) {
  Refused shown = in_given_units(refused, options.filter.max_bytes);
  if (shown.error.code == ErrorCode::kFull) shown.error.message += "; crivo build makes a larger filter";
  throw in_file(shown, options.filter.path);
}

void add_window(CLI::App& command, AddOptions& options) {
  take(
      command, "--window",
      [&options](const std::string& text) {
        options.window = text;
        unwrap(choose_kind(options.spec, "window:" + text));
      },
      "Forget keys so long after they came, as '7 days' or '36 hours/12' (with the number of panes): makes FILTER if "
      "it is "
      "missing",
      "WINDOW");
  take(command, "--capacity", into(options.spec.capacity, parse_capacity), "Keys that come in a window, for a new one",
       "N");
  take(command, "--fp-rate,--fpr", into(options.spec.fp_rate, parse_fp_rate), "For a new window", "RATE")
      ->default_str("0.01");
  take_time(command, options.time);
}

}  // namespace

void add_add(CLI::App& app, Action& action) {
  const auto [command, options] = declare(app, action, "add", "Add keys to the filter of a file", add);
  add_filter_argument(command, options.filter, "The filter's file, replaced in one step");
  add_key_files(command, options.keys);
  add_window(command, options);
  command.add_flag("--print-new", options.print_new, "Print each key that was not found before it was added");
  add_quiet(command, options.quiet);
  command.footer(kKeyLines);
}

}  // namespace crivo::tool
