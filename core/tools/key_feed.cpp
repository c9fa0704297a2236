#include "key_feed.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "command.h"
#include "crivo/hash.h"
#include "crivo/host/text.h"
#include "numbers.h"
#include "progress.h"

namespace crivo::tool {
namespace {

constexpr std::size_t kBatchHashes = std::size_t{1} << 15;  // at most, handed from one thread to the other
constexpr std::size_t kBatches = 4;

/// Adds batches of hashes on a thread of its own. The batches lie in a ring: the caller fills one while
/// the thread adds others. Every function but the thread's belongs to the caller's thread.
class Adder {
 public:
  Adder(const HashSink& add, bool with_keys) : add_(add) {
    if (with_keys) return;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {  // no thread to be had: the caller's adds each batch at once
    }
  }
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;
  ~Adder() { stop(); }

  /// A batch to fill, for submit().
  [[nodiscard]] std::vector<std::uint64_t>& batch() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return submitted_ - added_ < kBatches; });
    return ring_[submitted_ % kBatches];
  }
  /// The keys of the batch are for whoever wants them. Throws what the adding of the batches so far has thrown.
  void submit(std::span<const std::string_view> keys) {
    if (!thread_.joinable()) return add_(ring_[0], keys);
    {
      const std::scoped_lock lock(mutex_);
      ++submitted_;
      if (failure_ != nullptr) std::rethrow_exception(failure_);
    }
    changed_.notify_all();
  }
  /// Waits until all is added. Throws as submit.
  void finish() {
    stop();
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return submitted_ != added_ || stopped_; });
      if (submitted_ == added_) return;
      const std::vector<std::uint64_t>& batch = ring_[added_ % kBatches];
      lock.unlock();
      if (failure_ == nullptr) add(batch);
      lock.lock();
      ++added_;
      lock.unlock();
      changed_.notify_all();
    }
  }
  void add(const std::vector<std::uint64_t>& batch) {
    try {
      add_(batch, {});
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      failure_ = std::current_exception();
    }
  }
  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const HashSink& add_;
  std::array<std::vector<std::uint64_t>, kBatches> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t submitted_ = 0;
  std::size_t added_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
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

void add_batches(std::span<const std::string_view> lines, const Hashing& hashing, Integers& integers, Adder& adder) {
  while (!lines.empty()) {
    const auto part = lines.first(std::min(lines.size(), kBatchHashes));
    std::vector<std::uint64_t>& batch = adder.batch();
    batch.resize(part.size());
    if (hashing.id == HashId::kOrdered) {
      integers.read(part, batch);
    } else {
      hash_keys(part, hashing.seed, batch);
    }
    adder.submit(part);
    lines = lines.subspan(part.size());
  }
}

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
      add_batches(lines, hashing, integers, adder);
      keys += lines.size();
      const auto bytes = static_cast<double>(bytes_before + reader.bytes_read());
      progress.update(total > 0 ? std::optional(bytes / total) : std::nullopt, keys);
    }
    bytes_before += reader.bytes_read();
  }
  adder.finish();
}

}  // namespace crivo::tool
