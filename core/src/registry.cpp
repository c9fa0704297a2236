// The kinds there are: one row each.
#include "registry.h"

#include <array>
#include <charconv>
#include <string>

#include "crivo/text.h"
#include "error_text.h"
#include "kinds/blocked.h"
#include "kinds/classic.h"
#include "kinds/compaction.h"
#include "kinds/counting.h"
#include "kinds/cuckoo.h"
#include "kinds/ribbon.h"
#include "kinds/scalable.h"
#include "kinds/spectral.h"

namespace crivo {
namespace {

constexpr std::array kRows = {
    make_row<Classic>(),  make_row<Blocked>(), make_row<Counting>(),   make_row<Spectral>(),
    make_row<Scalable>(), make_row<Cuckoo>(),  make_row<Compaction>(), make_row<Ribbon>(),
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
  return error(ErrorCode::kBadArgument, "kind must be one of ", names, ", got ", quoted(name));
}

Result<void> choose_kind(FilterSpec& spec, std::string_view name) {
  if (name == "compressed") {
    spec.kind = Kind::kClassic;
    spec.compressed = true;
    return {};
  }
  const std::size_t colon = name.find(':');
  const Result<Kind> kind = kind_from_name(name.substr(0, colon));
  if (!kind) return error(ErrorCode::kBadArgument, kind.error().message, " (or 'compressed')");
  spec.kind = *kind;
  spec.compressed = false;
  if (colon == std::string_view::npos) return {};

  const std::string_view digits = name.substr(colon + 1);
  unsigned option = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), option);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && !digits.empty();
  if (is_number && *kind == Kind::kSpectral) {
    spec.counter_bits = option;
  } else if (is_number && *kind == Kind::kScalable) {
    spec.growth = option;
  } else {
    return error(ErrorCode::kBadArgument, "kind option must be spectral:<counter bits> or scalable:<growth>, got ",
                 quoted(name));
  }
  return {};
}

}  // namespace crivo
