// crivo build: builds a filter file from keys.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include "command.h"
#include "crivo/builder.h"
#include "crivo/describe.h"
#include "crivo/host/replace_file.h"
#include "crivo/host/system.h"
#include "crivo/host/temporary_file.h"
#include "crivo/host/text.h"
#include "crivo/kinds.h"
#include "crivo/mapped_filter.h"
#include "crivo/shard_writer.h"
#include "crivo/sharded_builder.h"
#include "crivo/sharded_filter.h"
#include "file.h"
#include "key_feed.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"

namespace crivo::tool {
namespace {

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

struct BuildArguments {
  KeyFiles keys;
  std::vector<std::string> absent;  // files with the non-members of an exact filter
  OutputArgument output;
  FilterSpec spec;                     // a capacity of 0: the builder chooses it (crivo/builder.h)
  std::uint32_t shards = 0;            // 0: not sharded
  std::optional<std::uint64_t> shard;  // the shard to rebuild
  unsigned threads = 1;
  ByteLimit max_bytes = {"max-bytes", physical_memory_bytes()};  // for the filter
  ByteLimit max_memory = {"max-memory", UINT64_MAX};             // for the build
  std::optional<std::string> temp_folder;
  std::optional<std::int64_t> time;  // of the keys of a window; default: now
  bool quiet = false;
  bool kind_given = false;
  bool rate_given = false;

  [[nodiscard]] bool is_bounded() const noexcept { return !max_memory.given.empty(); }
};

/// Reports an unusable folder before the work begins, instead of when memory is full.
void check_temporary_folder(const BuildArguments& options) {
  if (!options.temp_folder) return;
  const std::string& folder = *options.temp_folder;
  if (folder.empty()) throw Refused("temp-folder must be the name of a folder, got an empty one");
  if (::access((folder + "/.").c_str(), W_OK | X_OK) != 0) throw file_error("temp-folder must be writable", folder);
}

/// Whether the output is, or will be, a regular file.
bool writes_file(const BuildArguments& options) {
  std::error_code failure;
  const auto type = std::filesystem::status(options.output.path, failure).type();
  return options.output.path != "-" &&
         (type == std::filesystem::file_type::regular || type == std::filesystem::file_type::not_found);
}

/// The folder of temporary files: --temp-folder, $TMPDIR, or the folder of the output file, which usually has space for
/// large files; else /var/tmp or /tmp.
std::string temporary_folder(const BuildArguments& options) {
  if (options.temp_folder) return *options.temp_folder;
  if (!writes_file(options)) return default_temp_folder();
  return default_temp_folder(replaced_folder(options.output.path));
}

/// Temporary files on a memory file system use memory that --max-memory does not count, possibly more than the build
/// itself.
void note_memory_folder(const std::string& folder) {
  if (!system::is_memory_folder(folder)) return;
  note("build",
       "temp-folder " + shown(folder) + " is in memory, which --max-memory does not include; choose one on a disk");
}

KeyFiles with_paths(KeyFiles files, const std::vector<std::string>& paths) {
  files.paths = paths;
  return files;
}

/// Adds the members of an exact filter, with the value 1, or its non-members, with 0.
void add_side(FilterBuilder& builder, const KeyFiles& files, const Hashing& hashing, std::uint64_t value) {
  std::vector<std::uint64_t> values;
  add_keys("build", files, hashing, [&](const KeyBatch& batch) {
    values.assign(batch.hashes.size(), value);
    unwrap(builder.add_hashes(batch.hashes, values));
  });
}

/// The options, the input and the progress of a build.
class Work {
 public:
  explicit Work(const BuildArguments& options) : files_(options.keys) {
    options_ = {.max_bytes = options.max_bytes.bytes,
                .threads = options.threads,
                .progress = [this](double done) { return show(done); },
                .max_memory = options.max_memory.bytes,
                .temp_folder = temporary_folder(options)};
    if (!options.is_bounded()) return;
    note_memory_folder(options_.temp_folder);
    // A line must fit in the memory that the library reserves for its caller.
    files_.longest = {std::size_t{1} << 20, options.max_memory.text()};
  }
  [[nodiscard]] const BuildOptions& options() const noexcept { return options_; }
  [[nodiscard]] const KeyFiles& files() const noexcept { return files_; }
  void set_keys(std::uint64_t keys) noexcept { keys_ = keys; }

