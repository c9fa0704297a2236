// crivo sst info: the filters of a file, or of all files of a database.
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <tuple>

#include "crivo/host/text.h"
#include "options/settings_parser.h"
#include "sst/file_filters.h"
#include "sst/table_file.h"
#include "sst/text_table.h"
#include "tool/commands.h"
#include "tool/database.h"

namespace crivo::tool {
namespace {

namespace fs = std::filesystem;
using sst::FileFilters;

struct InfoOptions {
  std::string path;
  bool json = false;
  bool blocks = false;
};

/// The policy with which a column family was last opened.
struct LastPolicy {
  std::string text;  // as in OPTIONS; "nullptr" for none
  std::shared_ptr<const rocksdb::FilterPolicy> policy;

  /// Why the policy cannot use these filters; empty if it can, or if this program does not know the policy.
  [[nodiscard]] std::string obstacle(const FileFilters& filters) const {
    if (filters.blocks.empty() || (policy == nullptr && text != kNone)) return "";
    return sst::obstacle_of(policy.get(), filters);
  }
  [[nodiscard]] bool is_builtin() const { return policy != nullptr && policy->IsInstanceOf(plugin::kBuiltinPolicy); }
  static constexpr std::string_view kNone = "nullptr";
};

/// A file to print, with its place in the database.
struct ListedFile {
  std::string path;
  std::string column_family;
  int level = -1;  // -1: unknown
  std::string obstacle = {};

  [[nodiscard]] std::string complaint(const FileFilters& filters) const {
    std::string own = filters.complaint();
    return !own.empty() || obstacle.empty() ? own : "the database was last opened " + obstacle;
  }
};

/// Prints files one by one, so that memory does not depend on their number.
class Printer {
 public:
  Printer(bool json, bool blocks) noexcept : json_(json), blocks_(blocks) {}

  void print(const ListedFile& file, const FileFilters& filters) {
    begin();
    if (json_) {
      print_json(file, filters);
    } else {
      print_rows(file, filters);
    }
  }

  void finish() {
    begin();
    if (json_) std::puts("]");
  }

 private:
  void begin() {
    if (begun_) return;
    begun_ = true;
    std::fputs(json_ ? "[" : sst::kTableHeading.data(), stdout);
  }

  static void print_row(const sst::TableRow& row) { std::fputs(sst::row_text(row).c_str(), stdout); }

  void print_rows(const ListedFile& file, const FileFilters& filters) const {
    print_row({.level = sst::level_text(file.level),
               .figures = filters.figures(),
               .what = sst::file_text(file.path, file.column_family),
               .scans = sst::scans_text(filters.scans),
               .complaint = file.complaint(filters)});
    if (!blocks_) return;
    for (const sst::FilterBlock& block : filters.blocks) {
      const sst::FilterFacts& facts = block.facts;
      print_row({.level = "",
                 .figures = facts.figures(),
                 .what = "offset " + std::to_string(block.offset) + ", marker " + std::to_string(facts.marker) +
                         (facts.damage.empty() ? "" : ", damaged: " + facts.damage),
                 .scans = "",
                 .complaint = ""});
    }
  }

  void print_json(const ListedFile& file, const FileFilters& filters) {
    nlohmann::ordered_json described = {{"file", file.path},
                                        {"column_family", file.column_family},
                                        {"level", file.level},
                                        {"file_bytes", filters.file_bytes},
                                        {"policy", filters.policy},
                                        {"kind", filters.kind()},
                                        {"form", name_of(filters.form)},
                                        {"key_transform", filters.key_transform()},
                                        {"keys", filters.keys},
                                        {"bytes", filters.bytes()},
                                        {"bits_per_key", filters.figures().bits_per_key()},
                                        {"current_fp_rate", filters.current_fp_rate()},
                                        {"damaged", filters.damaged()},
                                        {"complaint", file.complaint(filters)},
                                        {"blocks", nlohmann::ordered_json::array()},
                                        {"scans", nlohmann::ordered_json::array()}};
    if (file.level < 0) described["level"] = nullptr;
    for (const sst::FilterBlock& block : filters.blocks) {
      const sst::FilterFacts& facts = block.facts;
      described["blocks"].push_back({{"offset", block.offset},
                                     {"kind", name_of(facts.kind)},
                                     {"marker", facts.marker},
                                     {"keys", facts.keys},
                                     {"bytes", facts.bytes},
                                     {"bits_per_key", facts.figures().bits_per_key()},
                                     {"current_fp_rate", facts.current_fp_rate},
                                     {"damaged", !facts.damage.empty()},
                                     {"complaint", facts.damage}});
    }
    for (const sst::ScanFacts& scan : filters.scans) {
      described["scans"].push_back(
          {{"name", scan.name}, {"kind", scan.kind}, {"bytes", scan.bytes}, {"complaint", scan.complaint}});
    }
    // Names of files and column families need not be UTF-8.
    const std::string text = described.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    std::printf("%s%s", first_ ? "" : ",\n", text.c_str());
    first_ = false;
  }

