// crivo build: a filter file from keys, one per line.
#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "command.h"
#include "crivo/blob.h"
#include "crivo/builder.h"
#include "file.h"
#include "key_reader.h"
#include "numbers.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string output;
  std::string capacity;
  std::string fp_rate = "0.01";
  std::string kind = std::string(kind_name(FilterSpec{}.kind));
  std::string seed = "0";
  std::string threads = "1";
  bool raw = false;
  bool compress = false;
};

Result<FilterSpec> parse_spec(const Arguments& options) {
  FilterSpec spec;
  if (!options.capacity.empty()) {
    const auto capacity = parse_capacity(options.capacity);
    if (!capacity) return capacity.error();
    spec.capacity = *capacity;
  }
  const auto fp_rate = parse_fp_rate(options.fp_rate);
  if (!fp_rate) return fp_rate.error();
  spec.fp_rate = *fp_rate;
  if (auto chosen = choose_kind(spec, options.kind); !chosen) return chosen.error();
  const auto seed = parse_seed(options.seed);
  if (!seed) return seed.error();
  spec.seed = *seed;
  return spec;
}

/// 0 as soon as one of them is no regular file.
std::uint64_t total_bytes(const std::vector<std::string>& files) {
  std::uint64_t total = 0;
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    total += static_cast<std::uint64_t>(status.st_size);
  }
  return total;
}

Result<void> add_lines(const std::vector<std::string>& files, FilterBuilder& builder) {
  Progress progress("reading");
  const auto total = static_cast<double>(total_bytes(files));
  CarriageReturnNote carriage_returns("build");
  std::uint64_t bytes_before = 0;
  for (const std::string& file : files) {
    Result<KeyReader> reader = KeyReader::open(file);
    if (!reader) return reader.error();
    for (;;) {
      const auto lines = reader->next();
      if (!lines) return lines.error();
      if (lines->empty()) break;
      carriage_returns.look_at(*lines);
      for (const std::string_view key : *lines) {
        if (auto added = builder.add(key); !added) return added;
      }
      const auto bytes = static_cast<double>(bytes_before + reader->bytes_read());
      progress.update(total > 0 ? std::optional(bytes / total) : std::nullopt, builder.keys());
    }
    bytes_before += reader->bytes_read();
  }
  return {};
}

Result<AnyFilter> build_filter(const FilterSpec& spec, const std::vector<std::string>& files, unsigned threads) {
  std::uint64_t keys = 0;
  std::optional<Progress> progress;
  const auto show = [&](double done) {
    if (!progress) progress.emplace("building");
    progress->update(done, keys);
    return true;
  };
  auto builder =
      FilterBuilder::create(spec, {.max_bytes = physical_memory_bytes(), .threads = threads, .progress = show});
  if (!builder) return builder.error();
  if (auto added = add_lines(files, *builder); !added) return added.error();
  keys = builder->keys();
  return builder->finish();
}

void note_overfull(const FilterRef& filter) {
  const double promised = filter.facts().fp_rate;
  if (filter.facts().keys <= filter.facts().capacity) return;
  const double actual = filter.stats().fp_rate;
  if (actual <= promised) return;  // the keys beyond the capacity were repeats
  std::fprintf(stderr,
               "crivo build: note: more keys than the capacity: the false-positive rate is %.3g instead of %.3g\n",
               actual, promised);
}

BlobForm form_of(const Arguments& options) {
  if (options.raw) return BlobForm::kRaw;
  return options.compress ? BlobForm::kSmallest : BlobForm::kAuto;
}

Result<ExitCode> build(const Arguments& options) {
  const Result<FilterSpec> spec = parse_spec(options);
  if (!spec) return spec.error();
  const Result<unsigned> threads = parse_threads(options.threads);
  if (!threads) return threads.error();
  const Result<AnyFilter> filter = build_filter(*spec, options.files, *threads);
  if (!filter) return filter.error();
  note_overfull(filter->ref());
  const auto blob = to_blob(filter->ref(), form_of(options));
  if (!blob) return blob.error();
  if (auto written = write_file(options.output, *blob); !written) return written.error();
  return kYes;
}

Result<ExitCode> build_or_explain(const Arguments& options) {
  Result<ExitCode> outcome = build(options);
  if (outcome || outcome.error().code != ErrorCode::kTooLarge) return outcome;
  return Error{ErrorCode::kTooLarge, outcome.error().message + " (the limit is this machine's memory)"};
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("build", "Build a filter from keys, one per line");
  const auto options = std::make_shared<Arguments>();
  command->add_option("FILE", options->files, "Where the keys are; standard input if none, or for -")
      ->transform(literal);
  command->add_option("-o,--output", options->output, "The filter's file, replaced in one step; - is standard output")
      ->required()
      ->transform(literal);
  command->add_option("--capacity", options->capacity, "Keys to make room for; without it, the distinct keys there are")
      ->transform(literal);
  command->add_option("--fpr", options->fp_rate, "False-positive rate at capacity, in (0, 1)")
      ->capture_default_str()
      ->transform(literal);
  command->add_option("--kind", options->kind, "One of " + kind_choices())->capture_default_str()->transform(literal);
  command->add_option("--seed", options->seed, "Of the hash, a 64-bit integer")
      ->capture_default_str()
      ->transform(literal);
  command->add_option("--threads", options->threads, "To build a ribbon with, 0 for as many as the machine has")
      ->capture_default_str()
      ->transform(literal);
  CLI::Option* raw = command->add_flag("--raw", options->raw, "Store the payload as it lies in memory");
  command->add_flag("--compress", options->compress, "Store the smallest form")->excludes(raw);
  command->footer(kKeyLines);
  command->callback([options, &action] {
    if (options->files.empty()) options->files.emplace_back("-");
    action = [options] { return build_or_explain(*options); };
  });
}

}  // namespace crivo::tool
