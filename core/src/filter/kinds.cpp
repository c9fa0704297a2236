#include "crivo/kinds.h"

#include <charconv>
#include <string>

#include "base/error_text.h"
#include "filter/registry.h"

namespace crivo {

std::span<const KindInfo> kinds() noexcept { return kind_infos(); }

std::string_view kind_name(Kind kind) noexcept {
  const KindRow* row = find_kind(kind);
  return row != nullptr ? row->info.name : "unknown";
}

Result<Kind> kind_from_name(std::string_view name) {
  std::string names;
  for (const KindInfo& info : kinds()) {
    if (info.name == name) return info.kind;
    if (!names.empty()) names += ", ";
    names += info.name;
  }
  return error(ErrorCode::kBadArgument, "kind must be one of ", names, ", got '", name, "'");
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
    return error(ErrorCode::kBadArgument, "kind option must be spectral:<counter bits> or scalable:<growth>, got '",
                 name, "'");
  }
  return {};
}

}  // namespace crivo