  bool json_;
  bool blocks_;
  bool begun_ = false;
  bool first_ = true;
};

/// The filter policies in an OPTIONS file, by column family. (Loaded options lack policies unknown to this program.)
std::map<std::string, LastPolicy> policies_in(const fs::path& options) {
  std::map<std::string, LastPolicy> policies;
  std::ifstream file(options);
  const std::string heading = "[TableOptions/BlockBasedTable \"";
  const std::string option = "  filter_policy=";
  std::string family;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(heading)) family = line.substr(heading.size(), line.rfind('"') - heading.size());
    if (!line.starts_with(option)) continue;
    LastPolicy& policy = policies[family];
    policy.text = line.substr(option.size());
    rocksdb::Status known = rocksdb::FilterPolicy::CreateFromString({}, policy.text, &policy.policy);
    if (known.ok() && policy.policy != nullptr) known = policy.policy->ValidateOptions({}, {});
    if (!known.ok()) policy.policy = nullptr;
  }
  return policies;
}

/// `run`: the command that sets a policy for a program whose options are in its code.
void say_how_to_set_policy(const std::string& family, const std::string& has, const char* run) {
  std::fprintf(
      stderr,
      "crivo sst info: note: column family %s %s; to set a Crivo policy: %s -- PROGRAM, or, if PROGRAM reads OPTIONS, "
      "crivo sst refilter --policy\n",
      printable(family).c_str(), printable(has).c_str(), run);
}

/// RocksDB also keeps the previous OPTIONS file. If the previous file names one of Crivo's policies and the newest file
/// names none, a program without the library has probably opened the database.
bool has_lost_policies(const std::string& path, const std::string& newest,
                       const std::map<std::string, LastPolicy>& policies) {
  bool lost = false;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with("OPTIONS-") || name == newest) continue;
    for (const auto& [family, before] : policies_in(entry->path())) {
      const auto now = policies.find(family);
      if (now == policies.end() || now->second.text != LastPolicy::kNone) continue;
      if (!before.text.starts_with("crivo.") && !before.text.starts_with("{id=crivo.")) continue;
      std::string has = "has no filter policy in ";
      has.append(newest).append(", but had ").append(before.text).append(" in ").append(name);
      say_how_to_set_policy(family, has, "crivo rocksdb run");
      lost = true;
    }
  }
  return lost;
}

std::vector<ListedFile> live_files(rocksdb::DB& db) {
  std::vector<rocksdb::LiveFileMetaData> live;
  db.GetLiveFilesMetaData(&live);
  std::vector<ListedFile> files;
  for (const auto& file : live) {
    if (file.column_family_name == sst::kStatisticsFamily) continue;
    files.push_back({sst::path_of(file), file.column_family_name, file.level});
  }
  return files;
}

/// The SST files in a folder. The database may no longer use some of them.
std::vector<ListedFile> files_in(const std::string& folder) {
  std::error_code error;
  std::vector<ListedFile> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".sst") files.push_back({entry->path().string(), "", -1});
  }
  if (error) throw Refused("DB must be readable, got " + folder + ": " + error.message());
  return files;
}

