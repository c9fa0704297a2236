// Compares the tables of docs/c.md with the library.
#include <fstream>
#include <iterator>

#include "c_filters.h"
#include "crivo/kinds.h"

namespace crivo::testing {
namespace {

std::string file(const char* path) {
  std::ifstream opened(path);
  return {std::istreambuf_iterator<char>(opened), {}};
}

std::string row_of(const KindInfo& info) {
  const auto yes = [](bool can) { return can ? " yes |" : " |"; };
  const Capabilities& can = info.can;
  std::string row = "| `" + std::string(info.name) + "` |";
  for (const bool has : {can.add, can.remove, can.count, can.unite, can.intersect, can.grow}) row += yes(has);
  if (!info.alias.empty())
    return row + " the name `" + std::string(info.alias) + "` sizes it for the smallest blob |\n";
  return info.option.empty() ? row + " |\n" : row + " " + std::string(info.option) + " |\n";
}

TEST(Page, ListsEveryKindWithWhatItCan) {
  const std::string page = file(CRIVO_PAGE);
  std::string table;
  for (const KindInfo& info : kinds()) table += row_of(info);
  EXPECT_NE(page.find("|---|---|---|---|---|---|---|---|\n" + table + "\n"), std::string::npos) << "the table is\n"
                                                                                                << table;
}

TEST(Page, ListsEveryFieldOfTheOptions) {
  const std::string page = file(CRIVO_PAGE);
  std::ifstream record(CRIVO_ABI);
  const std::string start = "structure crivo_options: ";
  int fields = 0;
  for (std::string line; std::getline(record, line);) {
    if (!line.starts_with(start) || line.find(" at ") == std::string::npos) continue;
    const std::string field = line.substr(start.size(), line.find(" at ") - start.size());
    EXPECT_NE(page.find("\n| `" + field + "` |"), std::string::npos) << field;
    ++fields;
  }
  EXPECT_GT(fields, 10);
}

}  // namespace
}  // namespace crivo::testing
