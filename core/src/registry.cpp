// The kinds there are: one row each.
#include "registry.h"

#include <array>
#include <string>

#include "error_text.h"
#include "kinds/blocked.h"
#include "kinds/classic.h"

namespace crivo {
namespace {

constexpr std::array kRows = {
    make_row<Classic>(),
    make_row<Blocked>(),
};

constexpr auto kInfos = [] {
  std::array<KindInfo, kRows.size()> infos{};
  for (std::size_t i = 0; i < kRows.size(); ++i) infos[i] = kRows[i].info;
  return infos;
}();

}  // namespace

const KindRow* find_kind(Kind kind) noexcept {
  for (const KindRow& row : kRows) {
    if (row.info.kind == kind) return &row;
  }
  return nullptr;
}

std::span<const KindInfo> kinds() noexcept { return kInfos; }

std::string_view kind_name(Kind kind) noexcept {
  const KindRow* row = find_kind(kind);
  return row != nullptr ? row->info.name : "unknown";
}

Result<Kind> kind_from_name(std::string_view name) {
  std::string names;
  for (const KindInfo& info : kInfos) {
    if (info.name == name) return info.kind;
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  return error(ErrorCode::kBadArgument, "kind must be one of ", names, ", got '", name, "'");
}

}  // namespace crivo
