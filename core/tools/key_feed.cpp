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

constexpr std::size_t kBatchHashes = std::size_t{1} << 16;  // minimum per batch: fewer hashes are not worth a thread

/// Hashes and values of a batch.
struct Hashed {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> values;  // empty, or one per hash
  void clear() {
    hashes.clear();
    values.clear();
  }
};

/// Adds a batch on another thread while the caller fills the next one.
class Adder {
 public:
  Adder(const KeySink& add, bool with_lines) : add_(add), with_lines_(with_lines) {}

  /// Extends the batch by this many keys. The caller must write their hashes or values before it calls submit().
  [[nodiscard]] std::span<std::uint64_t> hashes(std::size_t keys) { return more(filled_.hashes, keys); }
  [[nodiscard]] std::span<std::uint64_t> values(std::size_t keys) { return more(filled_.values, keys); }
  /// Starts adding the batch once it has kBatchHashes keys; if with_lines, adds the batch at once, on this thread, with
  /// its lines. Rethrows the error of the previous batch.
  void submit(std::span<const std::string_view> lines) {
    if (with_lines_) {
      add_({filled_.hashes, filled_.values, lines});
      filled_.clear();
    } else if (filled_.hashes.size() >= kBatchHashes) {
      begin();
    }
  }
  /// Adds the last batch, which may be incomplete. Throws as submit.
  void finish() {
    if (!filled_.hashes.empty()) begin();
    end();
  }

 private:
  static std::span<std::uint64_t> more(std::vector<std::uint64_t>& numbers, std::size_t count) {
    numbers.resize(numbers.size() + count);
    return std::span(numbers).last(count);
  }
  void begin() {
    end();
    std::swap(filled_, added_);
    filled_.clear();
    // If no thread can be started, this thread adds the batch in end().
    adding_ = std::async(std::launch::async | std::launch::deferred, [this] {
      add_({added_.hashes, added_.values, {}});
    });
  }
  void end() {
    if (adding_.valid()) adding_.get();
  }

  const KeySink& add_;
  bool with_lines_;
  Hashed filled_;
  Hashed added_;
  std::future<void> adding_;  // declared last: its destructor waits for the thread, which uses the other members
};

/// The total size of the input files; 0 if one is not a regular file.
std::uint64_t total_bytes(const std::vector<std::string>& files) {
  std::uint64_t total = 0;
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    total += static_cast<std::uint64_t>(status.st_size);
  }
  return total;
}

/// Parses lines that are integers, or keys with values.
class Lines {
 public:
  Lines(const std::string& file, const KeyFiles& files)
      : file_(file),
        line_(files.key_end == KeyEnd::kNewline ? "line " : "key "),
        integers_of_(files.integers_of),
        most_((std::uint64_t{1} << files.value_bits) - 1) {}

  void read_integers(std::span<const std::string_view> lines, std::span<std::uint64_t> numbers) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ++lines_read_;
      const auto number = parse_ordered(lines[i]);
      if (!number) throw wrong("an integer of 64 bits for " + integers_of_, lines[i]);
      numbers[i] = *number;
    }
  }

  /// Parses the values. Returns the keys, valid until the next call.
  std::span<const std::string_view> read_pairs(std::span<const std::string_view> lines,
                                               std::span<std::uint64_t> values) {
    keys_.clear();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      ++lines_read_;
      const std::size_t tab = lines[i].rfind('\t');
      const auto value =
          tab == std::string_view::npos ? std::nullopt : read_number<std::uint64_t>(lines[i].substr(tab + 1));
      if (!value || *value > most_)
        throw wrong("a key, a tab and an integer from 0 to " + std::to_string(most_), lines[i]);
      values[i] = *value;
      keys_.push_back(lines[i].substr(0, tab));
    }
    return keys_;
  }

  /// Counts a line that is a key.
  std::string_view next(std::string_view line) noexcept {
    ++lines_read_;
    return line;
  }

  /// Describes the place of the last line.
  [[nodiscard]] std::string place() const {
    return line_ + std::to_string(lines_read_) + " of " + shown(file_, "standard input");
  }

 private:
  [[nodiscard]] Refused wrong(const std::string& rule, std::string_view got) const {
    return Refused(place() + " must be " + rule + ", got " + in_quotes(got));
  }

  const std::string& file_;
  std::string line_;
  std::string integers_of_;
  std::uint64_t most_;  // the largest value
  std::vector<std::string_view> keys_;
  std::uint64_t lines_read_ = 0;
};

}  // namespace

void add_key_files(CLI::App& command, KeyFiles& files) {
  add_option(command, "FILE", files.paths, "Files with the keys; none or - is standard input");
  add_null_flag(command, files.key_end);
}

void add_keys(const char* command, const KeyFiles& files, const Hashing& hashing, const KeySink& add, bool with_lines) {
  Adder adder(add, with_lines);
  Progress progress("reading");
  const auto total = static_cast<double>(total_bytes(files.paths));
  CarriageReturnNote carriage_returns(command, files.key_end);
  std::uint64_t bytes_before = 0;
  std::uint64_t keys = 0;
  for (const std::string& file : files.paths) {
    KeyReader reader(file, files.key_end, files.longest);
    Lines lines_read(file, files);
    bool is_first = true;
    for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
      if (std::exchange(is_first, false)) note_foreign_format(command, file, lines.front());
      if (!files.have_values) carriage_returns.check(file, lines);  // with values, a line that ends in '\r' is refused
      const std::span<std::uint64_t> hashes = adder.hashes(lines.size());
      if (hashing.id == HashId::kOrdered) {
        lines_read.read_integers(lines, hashes);
      } else if (files.have_values) {
        hash_keys(lines_read.read_pairs(lines, adder.values(lines.size())), hashing.seed, hashes);
      } else {
        hash_keys(lines, hashing.seed, hashes);
      }
      adder.submit(lines);
      keys += lines.size();
      const auto bytes = static_cast<double>(bytes_before + reader.bytes_read());
      progress.update(total > 0 ? std::optional(bytes / total) : std::nullopt, keys);
    }
    bytes_before += reader.bytes_read();
  }
  adder.finish();
}

std::string place_of_key(const KeyFiles& files, std::uint64_t seed, std::uint64_t key_hash) {
  if (total_bytes(files.paths) == 0) return "";
  for (const std::string& file : files.paths) {
    KeyReader reader(file, files.key_end, files.longest);
    Lines read(file, files);
    std::uint64_t value = 0;
    for (auto lines = reader.next(); !lines.empty(); lines = reader.next()) {
      for (const std::string_view line : lines) {
        const std::string_view key =
            files.have_values ? read.read_pairs({&line, 1}, {&value, 1}).front() : read.next(line);
        if (hash_key(key, seed) == key_hash) return in_quotes(key) + " in " + read.place();
      }
    }
  }
  return "";
}

}  // namespace crivo::tool
