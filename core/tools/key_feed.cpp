#include "key_feed.h"

#include <sys/stat.h>

#include <future>
#include <optional>
#include <span>
#include <utility>

#include "command.h"
#include "crivo/hash.h"
#include "crivo/host/text.h"
#include "numbers.h"
#include "progress.h"

namespace crivo::tool {
namespace {

constexpr std::size_t kBatchHashes = std::size_t{1} << 16;  // at least: fewer are not worth a thread

/// Adds a batch of hashes on another thread, while the caller fills the next one.
class Adder {
 public:
  Adder(const HashSink& add, bool with_keys) : add_(add), with_keys_(with_keys) {}

  /// Room for the hashes of so many keys, for submit().
  [[nodiscard]] std::span<std::uint64_t> room(std::size_t keys) {
    filled_.resize(filled_.size() + keys);
    return std::span(filled_).last(keys);
  }
  /// The keys are for whoever wants them. Throws what the adding of the batch before has thrown.
  void submit(std::span<const std::string_view> keys) {
    if (with_keys_) {
      add_(filled_, keys);
      filled_.clear();
    } else if (filled_.size() >= kBatchHashes) {
      begin();
    }
  }
  /// Adds what is left. Throws as submit.
  void finish() {
    if (!filled_.empty()) begin();
    end();
  }

 private:
  void begin() {
    end();
    std::swap(filled_, added_);
    filled_.clear();
    // Where no thread is to be had, the caller's adds the batch, in end().
    adding_ = std::async(std::launch::async | std::launch::deferred, [this] { add_(added_, {}); });
  }
  void end() {
    if (adding_.valid()) adding_.get();
  }

  const HashSink& add_;
  bool with_keys_;
  std::vector<std::uint64_t> filled_;
  std::vector<std::uint64_t> added_;
  std::future<void> adding_;  // waits when it is destroyed, before what it uses
};

/// The size of all input files together, in bytes; 0 if one of them is no regular file.
std::uint64_t total_bytes(const std::vector<std::string>& files) {
  std::uint64_t total = 0;
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    total += static_cast<std::uint64_t>(status.st_size);
  }
  return total;
}

/// Counts the lines of a file, and makes numbers of those that are integers.
class Integers {
 public:
  Integers(const std::string& file, KeyEnd key_end)
      : file_(file), line_(key_end == KeyEnd::kNewline ? "line " : "key ") {}
  void read(std::span<const std::string_view> lines, std::span<std::uint64_t> numbers) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ++seen_;
      const auto number = parse_ordered(lines[i]);
      if (!number) {
        throw Refused(line_ + std::to_string(seen_) + " of " + shown(file_, "standard input") +
                      " must be an integer of 64 bits for the kind range, got " + in_quotes(lines[i]));
      }
      numbers[i] = *number;
    }
  }

 private:
  const std::string& file_;
  std::string line_;
  std::uint64_t seen_ = 0;
};

}  // namespace

void add_key_files(CLI::App& command, KeyFiles& files) {
  take(command, "FILE", files.paths, "Where the keys are; none or - is standard input");
  add_null_flag(command, files.key_end);
}

void add_keys(const char* command, const KeyFiles& files, const Hashing& hashing, const HashSink& add, bool with_keys) {
  Adder adder(add, with_keys);
  Progress progress("reading");
  const auto total = static_cast<double>(total_bytes(files.paths));
  CarriageReturnNote carriage_returns(command, files.key_end);
  std::uint64_t bytes_before = 0;
  std::uint64_t keys = 0;
  for (const std::string& file : files.paths) {
    KeyReader reader(file, files.key_end, files.longest);
    Integers integers(file, files.key_end);
    bool is_first = true;
    for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
      if (std::exchange(is_first, false)) note_mark(command, file, lines.front());
      carriage_returns.look_at(lines);
      const std::span<std::uint64_t> hashes = adder.room(lines.size());
      hashing.id == HashId::kOrdered ? integers.read(lines, hashes) : hash_keys(lines, hashing.seed, hashes);
      adder.submit(lines);
      keys += lines.size();
      const auto bytes = static_cast<double>(bytes_before + reader.bytes_read());
      progress.update(total > 0 ? std::optional(bytes / total) : std::nullopt, keys);
    }
    bytes_before += reader.bytes_read();
  }
  adder.finish();
}

}  // namespace crivo::tool