 private:
  bool show(double done) {
    if (!progress_) progress_.emplace("building");
    progress_->update(done, keys_);
    return true;
  }

  BuildOptions options_;
  KeyFiles files_;
  std::uint64_t keys_ = 0;
  std::optional<Progress> progress_;
};

/// An empty filter is probably a mistake.
void note_no_keys(std::uint64_t keys) {
  if (keys == 0) note("build", "the input has no keys");
}

AnyFilter build_filter(const BuildArguments& options) {
  Work work(options);
  const KeyFiles& files = work.files();
  auto builder = unwrap(FilterBuilder::create(options.spec, work.options()));
  const Hashing hashing{hash_id_of(options.spec.kind), options.spec.seed};
  if (options.spec.kind == Kind::kExact) {
    add_side(builder, with_paths(files, options.absent), hashing, 0);
    add_side(builder, files, hashing, 1);
  } else {
    add_keys("build", files, hashing, [&](const KeyBatch& batch) {
      unwrap(files.have_values ? builder.add_hashes(batch.hashes, batch.values) : builder.add_hashes(batch.hashes));
    });
  }
  work.set_keys(builder.keys());
  note_no_keys(builder.keys());
  AnyFilter filter = unwrap(builder.finish());
  set_clock(filter, options.time);
  return filter;
}

ExitCode build_shards(const BuildArguments& options) {
  Work work(options);
  auto builder = unwrap(ShardedBuilder::create(options.spec, options.shards, work.options()));
  add_keys("build", work.files(), {HashId::kXxh3_64, options.spec.seed},
           [&](const KeyBatch& batch) { unwrap(builder.add_hashes(batch.hashes)); });
  work.set_keys(builder.keys());
  note_no_keys(builder.keys());
  const Manifest manifest = unwrap(builder.finish(options.output.path, options.output.form()));
  if (!options.quiet) report_shards("build", options.output.path, manifest);
  return kYes;
}

/// The kind of a stored filter with its option, as choose_kind reads it.
std::string kind_text(const MappedFilter& stored) {
  std::string text(stored.kind().name);
  const Result<FilterRef> filter = stored.whole();
  if (!filter) return text;  // damaged
  for (const Description& fact : describe(*filter, stored.codec(), 0)) {
    if (fact.name == "option") text.append(1, ':').append(value_text(fact));
  }
  return text;
}

/// Rebuilds one shard from the keys that belong to it.
ExitCode build_shard(const BuildArguments& given) {
  const std::string& path = given.output.path;
  const Manifest manifest = unwrap(read_manifest(path));
  const auto shards = static_cast<std::uint32_t>(manifest.shards.size());
  if (*given.shard >= shards) {
    throw Refused("shard must be below " + std::to_string(shards) + ", got " + std::to_string(*given.shard));
  }
  BuildArguments options = given;
  if (options.spec.seed != 0 && options.spec.seed != manifest.seed) {
    throw Refused("seed must be omitted, or be the manifest's " + std::to_string(manifest.seed) + ", got " +
                  std::to_string(options.spec.seed));
  }
  options.spec.seed = manifest.seed;
  const auto number = static_cast<std::uint32_t>(*given.shard);
  const Shard& old = manifest.shards[number];
  if (!options.rate_given && !options.spec.bits_per_key) options.spec.fp_rate = old.facts.fp_rate;
  // Without --kind, a missing or damaged shard gets the default kind.
  const auto opened = MappedFilter::open(shard_path(path, manifest, number));
  if (!options.kind_given && opened.has_value()) unwrap(choose_kind(options.spec, kind_text(*opened)));
  Work work(options);
  auto builder = unwrap(FilterBuilder::create(options.spec, work.options()));
  std::vector<std::uint64_t> hashes;
  add_keys("build", work.files(), {HashId::kXxh3_64, manifest.seed}, [&](const KeyBatch& batch) {
    hashes.clear();
    std::ranges::copy_if(batch.hashes, std::back_inserter(hashes),
                         [&](std::uint64_t hash) { return shard_of(hash, shards) == *options.shard; });
    unwrap(builder.add_hashes(hashes));
  });
  work.set_keys(builder.keys());
  const AnyFilter filter = unwrap(builder.finish());
  unwrap(replace_shard(path, number, shards, filter.ref(), options.output.form()));
  if (!options.quiet) report_shards("build", path, unwrap(read_manifest(path)));
  return kYes;
}

/// Determines the kind and its rate: --values makes a map, and --absent an exact filter. Both kinds require their
/// option. Throws Refused if these options or --time contradict the kind.
BuildArguments with_kind(const BuildArguments& options) {
  BuildArguments chosen = options;
  const auto needs = [&](Kind kind, bool is_given, const std::string& option) {
    if (is_given && !options.kind_given) chosen.spec.kind = kind;
    if (is_given == (chosen.spec.kind == kind)) return;
    const std::string rule = is_given ? "must be " : "must not be ";
    throw Refused("kind " + rule + std::string(kind_name(kind)) + (is_given ? " with " : " without ") + option +
                  ", got " + kind_text(options.spec));
  };
  needs(Kind::kMap, options.keys.have_values, "--values");
  needs(Kind::kExact, !options.absent.empty(), "--absent");
  const auto is_input = [](const std::string& path) { return path == "-"; };
  if (std::ranges::any_of(options.absent, is_input) && std::ranges::any_of(options.keys.paths, is_input)) {
    throw Refused("absent must be a file if the keys come from standard input, got -");
  }
  if (options.time && chosen.spec.kind != Kind::kWindow) {
    throw Refused("kind must be window with --time, got " + kind_text(chosen.spec));
  }
  if (!options.rate_given) chosen.spec.fp_rate = default_fp_rate(chosen.spec.kind);
  if (chosen.spec.value_bits != 0) chosen.keys.value_bits = std::min(chosen.spec.value_bits, kMaxValueBits);
  return chosen;
}

/// Rewrites an error of the library with the tool's names and advice.
Refused for_users(const Error& error, const BuildArguments& options) {
  const bool of_filter = error.code == ErrorCode::kTooLarge;
  const ByteLimit& limit = of_filter ? options.max_bytes : options.max_memory;
  if (error.needed_bytes != 0 && !limit.given.empty()) return limit_error(limit, error.needed_bytes);
  std::string message = rename_field(error.message, "temp_folder", "temp-folder");
  if (error.code == ErrorCode::kFull) {
    // A filter that was sized from its keys has slots for all keys, unless keys are repeated too often.
    const bool is_repeated = options.spec.capacity == 0 || message.starts_with("additions of one key");
    message += is_repeated ? "; remove repeated keys, as sort -u does" : "; raise or omit --capacity";
  }
  if (error.key_hash) {
    const auto place_in = [&](const KeyFiles& files) {
      return place_of_key(files, options.spec.seed, *error.key_hash);
    };
    const std::string place = place_in(options.keys);
    const std::string other = options.absent.empty() ? "" : place_in(with_paths(options.keys, options.absent));
    if (!place.empty()) message += ": " + place;
    if (!other.empty()) message += (place.empty() ? ": " : " and ") + other;
  }
  if (of_filter && error.needed_bytes != 0) message += " (the limit is this machine's memory)";
  return Refused(Error{error.code, message});
}

ExitCode build(const BuildArguments& given) try {
  const BuildArguments options = with_kind(given);
  check_output(options.output.path, options.keys.paths);
  check_output(options.output.path, options.absent);
  check_temporary_folder(options);
  if (options.is_bounded()) system::trim_on_free();
  if ((options.shard || options.shards != 0) && !writes_file(options)) {
    throw Refused("output must be a file for a sharded filter, got " + shown(options.output.path));
  }
  if (options.shard) return build_shard(options);
  if (options.shards != 0) return build_shards(options);
  const AnyFilter filter = build_filter(options);
  return write_filter(filter.ref(), options.output.path, options.output.form(),
                      {"build", options.quiet, "raise or omit --capacity"});
} catch (const Refused& refused) {
  throw for_users(refused.error, given);
}

void add_spec(CLI::App& command, BuildArguments& options) {
  FilterSpec& spec = options.spec;
  add_option(
      command, "--capacity", into(spec.capacity, parse_capacity),
      "Number of keys, K, M, G or T may follow; by default counted from the input (counting, cuckoo: with repeats)",
      "N");
  CLI::Option* const rate = add_option(
                                command, "--fp-rate,--fpr",
                                [&options](const std::string& text) {
                                  options.spec.fp_rate = parse_fp_rate(text);
                                  options.rate_given = true;
                                },
                                "False-positive rate at capacity, in (0, 1), or 1 for map and exact", "RATE")
                                ->default_str("0.01, or 1 with --absent");
  add_option(command, "--bits-per-key", into(spec.bits_per_key, parse_bits_per_key),
             "Size the filter by bits per key instead", "N")
      ->excludes(rate);
  add_option(
      command, "--kind",
      [&options](const std::string& text) {
        unwrap(choose_kind(options.spec, text));
        options.kind_given = true;
      },
      "One of " + kind_choices(), "KIND")
      ->default_str(std::string(kind_name(spec.kind)));
  CLI::Option* const shards =
      add_option(command, "--shards",
                 into(options.shards,
                      [](const std::string& text) {
                        return static_cast<std::uint32_t>(parse_count(text, "shards", 1, kMaxShards));
                      }),
                 "Divide the filter into N files, a power of two, in the folder FILE.shards; FILE lists them", "N");
  add_option(command, "--shard",
             into(options.shard, [](const std::string& text) { return parse_count(text, "shard", 0, kMaxShards - 1); }),
             "Rebuild only this shard of FILE, from the keys that belong to it", "N")
      ->excludes(shards);
  add_option(command, "--seed", into(spec.seed, parse_seed), "Seed of the hash, a 64-bit integer", "N")
      ->default_str("0");
}

void add_limits(CLI::App& command, BuildArguments& options) {
  add_option(command, "--threads", into(options.threads, parse_threads), "Threads to build with, or all", "N")
      ->default_str("1");
  add_limit(command, options.max_bytes,
            std::string("Largest filter to build; ") + kByteUnits + ". Without it, this machine's memory");
  add_limit(command, options.max_memory,
            std::string("Memory limit of the build; the rest goes to temporary files; ") + kByteUnits);
  add_option(command, "--temp-folder", options.temp_folder,
             "Folder of temporary files; by default $TMPDIR, or else the output's folder", "DIR");
}

}  // namespace

void add_build(CLI::App& app, Action& action) {
  const auto [command, options] = declare(app, action, "build", "Build a filter from keys, one per line", build);
  add_key_files(command, options.keys);
  CLI::Option* const values =
      command.add_flag("--values", options.keys.have_values, "Build a map from lines of a key, a tab and a value");
  add_option(command, "--absent", options.absent,
             "Build an exact filter; FILE has all absent keys that will be queried", "FILE")
      ->allow_extra_args(false)
      ->excludes(values);
  add_time(command, options.time);
  add_output(command, options.output);
  add_spec(command, options);
  add_limits(command, options);
  add_forms(command, options.output);
  add_quiet(command, options.quiet);
  command.footer(
      std::string(kKeyLines) +
      " For the kind range a key is an integer of 64 bits. With --values a line is a key, a tab and an integer.");
}

}  // namespace crivo::tool
