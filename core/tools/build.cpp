// crivo build: a filter file from keys.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "command.h"
#include "crivo/builder.h"
#include "crivo/host/system.h"
#include "crivo/host/temporary_file.h"
#include "crivo/host/text.h"
#include "crivo/kinds.h"
#include "file.h"
#include "key_feed.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"

namespace crivo::tool {
namespace {

struct Arguments {
  KeyFiles keys;
  OutputArgument output;
  std::optional<std::string> capacity;
  std::string fp_rate = "0.01";
  std::optional<std::string> bits_per_key;
  std::string kind = std::string(kind_name(FilterSpec{}.kind));
  std::string seed = "0";
  std::string threads = "1";
  std::optional<std::string> max_bytes;
  std::optional<std::string> max_memory;
  std::optional<std::string> temp_folder;
  bool quiet = false;
};

FilterSpec parse_spec(const Arguments& options) {
  FilterSpec spec;
  if (options.capacity) spec.capacity = parse_capacity(*options.capacity);
  spec.fp_rate = parse_fp_rate(options.fp_rate);
  if (options.bits_per_key) spec.bits_per_key = parse_bits_per_key(*options.bits_per_key);
  unwrap(choose_kind(spec, options.kind));
  spec.seed = parse_seed(options.seed);
  return spec;
}

struct Limits {
  std::uint64_t max_bytes = 0;            // the most bytes that the filter may take
  std::uint64_t max_memory = UINT64_MAX;  // the most memory that the build may take
  unsigned threads = 1;
};

/// The machine's memory.
std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Limits parse_limits(const Arguments& options) {
  Limits limits{.max_bytes = physical_memory_bytes(), .threads = parse_threads(options.threads)};
  if (options.max_bytes) limits.max_bytes = parse_bytes(*options.max_bytes, "max-bytes");
  if (options.max_memory) limits.max_memory = parse_bytes(*options.max_memory, "max-memory");
  return limits;
}

/// A folder that cannot be used is said before the work begins, and not when the memory is full.
void check_temporary_folder(const Arguments& options) {
  if (!options.temp_folder) return;
  const std::string& folder = *options.temp_folder;
  if (folder.empty()) throw Refused("temp-folder must be the name of a folder, got an empty one");
  if (::access((folder + "/.").c_str(), W_OK | X_OK) != 0) throw file_error("temp-folder must be writable", folder);
}

/// Where temporary files lie if the user does not say: the output's folder has room for large files most often.
std::string temporary_folder(const Arguments& options) {
  if (options.temp_folder) return *options.temp_folder;
  std::error_code failure;
  const auto kind = std::filesystem::status(options.output.path, failure).type();
  const bool is_file = kind == std::filesystem::file_type::regular || kind == std::filesystem::file_type::not_found;
  if (options.output.path == "-" || !is_file) return default_temp_folder();
  return default_temp_folder(std::filesystem::weakly_canonical(options.output.path, failure).parent_path().string());
}

/// What lies in memory is not counted, and may use up more of it than the build itself.
void note_memory_folder(const std::string& folder) {
  if (!system::is_memory_folder(folder)) return;
  std::fprintf(stderr, "crivo build: note: temp-folder %s lies in memory, beside --max-memory; choose one on a disk\n",
               shown(folder).c_str());
}

/// A line must fit into what the library leaves to its caller.
KeyFiles within(KeyFiles keys, const std::optional<std::string>& max_memory) {
  if (max_memory) keys.longest = {std::size_t{1} << 20, "max-memory " + *max_memory};
  return keys;
}

AnyFilter build_filter(const FilterSpec& spec, const Limits& limits, const Arguments& options) {
  std::optional<Progress> progress;
  std::uint64_t keys = 0;
  const auto show = [&](double done) {
    if (!progress) progress.emplace("building");
    progress->update(done, keys);
    return true;
  };
  const std::string temp_folder = temporary_folder(options);
  if (options.max_memory) note_memory_folder(temp_folder);
  auto builder = unwrap(FilterBuilder::create(spec, {.max_bytes = limits.max_bytes,
                                                     .threads = limits.threads,
                                                     .progress = show,
                                                     .max_memory = limits.max_memory,
                                                     .temp_folder = temp_folder}));
  const auto add = [&](std::span<const std::uint64_t> hashes, auto) { unwrap(builder.add_hashes(hashes)); };
  const KeyFiles files = within(options.keys, options.max_memory);
  add_keys("build", files, {hash_id_of(spec.kind), spec.seed}, add);
  keys = builder.keys();
  return unwrap(builder.finish());
}

/// An error of the library by the tool's own names, with advice that only the tool can give.
Refused for_users(const Error& error, const Arguments& options) {
  const bool of_filter = error.code == ErrorCode::kTooLarge;
  const auto& limit = of_filter ? options.max_bytes : options.max_memory;
  if (error.needed_bytes != 0 && limit) {
    return limit_error(of_filter ? "max-bytes" : "max-memory", *limit, error.needed_bytes);
  }
  std::string message = rename_field(error.message, "temp_folder", "temp-folder");
  // A filter that was sized from its keys has room for all of them. If it is full, one key was repeated more often than
  // there are slots for it.
  if (error.code == ErrorCode::kFull) {
    message += options.capacity ? "; raise --capacity or leave it out" : "; leave out repeated keys, as sort -u does";
  }
  if (of_filter && error.needed_bytes != 0) message += " (the limit is this machine's memory)";
  return Refused(Error{error.code, message});
}

ExitCode build(const Arguments& options) try {
  const FilterSpec spec = parse_spec(options);
  const Limits limits = parse_limits(options);
  check_output(options.output.path, options.keys.paths);
  check_temporary_folder(options);
  if (options.max_memory) system::free_to_the_system();
  const AnyFilter filter = build_filter(spec, limits, options);
  return write_filter(filter.ref(), options.output.path, options.output.form(),
                      {"build", options.quiet, "raise --capacity or leave it out"});
} catch (const Refused& refused) {
  throw for_users(refused.error, options);
}

void add_filter_options(CLI::App& command, Arguments& options) {
  take(command, "--capacity", options.capacity,
       "Keys to make room for, K, M, G or T may follow; without it, the distinct keys there are", "N");
  CLI::Option* const rate =
      take(command, "--fp-rate,--fpr", options.fp_rate, "False-positive rate at capacity, in (0, 1)", "RATE")
          ->capture_default_str();
  take(command, "--bits-per-key", options.bits_per_key, "Size it by this instead", "N")->excludes(rate);
  take(command, "--kind", options.kind, "One of " + kind_choices(), "KIND")->capture_default_str();
  take(command, "--seed", options.seed, "Of the hash, a 64-bit integer", "N")->capture_default_str();
}

void add_limits(CLI::App& command, Arguments& options) {
  take(command, "--threads", options.threads, "To sort and to build with, or all that the machine has", "N")
      ->capture_default_str();
  take(command, "--max-bytes", options.max_bytes,
       std::string("Build no larger filter; ") + kByteUnits + ". Without it, this machine's memory", "BYTES");
  take(command, "--max-memory", options.max_memory,
       std::string("Build in this much memory, with temporary files for what does not fit; ") + kByteUnits, "BYTES");
  take(command, "--temp-folder", options.temp_folder,
       "Where temporary files lie; without it, the folder that TMPDIR names, or else the output's", "DIR");
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("build", "Build a filter from keys, one per line");
  const auto options = std::make_shared<Arguments>();
  add_key_files(*command, options->keys);
  add_output(*command, options->output);
  add_filter_options(*command, *options);
  add_limits(*command, *options);
  add_forms(*command, options->output);
  add_quiet(*command, options->quiet);
  command->footer(std::string(kKeyLines) + " For the kind range a key is an integer of 64 bits.");
  command->callback([options, &action] { action = [options] { return build(*options); }; });
}

}  // namespace crivo::tool
