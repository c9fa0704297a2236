// crivo build: a filter file from keys, one per line.
#include <malloc.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "crivo/blob.h"
#include "crivo/builder.h"
#include "file.h"
#include "key_feed.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string output;
  std::optional<std::string> capacity;
  std::string fpr = "0.01";
  std::string kind = std::string(kind_name(FilterSpec{}.kind));
  std::string seed = "0";
  std::string threads = "1";
  std::optional<std::string> max_bytes;
  std::optional<std::string> max_memory;
  std::optional<std::string> temp_folder;
  bool quiet = false;
  bool raw = false;
  bool compress = false;
  bool mappable = false;
};

Result<FilterSpec> parse_spec(const Arguments& options) {
  FilterSpec spec;
  if (options.capacity) {
    const auto capacity = parse_capacity(*options.capacity);
    if (!capacity) return capacity.error();
    spec.capacity = *capacity;
  }
  const auto fpr = parse_fpr(options.fpr);
  if (!fpr) return fpr.error();
  spec.fp_rate = *fpr;
  if (auto chosen = choose_kind(spec, options.kind); !chosen) return chosen.error();
  const auto seed = parse_seed(options.seed);
  if (!seed) return seed.error();
  spec.seed = *seed;
  return spec;
}

struct Limits {
  std::uint64_t max_bytes = 0;            // the most bytes that the filter may take
  std::uint64_t max_memory = UINT64_MAX;  // the most memory that the build may take
  unsigned threads = 1;
};

Result<std::uint64_t> parse_max_memory(const std::string& text) {
  Result<std::uint64_t> bytes = parse_bytes(text, "max-memory");
  if (!bytes || *bytes >= kMinBuildMemoryBytes) return bytes;
  return Error{ErrorCode::kBadArgument, "max-memory must be at least 16M, got " + text};
}

/// The machine's memory.
std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Result<Limits> parse_limits(const Arguments& options) {
  const Result<unsigned> threads = parse_threads(options.threads);
  if (!threads) return threads.error();
  Limits limits{.max_bytes = physical_memory_bytes(), .threads = *threads};
  if (options.max_bytes) {
    const Result<std::uint64_t> max_bytes = parse_bytes(*options.max_bytes, "max-bytes");
    if (!max_bytes) return max_bytes.error();
    limits.max_bytes = *max_bytes;
  }
  if (options.max_memory) {
    const Result<std::uint64_t> max_memory = parse_max_memory(*options.max_memory);
    if (!max_memory) return max_memory.error();
    limits.max_memory = *max_memory;
  }
  return limits;
}

/// Where temporary files lie if the user does not say: the output's folder has room for large files most often.
std::string temporary_folder(const Arguments& options) {
  if (options.temp_folder) return *options.temp_folder;
  const char* wanted = std::getenv("TMPDIR");
  if (wanted != nullptr && *wanted != '\0') return wanted;
  std::error_code failure;
  const auto kind = std::filesystem::status(options.output, failure).type();
  const bool is_file = kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
  if (options.output == "-" || !is_file) return {};  // the library has a folder of its own choice
  return std::filesystem::weakly_canonical(options.output, failure).parent_path().string();
}

/// Shows the progress of FilterBuilder::finish.
class BuildProgress {
 public:
  explicit BuildProgress(const FilterBuilder& builder) : builder_(builder) {}
  void show(double done) {
    const bool sorts = done < kSortShare;
    if (!bar_ || sorts != sorts_) bar_.emplace(sorts ? "sorting" : "building");
    sorts_ = sorts;
    bar_->update(sorts ? done / kSortShare : (done - kSortShare) / (1 - kSortShare), builder_.keys());
  }

 private:
  const FilterBuilder& builder_;
  std::optional<Progress> bar_;
  bool sorts_ = false;
};

Result<AnyFilter> build_filter(const FilterSpec& spec, const Limits& limits, const Arguments& options) {
  std::optional<BuildProgress> progress;
  const auto show = [&](double done) {
    progress->show(done);
    return true;
  };
  auto builder = FilterBuilder::create(spec, {.max_bytes = limits.max_bytes,
                                              .threads = limits.threads,
                                              .progress = show,
                                              .max_memory_bytes = limits.max_memory,
                                              .temporary_folder = temporary_folder(options)});
  if (!builder) return builder.error();
  progress.emplace(*builder);
  if (auto added = add_lines(options.files, spec.seed, *builder); !added) return added.error();
  return builder->finish();
}

/// Prints one line about the filter that was made, with the names that crivo info uses.
void report(const FilterRef& filter, const Arguments& options, std::uint64_t blob_bytes) {
  const Facts& facts = filter.facts();
  const std::string_view kind = filter.kind().name;
  std::fprintf(stderr,
               "crivo build: %s: kind %.*s, capacity %" PRIu64 ", fpr %.3g, keys %" PRIu64 ", %" PRIu64 " bytes\n",
               options.output == "-" ? "standard output" : options.output.c_str(), static_cast<int>(kind.size()),
               kind.data(), facts.capacity, facts.fp_rate, facts.keys, blob_bytes);
}

