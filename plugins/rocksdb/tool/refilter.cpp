// crivo sst refilter: replaces the filters of a database's files that do not match the policy, by RefilterRocksDB.
#include <rocksdb/convenience.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <future>
#include <optional>

#include "crivo/host/text.h"
#include "crivo/rocksdb.h"
#include "crivo/rocksdb_refilter.h"
#include "refilter/judge.h"
#include "report/counter_listener.h"
#include "tool/commands.h"
#include "tool/database.h"

namespace crivo::tool {
namespace {

using refilter::why_no_filters;

struct RefilterOptions {
  std::string path;
  std::optional<std::string> policy;
  FamilyChoice families;
  std::string wal_dir;
  bool dry_run = false;
  bool quiet = false;
};

constexpr const char* kNoPolicy = "none";

std::atomic<bool> stop_requested = false;

extern "C" void request_stop(int) { stop_requested = true; }

/// A signal requests a safe stop. The same signal again ends the program at once, which is as safe as any crash.
void listen_for_signals() {
  struct sigaction action {};
  action.sa_handler = request_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

void say(const std::string& text) { std::fprintf(stderr, "crivo sst refilter: %s\n", text.c_str()); }

bool removes_filters(const RefilterOptions& options) { return options.policy == kNoPolicy; }

/// Sets the policy `text`, or no policy for `none`. Throws Refused, also for a policy that writes no filters.
void name_policy(const std::string& text, const rocksdb::DBOptions& db, rocksdb::ColumnFamilyDescriptor& family) {
  if (text == kNoPolicy) return set_policy(family.options, nullptr);
  // Each family has its own policy object, because a policy records the family's levels.
  set_policy(family.options, parse_policy(text, db));
  const std::string why = why_no_filters(family.options);
  if (why.empty()) return;
  throw Refused("--policy must write filters, got " + text + ": " + why + " in column family " +
                printable(family.name) + "; --policy none removes filters");
}

/// Sets the policy that --policy names. Without this option, throws Refused unless a family has a policy that writes
/// filters.
void choose_policy(const RefilterOptions& arguments, DatabaseOptions& options) {
  arguments.families.check(options);
  rocksdb::DBOptions with_listener;  // adjust_listener installs it if a policy needs it
  with_listener.listeners = {NewRocksDBFilterListener()};
  bool found = arguments.policy.has_value();
  std::string got = "none";
  for (rocksdb::ColumnFamilyDescriptor& family : options.families) {
    if (!arguments.families.wants(family.name)) continue;
    if (arguments.policy) {
      name_policy(*arguments.policy, with_listener, family);
      continue;
    }
    const bool has_policy = policy_of(family.options) != nullptr;
    const std::string why = has_policy ? why_no_filters(family.options) : "it has no filter policy";
    found |= why.empty();
    if (why.empty()) continue;
    if (has_policy) got = "none that writes filters (" + why + ")";
    if (!arguments.quiet) say("note: skipped: column family " + printable(family.name) + ": " + why);
  }
  if (found) return;
  throw Refused("OPTIONS of DB must have a filter policy, got " + got + "; name one, such as --policy crivo.Auto:10");
}

/// Installs the listener if max_total_bytes needs it and OPTIONS lacks it. Removes it if no column family has a policy
/// of Crivo's, so that OPTIONS names no object that programs without the library do not know.
void adjust_listener(DatabaseOptions& options) {
  const auto has_crivo_policy = [](const rocksdb::ColumnFamilyDescriptor& family) {
    const auto policy = policy_of(family.options);
    return policy != nullptr && plugin::is_crivo_policy(*policy);
  };
  if (std::ranges::none_of(options.families, has_crivo_policy)) {
    plugin::remove<plugin::CounterListener>(options.db.listeners);
  }
  const auto lacks_it = [&](const rocksdb::ColumnFamilyDescriptor& family) {
    const auto policy = policy_of(family.options);
    return policy != nullptr && !policy->ValidateOptions(options.db, family.options).ok();
  };
  if (std::ranges::any_of(options.families, lacks_it)) options.db.listeners.push_back(NewRocksDBFilterListener());
}

/// The column families whose files are to be rewritten.
std::vector<rocksdb::ColumnFamilyHandle*> families_of(const Database& database, const DatabaseOptions& options,
                                                      const RefilterOptions& arguments) {
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  for (std::size_t i = 0; i < database.families().size(); ++i) {
    const auto& family = options.families[i];
    if (!arguments.families.wants(family.name)) continue;
    const bool writes = policy_of(family.options) != nullptr && why_no_filters(family.options).empty();
    if (writes || removes_filters(arguments)) families.push_back(database.families()[i]);
  }
  return families;
}

std::string files_text(std::uint64_t files) { return std::to_string(files) + (files == 1 ? " file" : " files"); }

/// Reports the next file. Returns whether to continue.
bool report_next(const RefilterOptions& arguments, const RocksDBRefilterProgress& next) {
  if (next.path.empty() || stop_requested) return !stop_requested;
  if (arguments.dry_run) {
    std::printf("%s, level %d: %s\n", next.path.c_str(), next.level, next.reason.c_str());
  } else if (!arguments.quiet) {
    say(std::to_string(next.files + 1) + " of " + std::to_string(next.files + next.files_left) + ": " + next.path +
        ", level " + std::to_string(next.level) + ", " + std::to_string(next.file_bytes) + " bytes: " + next.reason);
  }
  return true;
}

/// Writes the OPTIONS file again. RocksDB also keeps the previous file, which must not name the policy either:
/// otherwise `crivo sst info` would report that a program without the library had lost the policy.
void rewrite_options_file(rocksdb::DB& db) {
  const bool is_off = db.GetOptions().disable_auto_compactions;
  const rocksdb::Status written = db.SetOptions({{"disable_auto_compactions", is_off ? "true" : "false"}});
  written.PermitUncheckedError();
}

/// Lets no automatic compaction begin, and waits for those that RocksDB began when it opened the database: they use the
/// files that are to be rewritten, and closing the database would discard them. A stop signal discards them now.
void pause_compactions(rocksdb::DB& db, bool quiet) {
  auto paused = std::async(std::launch::async, [&] { db.PauseBackgroundWork().PermitUncheckedError(); });
  for (int tenths = 1; paused.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready; ++tenths) {
    if (tenths == 10 && !quiet) say("note: waiting for a compaction that was due when the database was opened");
    if (stop_requested) rocksdb::CancelAllBackgroundWork(&db, /*wait=*/false);
  }
}

ExitCode report(const RefilterOptions& arguments, const RocksDBRefilterReport& done) {
  for (const std::string& file : done.unreadable) say("note: skipped: " + file);
  const std::string so_far = files_text(done.files) + " rewritten";
  if (done.status.IsIncomplete()) {
    say("stopped: " + so_far + "; the same command continues from here");
    return kNo;
  }
  const std::uint64_t left = done.files_left + done.unreadable.size();
  if (left == 0 && !done.status.ok()) throw rocksdb_error("files must be rewritten", arguments.path, done.status);
  if (left > 0) {
    if (!arguments.dry_run) {
      say(so_far + ", " + std::to_string(left) + " left that differ from what the policy would write");
    }
    return kNo;
  }
  if (!arguments.quiet) {
    say((arguments.dry_run ? "nothing to rewrite:" : so_far + ";") +
        (removes_filters(arguments) ? " no file has a filter" : " every filter is as the policy would write it"));
  }
  return kYes;
}

ExitCode refilter(const RefilterOptions& arguments) {
  DatabaseOptions options = load_options(arguments.path, /*for_writing=*/true, arguments.wal_dir);
  choose_policy(arguments, options);
  adjust_listener(options);
  if (!arguments.dry_run && !Database::open_read_only(options, arguments.path).has_files()) {
    return report(arguments, {});  // without opening the database for writing
  }
  const Database database =
      arguments.dry_run ? Database::open_read_only(options, arguments.path) : Database::open(options, arguments.path);
  std::uint64_t losses = 0;
  const auto progress = [&](const RocksDBRefilterProgress& next) {
    losses += next.reason == refilter::kUnwantedFilter ? 1U : 0U;
    return report_next(arguments, next);
  };
  if (!arguments.dry_run) {
    listen_for_signals();
    pause_compactions(database.db(), arguments.quiet);
  }

  const auto done = RefilterRocksDB(database.db(), {.column_families = families_of(database, options, arguments),
                                                    .progress = progress,
                                                    .dry_run = arguments.dry_run,
                                                    .remove_filters = removes_filters(arguments)});
  if (removes_filters(arguments) && !arguments.dry_run) rewrite_options_file(database.db());
  // A policy may write no filters at the levels that this database has.
  if (losses > 0 && !removes_filters(arguments)) {
    say("note: " + files_text(losses) + " lose their filters, because the policy writes none for them");
  }
  return report(arguments, done);
}

}  // namespace

void add_sst_refilter(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "refilter", "Rewrite the files whose filters do not match the policy", refilter);
  add_option(command, "DB", options.path, "The folder of a database that no other process has open")->required();
  add_option(command, "--policy", options.policy,
             "Such as crivo.Auto:10; none removes the filters. Without it, the policy in the database's OPTIONS "
             "file; with it, RocksDB writes an OPTIONS file that names it",
             "POLICY");
  add_family_option(command, options.families);
  add_option(command, "--wal-dir", options.wal_dir,
             "The folder of the write-ahead log, if it is outside of DB; OPTIONS of a copy may name the folder of the "
             "original",
             "DIR");
  command.add_flag("--dry-run", options.dry_run,
                   "Only print the files that would be rewritten, and why. The database may be in use");
  command.add_flag("-q,--quiet", options.quiet, "Do not report progress; still print notes and errors");
  command.footer(
      "A file is rewritten if its filter is missing, damaged, foreign, or has another size or rate than the policy "
      "would write. It stays in its level. A compaction that is due when the database is opened runs first. SIGINT, "
      "SIGTERM and SIGHUP stop the command after the current file, and "
      "a second such signal stops it at once; nothing is lost, and the same command continues from there.\n"
      "Exit code: 0 if every filter is as the policy would write it, 1 if some are not, 2 if there was an error. If "
      "OPTIONS names something unknown here (a comparator, a merge operator), that is an error, and nothing is "
      "changed.");
}

}  // namespace crivo::tool
