// crivo add: keys into the filter of a file, which is replaced in one step.
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "command.h"
#include "file.h"
#include "filter_file.h"
#include "key_feed.h"
#include "output.h"

namespace crivo::tool {
namespace {

struct AddOptions {
  FilterArgument filter;
  KeyFiles keys;
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
  /// Whoever had to wait finds another file at the path, and locks that one.
  static Result<LockedFile> open(const std::string& path, bool quiet) {
    struct stat now {};
    if (path == "-" || (::stat(path.c_str(), &now) == 0 && !S_ISREG(now.st_mode))) {
      return Error{ErrorCode::kBadArgument,
                   "FILTER must be a file, because it is replaced, got " + shown(path, "standard input")};
    }
    for (;;) {
      Result<OwnedFd> fd = open_input(path, "FILTER");
      if (!fd) return fd.error();
      if (!lock(fd->get(), path, quiet)) return file_error("FILTER must be a file that can be locked", path);
      struct stat locked {};
      if (::fstat(fd->get(), &locked) != 0 || ::stat(path.c_str(), &now) != 0) {
        return file_error("FILTER must be readable", path);
      }
      if (locked.st_dev == now.st_dev && locked.st_ino == now.st_ino) return LockedFile(*std::move(fd), path, locked);
    }
  }

  /// Whether the path still leads to this file, and nobody has written to it.
  [[nodiscard]] bool is_as_opened() const {
    struct stat now {};
    return ::stat(path_.c_str(), &now) == 0 && same_content(now, opened_);
  }

 private:
  LockedFile(OwnedFd fd, std::string path, const struct stat& opened)
      : fd_(std::move(fd)), path_(std::move(path)), opened_(opened) {}

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

  OwnedFd fd_;
  std::string path_;
  struct stat opened_;
};

/// The form in which a filter is stored again. A compressed one that is full enough by now is not.
BlobForm form_of(Codec codec) {
  if (codec == Codec::kRaw) return BlobForm::kRaw;
  return codec == Codec::kRawSums ? BlobForm::kMappable : BlobForm::kFile;
}

/// Adds the keys one after the other, and prints those that were not found before.
Result<void> add_and_print(AnyFilter& filter, std::span<const std::uint64_t> hashes,
                           std::span<const std::string_view> keys, KeyEnd key_end) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool is_new = !filter.ref().may_contain_hash(hashes[i]);
    if (auto added = filter.add_hash(hashes[i]); !added) return added;
    if (is_new) print_key(keys[i], key_end);
  }
  return flush_output();  // a program that sends line after line waits for each
}

Result<ExitCode> add(const AddOptions& options) {
  const std::string& path = options.filter.path;
  const Result<LockedFile> file = LockedFile::open(path, options.quiet);
  if (!file) return file.error();
  if (auto fine = check_output(path, options.keys.paths); !fine) return fine.error();
  Result<LoadedCopy> loaded = load_copy(options.filter);
  if (!loaded) return loaded.error();
  AnyFilter& filter = loaded->filter;
  if (auto able = filter.add_hashes({}); !able) return able.error();  // before anything is read
  const auto add_batch = [&](std::span<const std::uint64_t> hashes, std::span<const std::string_view> keys) {
    return options.print_new ? add_and_print(filter, hashes, keys, options.keys.key_end) : filter.add_hashes(hashes);
  };
  const Hashing hashing{filter.shape().hash_id, filter.shape().seed};
  KeyFiles files = options.keys;
  files.longest = longest_line(options.filter);
  if (auto added = add_keys("add", files, hashing, add_batch, options.print_new); !added) {
    Error error = in_given_units(added.error(), options.filter);
    if (error.code == ErrorCode::kFull) error.message += "; crivo build makes a larger filter";
    return error;
  }
  if (!file->is_as_opened()) {
    return Error{ErrorCode::kBadArgument, "FILTER must not be changed while keys are added, got " + shown(path)};
  }
  return write_filter(filter.ref(), path, form_of(loaded->codec),
                      {"add", options.quiet, "crivo build makes a larger filter"});
}

}  // namespace

void add_add(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("add", "Add keys to the filter of a file");
  const auto options = std::make_shared<AddOptions>();
  add_filter_argument(*command, options->filter, "The filter's file, replaced in one step");
  add_key_files(*command, options->keys);
  command->add_flag("--print-new", options->print_new, "Print each key that was not found before it was added");
  add_quiet(*command, options->quiet);
  command->footer(kKeyLines);
  command->callback(
      [options, &action] { action = [options] { return in_file(add(*options), options->filter.path); }; });
}

}  // namespace crivo::tool
