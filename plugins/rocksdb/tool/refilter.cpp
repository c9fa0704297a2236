// crivo sst refilter: new filters for the files of a database that lack the policy's.
//
// A filter is part of its file, so a new one needs a new file: each is compacted by itself into the level in which it
// lies, which changes nothing else. RocksDB does so in one step that a crash undoes or keeps as a whole. Files that a
// compaction of the database's own has meanwhile are tried again later. What was done is seen in the files themselves,
// so a run that was stopped, or killed, is continued by the next one, with nothing to remember.
#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "abi.h"
#include "file.h"
#include "sst/file_filters.h"
#include "tool/commands.h"
#include "tool/database.h"
#include "tool/wanted_filter.h"

namespace crivo::tool {
namespace {

struct RefilterOptions {
  std::string path;
  std::optional<std::string> policy;
  std::vector<std::string> families;
  std::string wal_dir;
  bool dry_run = false;
  bool quiet = false;
};

constexpr const char* kNoPolicy = "none";
constexpr int kMostPasses = 20;
constexpr std::chrono::milliseconds kBetweenPasses{250};

std::atomic<bool> stop_asked = false;

extern "C" void ask_to_stop(int) { stop_asked = true; }

/// The first signal lets the program stop where it is safe; after that, another one ends it at once, which is as safe
/// for the database as any crash.
void listen_for_signals() {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

void say(const std::string& text) { std::fprintf(stderr, "crivo sst refilter: %s\n", text.c_str()); }

/// A file whose filter is to be renewed, and why.
struct Candidate {
  const FamilyPolicy* family;
  FileToJudge file;
  std::string reason;
};

class Refilter {
 public:
  Refilter(rocksdb::DB& db, std::vector<FamilyPolicy> families, bool quiet)
      : db_(db), families_(std::move(families)), quiet_(quiet) {}

  /// The files that are not right. One that this run has written is what the policy writes, whatever was expected of
  /// it, unless there was no memory for its filter.
  std::vector<Candidate> candidates() {
    std::vector<Candidate> found;
    unreadable_ = 0;
    for (const FamilyPolicy& family : families_) {
      for (FileToJudge& file : files_to_judge(db_, family)) {
        if (stop_asked) return found;
        const bool done = done_.count(file.meta.file_number) != 0;
        const sst::FileFilters filters = sst::read_filters(*db_.GetEnv()->GetFileSystem(), path_of(file.meta));
        const bool damaged_filter = filters.damaged() > 0;
        if (!filters.status.ok() && !damaged_filter) {
          if (sst::is_gone(filters.status)) continue;  // compacted meanwhile
          say("note: left alone: " + path_of(file.meta) + ": " + filters.status.ToString());
          ++unreadable_;
          continue;
        }
        const bool works = filters.blocks.empty() || filters.complaint().empty();
        if (done && works) continue;
        std::string reason = judge(family, file, filters);
        if (!reason.empty()) found.push_back({&family, std::move(file), std::move(reason)});
      }
    }
    return found;
  }

  Result<ExitCode> run() {
    for (int pass = 0; pass < kMostPasses; ++pass) {
      std::vector<Candidate> wrong = candidates();
      std::erase_if(wrong, [&](const Candidate& each) { return done_.count(each.file.meta.file_number) != 0; });
      if (pass == 0) note_losses(wrong);
      if (stop_asked || wrong.empty()) break;
      if (pass > 0) std::this_thread::sleep_for(kBetweenPasses);
      for (std::size_t i = 0; i < wrong.size() && !stop_asked; ++i) {
        if (auto renewed = renew(wrong[i], i + 1, wrong.size()); !renewed) return renewed.error();
      }
    }
    return report();
  }

  [[nodiscard]] std::uint64_t unreadable() const noexcept { return unreadable_; }

 private:
  /// Compacts one file. Errors: those after which no other file would fare better.
  Result<void> renew(const Candidate& candidate, std::size_t number, std::size_t total) {
    const rocksdb::SstFileMetaData& meta = candidate.file.meta;
    if (!quiet_) {
      say(std::to_string(number) + " of " + std::to_string(total) + ": " + path_of(meta) + ", level " +
          std::to_string(candidate.file.level) + ", " + std::to_string(meta.size) + " bytes: " + candidate.reason);
    }
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kDisableCompressionOption;  // the column family's
#if CRIVO_ROCKSDB_VERSION >= 1004
    options.canceled = &stop_asked;
#endif
    std::vector<std::string> written;
    const rocksdb::Status status = db_.CompactFiles(options, candidate.family->handle, {path_of(meta)},
                                                    candidate.file.level, path_id(candidate), &written);
    if (status.ok()) {
      ++renewed_;
      done_.insert(meta.file_number);
      for (const std::string& path : written) done_.insert(number_of(path));
      return {};
    }
    // Another compaction has the file, or has replaced it: the next pass sees what became of it.
    if (status.IsAborted() || status.IsInvalidArgument() || status.IsIncomplete() || stop_asked) return {};
    return rocksdb_error("file must be rewritten", path_of(meta), status);
  }

  /// A policy that is meant to write filters may write none at the levels that this database has.
  static void note_losses(const std::vector<Candidate>& wrong) {
    const auto loses = [](const Candidate& each) { return each.family->policy && each.reason == kToHaveNone; };
    const auto losses = std::ranges::count_if(wrong, loses);
    if (losses == 0) return;
    say("note: " + std::to_string(losses) + " of the files lose their filter, as the policy writes none for them");
  }

  /// Which of the column family's folders the file lies in; its new version is to lie there, too.
  [[nodiscard]] int path_id(const Candidate& candidate) const {
    const auto& paths = candidate.family->options.cf_paths;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].path == candidate.file.meta.directory) return static_cast<int>(i);
    }
    return 0;
  }

