#include "tool/logged_gets.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/counter_listener.h"

namespace crivo::tool {
namespace {

namespace fs = std::filesystem;

std::optional<LoggedGets> parse(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* name) -> std::uint64_t {
    const auto field = json.find(name);
    return field != json.end() && field->is_number_unsigned() ? field->get<std::uint64_t>() : 0;
  };
  const LoggedGets gets{number("in_files"), number("found"), number("filter_negatives"),
                        number("filter_false_positives")};
  return gets.in_files > 0 && gets.found <= gets.in_files ? std::optional(gets) : std::nullopt;
}

}  // namespace

std::optional<LoggedGets> read_gets(std::istream& log) {
  std::optional<LoggedGets> last;
  for (std::string line; std::getline(log, line);) {
    const std::size_t found = line.find(plugin::kGetsLine);
    if (found == std::string::npos) continue;
    if (const auto gets = parse(line.substr(found + plugin::kGetsLine.size()))) last = gets;
  }
  return last;
}

std::optional<LoggedGets> logged_gets(const std::string& db_path) {
  std::vector<fs::path> logs;  // their names end with the time of renaming
  std::error_code error;
  for (fs::directory_iterator entry(db_path, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().starts_with("LOG.old.")) logs.push_back(entry->path());
  }
  std::ranges::sort(logs, std::greater());
  logs.insert(logs.begin(), fs::path(db_path) / "LOG");
  for (const fs::path& path : logs) {
    if (!fs::is_regular_file(path, error)) continue;  // opening a pipe would wait for its other end
    std::ifstream log(path, std::ios::binary);
    if (const auto gets = read_gets(log)) return gets;
  }
  return std::nullopt;
}

}  // namespace crivo::tool
