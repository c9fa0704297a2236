#include "crivo/kinds.h"

#include <string>

#include "base/error_text.h"
#include "crivo/host/text.h"
#include "kinds/registry.h"

namespace crivo {
namespace {

Error wrong_option(const KindInfo& info, std::string_view got) {
  if (info.option.empty()) {
    return bad_argument("kind ", info.name, " must have no option, got ", in_quotes(got));
  }
  return bad_argument("kind ", info.name, " must be written alone or as ", info.name, ":<", info.option, ">, got ",
                      in_quotes(got));
}

}  // namespace

std::span<const KindInfo> kinds() noexcept { return kind_infos(); }

std::string_view kind_name(Kind kind) noexcept {
  const KindRow* row = find_kind(kind);
  return row != nullptr ? row->info.name : "unknown";
}

HashId hash_id_of(Kind kind) noexcept {
  const KindRow* row = find_kind(kind);
  return row != nullptr ? row->info.hash_id : HashId::kXxh3_64;
}

double default_fp_rate(Kind kind) noexcept {
  const KindRow* row = find_kind(kind);
  return row != nullptr ? row->info.default_fp_rate : FilterSpec().fp_rate;
}

std::uint64_t default_capacity(Kind kind) noexcept {
  const KindRow* row = find_kind(kind);
  return row != nullptr ? row->info.default_capacity : 0;
}

Result<void> choose_kind(FilterSpec& spec, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const KindInfo& info : kinds()) {
    const bool by_alias = !info.alias.empty() && text == info.alias;
    if (info.name != name && !by_alias) continue;
    const KindRow& row = *find_kind(info.kind);
    FilterSpec chosen = spec;
    chosen.kind = info.kind;
    if (row.set_option != nullptr) row.set_option(chosen, {});
    if (by_alias || colon != std::string_view::npos) {
      const std::string_view option = by_alias ? text : text.substr(colon + 1);
      if (row.set_option == nullptr || option.empty() || !row.set_option(chosen, option))
        return wrong_option(info, text);
    }
    spec = chosen;
    return {};
  }
  return bad_argument("kind must be one of ", kind_choices(), ", got ", in_quotes(text));
}

std::string kind_text(const FilterSpec& spec) {
  const KindRow* row = find_kind(spec.kind);
  if (row == nullptr) return "unknown";
  const std::string option = row->option_text != nullptr ? row->option_text(spec) : std::string();
  if (option.empty()) return std::string(row->info.name);
  return option == row->info.alias ? option : std::string(row->info.name) + ':' + option;
}

std::string kind_choices() {
  std::string choices;
  for (const KindInfo& info : kinds()) {
    choices.append(choices.empty() ? "" : ", ").append(info.name);
    if (!info.alias.empty()) {
      choices.append(", ").append(info.alias);
    } else if (!info.option.empty()) {
      choices.append("[:").append(info.option).append("]");
    }
  }
  return choices;
}

}  // namespace crivo