  static std::uint64_t number_of(const std::string& path) {
    return std::strtoull(path.c_str() + path.find_last_of('/') + 1, nullptr, 10);
  }

  Result<ExitCode> report() {
    const std::string so_far = std::to_string(renewed_) + (renewed_ == 1 ? " file" : " files") + " rewritten";
    if (stop_asked) {
      say("stopped: " + so_far + "; the same command goes on from here");
      return kNo;
    }
    const std::size_t left = candidates().size() + static_cast<std::size_t>(unreadable_);
    if (left > 0) {
      say(so_far + ", " + std::to_string(left) + " left that are not as the policy would write them");
      return kNo;
    }
    if (!quiet_) say(so_far + "; every filter is as the policy would write it");
    return kYes;
  }

  rocksdb::DB& db_;
  std::vector<FamilyPolicy> families_;
  bool quiet_;
  std::set<std::uint64_t> done_;  // numbers of the files that were rewritten, and of those that were written
  std::uint64_t renewed_ = 0;
  std::uint64_t unreadable_ = 0;
};

bool wants(const RefilterOptions& options, const std::string& family) {
  return options.families.empty() || std::ranges::find(options.families, family) != options.families.end();
}

bool removes_filters(const RefilterOptions& options) { return options.policy == kNoPolicy; }

/// Puts the policy that the user named into the options. Errors: also for one that would only remove the filters.
Result<void> name_policy(const std::string& text, rocksdb::ColumnFamilyDescriptor& family) {
  if (text == kNoPolicy) return set_policy(family.options, nullptr);
  // A policy of its own for each: it keeps what it learns of the column family's levels.
  const auto policy = parse_policy(text);
  if (!policy) return policy.error();
  if (auto set = set_policy(family.options, *policy); !set) return set;
  const std::string why = why_no_filters(family.options);
  if (why.empty()) return {};
  return Error{ErrorCode::kBadArgument, "--policy must name one that writes filters, got " + text + ": " + why +
                                            " in column family " + family.name + "; --policy none removes filters"};
}

/// Chooses the policy of each column family, and checks that there is a family with one.
Result<void> choose_policy(const RefilterOptions& arguments, DatabaseOptions& options) {
  for (const std::string& name : arguments.families) {
    if (auto known = check_family(options, name); !known) return known;
  }
  bool found = arguments.policy.has_value();
  std::string got = "none";
  for (rocksdb::ColumnFamilyDescriptor& family : options.families) {
    if (!wants(arguments, family.name)) continue;
    if (arguments.policy) {
      if (auto named = name_policy(*arguments.policy, family); !named) return named;
      continue;
    }
    const bool has_policy = policy_of(family.options) != nullptr;
    const std::string why = has_policy ? why_no_filters(family.options) : "it has no filter policy";
    found |= why.empty();
    if (why.empty()) continue;
    if (has_policy) got = "none that writes filters (" + why + ")";
    if (!arguments.quiet) say("note: left alone: column family " + family.name + ": " + why);
  }
  if (found) return {};
  return Error{ErrorCode::kBadArgument,
               "OPTIONS of DB must have a filter policy, got " + got + "; name one, such as --policy crivo.Auto:10"};
}

