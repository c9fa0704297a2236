#include "kinds/registry.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/error_text.h"
#include "kinds/kind.h"

namespace crivo {
namespace {

// In the order in which kinds() lists them.
constexpr std::array kRows = {&kClassic, &kBlocked,        &kCounting, &kSpectral, &kScalable, &kGrowing, &kWindow,
                              &kCuckoo,  &kHashCompaction, &kRibbon,   &kRange,    &kMap,      &kExact};

}  // namespace

std::span<const KindInfo> kind_infos() noexcept {
  static const auto infos = [] {
    std::array<KindInfo, kRows.size()> made{};
    std::ranges::transform(kRows, made.begin(), [](const KindRow* row) { return row->info; });
    return made;
  }();
  return infos;
}

const KindRow* find_kind(Kind kind) noexcept {
  const auto found = std::ranges::find(kRows, kind, [](const KindRow* row) { return row->info.kind; });
  return found != kRows.end() ? *found : nullptr;
}

Result<void> check_hash_id(const KindInfo& kind, const Shape& shape) {
  if (shape.hash_id == kind.hash_id) return {};
  return corrupt("hash id must be ", static_cast<unsigned>(kind.hash_id), ", got ",
                 static_cast<unsigned>(shape.hash_id));
}

Result<void> check_whole(const View& view) {
  const KindRow& row = *find_kind(view.shape.kind);
  return row.check_whole != nullptr ? row.check_whole(view) : Result<void>();
}

Error unsupported(const KindInfo& kind, std::string_view operation, bool Capabilities::*capability) {
  std::string able;
  for (const KindInfo& info : kind_infos()) {
    if (!(info.can.*capability)) continue;
    if (!able.empty()) able += ", ";
    able += info.name;
  }
  return error(ErrorCode::kUnsupported, "kind must support ", operation, " (", able, "), got ", kind.name);
}

}  // namespace crivo