/// The files of a database. If the database cannot be opened (unknown options, damaged files), returns the files in its
/// folder, and sets `whole` to false if a file of the database is damaged or missing.
std::vector<ListedFile> files_of_database(const std::string& path, bool& whole) {
  std::error_code error;
  if (!fs::exists(fs::path(path) / "CURRENT", error)) {
    auto files = files_in(path);
    if (files.empty()) throw Refused("FILE must be an SST file or a folder with such files, got " + path);
    return files;
  }
  try {
    const DatabaseOptions options = load_options(path, /*for_writing=*/false);
    return live_files(Database::open_read_only(options, path, /*with_log=*/false).db());
  } catch (const Refused& refused) {
    auto files = files_in(path);
    if (files.empty()) throw;
    std::fprintf(stderr, "crivo sst info: note: levels are unknown: %s\n", refused.error.message.c_str());
    whole = refused.error.code != ErrorCode::kCorrupt;
    // A killed program leaves empty files, which do not belong to the database.
    const auto is_empty = [&](const ListedFile& file) { return fs::file_size(file.path, error) == 0; };
    const bool left_out = whole && std::erase_if(files, is_empty) > 0;
    if (left_out) std::fputs("crivo sst info: note: empty files are omitted\n", stderr);
    return files;
  }
}

std::vector<ListedFile> only_file(const std::string& path) {
  std::vector<ListedFile> files(1);
  files[0].path = path;
  return files;
}

ExitCode info(const InfoOptions& options) {
  check_no_pipe(options.path, "FILE must be an SST file");
  std::error_code error;
  const bool is_folder = fs::is_directory(options.path, error);
  bool whole = true;
  auto files = is_folder ? files_of_database(options.path, whole) : only_file(options.path);
  std::ranges::sort(files, {},
                    [](const ListedFile& file) { return std::tie(file.column_family, file.level, file.path); });
  Printer printer(options.json, options.blocks || !is_folder);
  std::string newest;
  std::map<std::string, LastPolicy> policies;
  if (is_folder && rocksdb::GetLatestOptionsFileName(options.path, rocksdb::Env::Default(), &newest).ok()) {
    policies = policies_in(fs::path(options.path) / newest);
  }
  ExitCode code = whole && !has_lost_policies(options.path, newest, policies) ? kYes : kNo;
  std::set<std::string> passing;  // column families whose policy ignores Crivo's filters
  for (ListedFile& file : files) {
    const FileFilters filters = sst::read_filters(*rocksdb::FileSystem::Default(), file.path);
    // A database in use may have compacted the file meanwhile.
    if (is_folder && sst::is_gone(filters.status)) continue;
    if (!is_folder && !filters.status.ok() && filters.blocks.empty()) {
      throw rocksdb_error("FILE must be an SST file", file.path, filters.status);
    }
    if (file.column_family.empty()) file.column_family = filters.column_family;
    if (const auto last = policies.find(file.column_family); last != policies.end()) {
      file.obstacle = last->second.obstacle(filters);
      if (last->second.is_builtin() && !file.obstacle.empty()) passing.insert(file.column_family);
    }
    printer.print(file, filters);
    if (!filters.status.ok() || filters.damaged() > 0 || !file.obstacle.empty()) code = kNo;
  }
  printer.finish();
  for (const std::string& family : passing) {
    say_how_to_set_policy(family, "was last opened with " + policies[family].text, "crivo rocksdb run --replace");
  }
  return code;
}

}  // namespace

void add_sst_info(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "info", "Print the filters of an SST file, or of all files of a database", info);
  add_option(command, "FILE|DB", options.path, "An SST file, or the folder of a database, which may be in use")
      ->required();
  command.add_flag("--json", options.json, "Print a JSON array with one object per file, including all blocks");
  command.add_flag("--blocks", options.blocks, "Also print a line per filter block, as for a single file");
  command.footer(
      "Exit code: 0 if all could be read; 1 if a file or a filter block is damaged or missing, or if there are or were "
      "filters and the database was last opened without a policy that reads them; 2 if there was an error. A file "
      "without a filter is not an error.");
}

}  // namespace crivo::tool