void note_overfull(const FilterRef& filter) {
  const Facts& facts = filter.facts();
  if (facts.keys <= facts.capacity) return;
  const double actual = filter.stats().fp_rate;
  if (actual <= facts.fp_rate) return;  // the keys beyond the capacity were repeated ones
  std::fprintf(stderr,
               "crivo build: note: %" PRIu64 " keys exceed the capacity of %" PRIu64
               ": fpr is %.3g instead of %.3g; raise --capacity or leave it out\n",
               facts.keys, facts.capacity, actual, facts.fp_rate);
}

BlobForm form_of(const Arguments& options) {
  if (options.raw) return BlobForm::kRaw;
  if (options.mappable) return BlobForm::kMappable;
  return options.compress ? BlobForm::kSmallest : BlobForm::kFile;
}

Result<ExitCode> build(const Arguments& options) {
  const Result<FilterSpec> spec = parse_spec(options);
  if (!spec) return spec.error();
  const Result<Limits> limits = parse_limits(options);
  if (!limits) return limits.error();
  if (auto fine = check_output(options.output, options.files); !fine) return fine.error();
  // Memory that is freed shall be the system's again at once, not kept for later by malloc.
  if (options.max_memory) ::mallopt(M_MMAP_THRESHOLD, 1 << 18);
  const Result<AnyFilter> filter = build_filter(*spec, *limits, options);
  if (!filter) return filter.error();
  const auto bytes = write_filter(filter->ref(), options.output, form_of(options));
  if (!bytes) return bytes.error();
  if (!options.quiet) report(filter->ref(), options, *bytes);
  note_overfull(filter->ref());
  return kYes;
}

/// Advice on an error, which the library cannot give because it does not know the tool's options.
std::string advice(ErrorCode code, const Arguments& options) {
  // A filter that was sized from its keys has room for all of them. If it is full, one key was repeated more often than
  // there are slots for it.
  const bool sized_itself = !options.capacity;
  if (code == ErrorCode::kFull && sized_itself) return "; leave out repeated keys, as sort -u does";
  if (code == ErrorCode::kFull) return "; raise --capacity or leave it out";
  if (code != ErrorCode::kTooLarge) return "";
  return options.max_bytes ? "; --max-bytes raises the limit" : " (the limit is this machine's memory)";
}

Result<ExitCode> build_or_advise(const Arguments& options) {
  Result<ExitCode> outcome = build(options);
  if (outcome) return outcome;
  return Error{outcome.error().code, outcome.error().message + advice(outcome.error().code, options)};
}

/// Declares an option that takes a text.
template <class Text>
CLI::Option* take(CLI::App& command, const char* names, Text& text, const std::string& about, const char* type) {
  return command.add_option(names, text, about)->type_name(type)->transform(literal);
}

void add_filter_options(CLI::App& command, Arguments& options) {
  take(command, "--capacity", options.capacity, "Keys to make room for; without it, the distinct keys there are", "N");
  take(command, "--fpr", options.fpr, "False-positive rate at capacity, in (0, 1)", "RATE")->capture_default_str();
  take(command, "--kind", options.kind, "One of " + kind_choices(), "KIND")->capture_default_str();
  take(command, "--seed", options.seed, "Of the hash, a 64-bit integer", "N")->capture_default_str();
}

void add_limits(CLI::App& command, Arguments& options) {
  take(command, "--threads", options.threads, "To build a ribbon with, 0 for as many as the machine has", "N")
      ->capture_default_str();
  take(command, "--max-bytes", options.max_bytes,
       "Build no larger filter; K, M, G, T may follow. Without it, this machine's memory", "BYTES");
  take(command, "--max-memory", options.max_memory,
       "Build in this much memory, with temporary files for what does not fit; K, M, G, T may follow", "BYTES");
  take(command, "--temp-folder", options.temp_folder,
       "Where temporary files lie; without it, the folder that TMPDIR names, or else the output's", "DIR");
}

void add_forms(CLI::App& command, Arguments& options) {
  CLI::Option* raw = command.add_flag("--raw", options.raw, "Store the payload as it lies in memory");
  CLI::Option* compress = command.add_flag("--compress", options.compress, "Store the smallest form")->excludes(raw);
  command
      .add_flag("--mappable", options.mappable,
                "Store it so that it opens at once, whatever its size. Large filters are, unless they are nearly empty")
      ->excludes(raw)
      ->excludes(compress);
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("build", "Build a filter from keys, one per line");
  const auto options = std::make_shared<Arguments>();
  command->add_option("FILE", options->files, "Where the keys are; standard input if none, or for -")
      ->transform(literal);
  take(*command, "-o,--output", options->output, "The filter's file, replaced in one step; - is standard output",
       "FILE")
      ->required();
  add_filter_options(*command, *options);
  add_limits(*command, *options);
  add_forms(*command, *options);
  command->add_flag("-q,--quiet", options->quiet, "Do not say what was built; notes and errors are still said");
  command->footer(kKeyLines);
  command->callback([options, &action] {
    if (options->files.empty()) options->files.emplace_back("-");
    action = [options] { return build_or_advise(*options); };
  });
}

}  // namespace crivo::tool