Result<std::vector<FamilyPolicy>> families_of(const Database& database, const DatabaseOptions& options,
                                              const RefilterOptions& arguments) {
  std::vector<FamilyPolicy> families;
  for (std::size_t i = 0; i < database.families().size(); ++i) {
    rocksdb::ColumnFamilyHandle* const handle = database.families()[i];
    const auto policy = policy_of(options.families[i].options);
    if (!wants(arguments, handle->GetName())) continue;
    const rocksdb::Options opened = database.db().GetOptions(handle);
    if (removes_filters(arguments)) {
      families.push_back({handle, opened, nullptr, std::nullopt});
      continue;
    }
    if (policy == nullptr || !why_no_filters(options.families[i].options).empty()) continue;
    const auto& table = *opened.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    const auto transform = key_transform_of(*policy, table);
    // The block has the transform's name in it, so one that changes nothing has a name of the same length.
    const std::string same = transform ? std::string(transform->size(), '-') : "";
    if (!same.empty()) {
      const auto as_it_is = [](const rocksdb::Slice& key, std::string*) { return key; };
      RegisterKeyTransform(same, as_it_is).PermitUncheckedError();  // an error if another family needed it before
    }
    const auto tried = same.empty() ? policy : parse_policy("{id=" + policy->GetId() + ";key_transform=" + same + "}");
    if (!tried) return tried.error();
    (*tried)->ValidateOptions(opened, opened).PermitUncheckedError();  // tells crivo.Auto how the levels are sized
    families.push_back({handle, opened, *tried, transform});
  }
  return families;
}

Result<ExitCode> dry_run(Refilter& refilter, bool quiet) {
  const std::vector<Candidate> wrong = refilter.candidates();
  for (const Candidate& candidate : wrong) {
    std::printf("%s, level %d: %s\n", path_of(candidate.file.meta).c_str(), candidate.file.level,
                candidate.reason.c_str());
  }
  if (std::fflush(stdout) != 0) return file_error("output must be writable", "-", "standard output");
  if (!wrong.empty() || refilter.unreadable() > 0) return kNo;
  if (!quiet) say("nothing to rewrite: every filter is as the policy would write it");
  return kYes;
}

Result<ExitCode> refilter(const RefilterOptions& arguments) {
  auto options = load_options(arguments.path, /*for_writing=*/true, arguments.wal_dir);
  if (!options) return options.error();
  if (auto chosen = choose_policy(arguments, *options); !chosen) return chosen.error();
  auto database =
      arguments.dry_run ? Database::open_read_only(*options, arguments.path) : Database::open(*options, arguments.path);
  if (!database) return database.error();
  auto families = families_of(*database, *options, arguments);
  if (!families) return families.error();
  Refilter refilter(database->db(), *std::move(families), arguments.quiet);
  if (arguments.dry_run) return dry_run(refilter, arguments.quiet);
  listen_for_signals();
  return refilter.run();
}

}  // namespace

void add_sst_refilter(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("refilter", "Rewrite the files whose filter is not the policy's");
  const auto options = std::make_shared<RefilterOptions>();
  command->add_option("DB", options->path, "The folder of a database that no other process has open")
      ->required()
      ->transform(literal);
  command
      ->add_option("--policy", options->policy,
                   "Such as crivo.Auto:10; none removes the filters. Without it, the policy in the database's OPTIONS "
                   "file; with it, RocksDB writes an OPTIONS file that names it")
      ->type_name("POLICY")
      ->transform(literal);
  command->add_option("--column-family", options->families, "Only this one; may be given more than once")
      ->type_name("NAME")
      ->transform(literal)
      ->allow_extra_args(false);
  command
      ->add_option(
          "--wal-dir", options->wal_dir,
          "The folder of the write-ahead log, if it lies outside of DB; OPTIONS of a copy may name that of the "
          "original")
      ->type_name("DIR")
      ->transform(literal);
  command->add_flag("--dry-run", options->dry_run,
                    "Only print the files that would be rewritten, and why. The database may be in use");
  command->add_flag("-q,--quiet", options->quiet, "Do not say what is being done; notes and errors are still said");
  command->footer(
      "A file is rewritten if its filter is missing, damaged, foreign, or has another size or rate than the policy "
      "would write. It stays in its level. SIGINT and SIGTERM stop the command after the file that it is at, a second "
      "one at once; either way nothing is lost, and the same command goes on from there.\n"
      "Exit code: 0 if every filter is as the policy would write it, 1 if some are not, 2 if there was an error. If "
      "OPTIONS names what this program does not know (a comparator, a merge operator), that is an error, and nothing "
      "is "
      "touched.");
  command->callback([options, &action] { action = [options] { return refilter(*options); }; });
}

}  // namespace crivo::tool
