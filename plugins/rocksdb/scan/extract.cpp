#include "scan/extract.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "crivo/host/sst_block.h"
#include "crivo/host/text.h"
#include "crivo/ordered.h"
#include "options/registry.h"

namespace crivo::plugin {
namespace {

constexpr std::string_view kPrefix = "prefix:";
constexpr std::string_view kPath = "path:";
constexpr std::string_view kAttribute = "attribute:";
constexpr std::string_view kRange = "range:";
constexpr std::size_t kMaxPrefix = 65535;
constexpr std::size_t kMaxName = kMaxKeyTransformName - kAttribute.size();

Error refuse(std::string_view must, std::string_view got) { return bad_value("extract", must, got); }

/// A number in its canonical spelling.
std::optional<std::size_t> number(std::string_view text) noexcept {
  const auto value = read_number<std::size_t>(text);
  return value && text.front() != '0' ? value : std::nullopt;
}

Result<Extract> prefix_of(std::string_view text) {
  const auto length = number(text);
  if (!length || *length > kMaxPrefix) return refuse("have a prefix of 1 to 65535 bytes", text);
  return Extract{.name = std::string(kPrefix) + std::string(text), .kind = Extract::Kind::kPrefix, .length = *length};
}

Result<Extract> path_by(std::string_view text) {
  // Characters with a meaning in option strings cannot be separators.
  const bool fine =
      text.size() == 1 && is_key_transform_name(text) && std::string_view(";{}=\\").find(text) == text.npos;
  if (!fine) return refuse("have one printable character as the separator of a path, not one of ;{}=\\", text);
  return Extract{.name = std::string(kPath) + text.front(), .kind = Extract::Kind::kPath, .separator = text.front()};
}

Result<Extract> attribute_named(std::string_view text) {
  const ScanAttribute* const found = Registry<ScanAttribute>::of_process().find(text);
  if (found == nullptr) return refuse("have an attribute registered with RegisterScanAttribute", text);
  return Extract{
      .name = std::string(kAttribute) + std::string(text), .kind = Extract::Kind::kAttribute, .attribute = found};
}

/// Eight bytes as a big-endian number.
std::optional<std::uint64_t> big_endian_at(std::size_t offset, std::string_view key) noexcept {
  if (key.size() < 8 || offset > key.size() - 8) return std::nullopt;
  return ordered(key.substr(offset, 8));
}

/// The number whose decimal digits start at the offset. No value if there are no digits, or too many for 64 bits.
std::optional<std::uint64_t> decimal_at(std::size_t offset, std::string_view key) noexcept {
  std::uint64_t value = 0;
  if (offset > key.size()) return std::nullopt;
  const auto error = std::from_chars(key.data() + offset, key.data() + key.size(), value).ec;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

/// The built-in function of a name such as "be64@8" or "dec@5", registered on first use; null for other names.
const ScanNumber* builtin_number(std::string_view name) {
  constexpr std::size_t kMaxOffset = 65535;
  using Row = std::pair<std::string_view, decltype(&big_endian_at)>;
  for (const auto& [word, function] : {Row("be64@", big_endian_at), Row("dec@", decimal_at)}) {
    if (!name.starts_with(word)) continue;
    const std::string_view digits = name.substr(word.size());
    const auto offset = digits == "0" ? std::optional<std::size_t>(0) : number(digits);
    if (!offset || *offset > kMaxOffset) return nullptr;
    const auto number = [function = function, at = *offset](const rocksdb::Slice& key) {
      return function(at, std::string_view(key.data(), key.size()));
    };
    return Registry<ScanNumber>::of_process().put(name, number).first;
  }
  return nullptr;
}

Result<Extract> range_of(std::string_view text) {
  const ScanNumber* found = Registry<ScanNumber>::of_process().find(text);
  if (found == nullptr) found = builtin_number(text);
  if (found == nullptr) {
    return refuse("have a range of be64@OFFSET, dec@OFFSET or a number registered with RegisterScanNumber", text);
  }
  return Extract{.name = std::string(kRange) + std::string(text), .kind = Extract::Kind::kRange, .number = found};
}

/// Removes the text up to the next `end`, and returns it without `end`.
std::string_view cut(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

}  // namespace

Result<Extract> find_extract(std::string_view name) {
  if (name.starts_with(kPrefix)) return prefix_of(name.substr(kPrefix.size()));
  if (name.starts_with(kPath)) return path_by(name.substr(kPath.size()));
  if (name.starts_with(kAttribute)) return attribute_named(name.substr(kAttribute.size()));
  if (name.starts_with(kRange)) return range_of(name.substr(kRange.size()));
  return refuse("have filters of the form prefix:N, path:C, attribute:NAME or range:NAME", name);
}

Result<std::vector<Extract>> find_extracts(std::string_view text) {
  std::vector<Extract> extracts;
  const auto take = [&](std::string_view name) -> Result<void> {
    auto found = find_extract(name);
    if (!found) return found.error();
    const auto same = [&](const Extract& other) { return other.name == found->name; };
    if (std::ranges::any_of(extracts, same)) return refuse("not repeat a filter", name);
    extracts.push_back(*std::move(found));
    return {};
  };
  while (!text.empty()) {
    std::string_view part = cut(text, ' ');
    if (part.empty()) continue;
    Result<void> taken;
    if (part.starts_with(kPrefix)) {
      part.remove_prefix(kPrefix.size());
      for (bool more = true; more && taken;) {
        more = part.find(',') != part.npos;
        taken = take(std::string(kPrefix).append(cut(part, ',')));
      }
    } else {
      taken = take(part);
    }
    if (!taken) return taken.error();
  }
  if (extracts.empty()) return refuse("have at least one filter", "");
  return extracts;
}

rocksdb::Status add_scan_attribute(std::string_view name, ScanAttribute attribute) {
  return Registry<ScanAttribute>::of_process().add("attribute", name, kMaxName, std::move(attribute));
}

rocksdb::Status add_scan_number(std::string_view name, ScanNumber number) {
  return Registry<ScanNumber>::of_process().add("number", name, kMaxName, std::move(number));
}

}  // namespace crivo::plugin
