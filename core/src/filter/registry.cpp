#include "filter/registry.h"

#include <array>
#include <string>

#include "base/error_text.h"
#include "kinds/blocked.h"
#include "kinds/classic.h"
#include "kinds/counting.h"
#include "kinds/cuckoo.h"
#include "kinds/hash_compaction.h"
#include "kinds/ribbon/ribbon.h"
#include "kinds/scalable.h"
#include "kinds/spectral.h"

namespace crivo {
namespace {

constexpr std::array kRows = {
    make_row<Classic>(),  make_row<Blocked>(), make_row<Counting>(),       make_row<Spectral>(),
    make_row<Scalable>(), make_row<Cuckoo>(),  make_row<HashCompaction>(), make_row<Ribbon>(),
};

constexpr auto kInfos = [] {
  std::array<KindInfo, kRows.size()> infos{};
  for (std::size_t i = 0; i < kRows.size(); ++i) infos[i] = kRows[i].info;
  return infos;
}();

}  // namespace

std::span<const KindInfo> kind_infos() noexcept { return kInfos; }

const KindRow* find_kind(Kind kind) noexcept {
  for (const KindRow& row : kRows) {
    if (row.info.kind == kind) return &row;
  }
  return nullptr;
}

Error unsupported(const KindInfo& kind, std::string_view operation, bool Capabilities::*capability) {
  std::string able;
  for (const KindInfo& info : kInfos) {
    if (!(info.can.*capability)) continue;
    if (!able.empty()) able += ", ";
    able += info.name;
  }
  return error(ErrorCode::kUnsupported, "kind must be one that can ", operation, " (", able, "), got ", kind.name);
}

}  // namespace crivo
