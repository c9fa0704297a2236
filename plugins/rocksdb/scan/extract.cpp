#include "scan/extract.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "crivo/host/sst_block.h"

namespace crivo::plugin {
namespace {

constexpr std::string_view kPrefix = "prefix:";
constexpr std::string_view kPath = "path:";
constexpr std::string_view kAttribute = "attribute:";
constexpr std::size_t kMaxPrefix = 65535;
constexpr std::size_t kMaxName = kMaxKeyTransformName - kAttribute.size();

Error refuse(std::string_view must, std::string_view got) {
  return Error{ErrorCode::kBadArgument,
               "extract must " + std::string(must) + ", got " + std::string(got.empty() ? "nothing" : got)};
}

/// Functions by their names. Nothing is ever taken out, and a map leaves its elements where they are.
class Registry {
 public:
  bool put(std::string_view name, ScanAttribute attribute) {
    const std::lock_guard lock(mutex_);
    return attributes_.try_emplace(std::string(name), std::move(attribute)).second;
  }
  /// Null if there is none.
  const ScanAttribute* find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = attributes_.find(name);
    return found != attributes_.end() ? &found->second : nullptr;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, ScanAttribute, std::less<>> attributes_;
};

/// Is never destroyed, because databases may outlive our static objects.
Registry& registry() {
  static auto* const one = new Registry;
  return *one;
}

/// A number in its one spelling.
std::optional<std::size_t> number(std::string_view text) noexcept {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && text.front() != '0';
  return whole ? std::optional(value) : std::nullopt;
}

Result<Extract> prefix_of(std::string_view text) {
  const auto length = number(text);
  if (!length || *length > kMaxPrefix) return refuse("have a prefix of 1 to 65535 bytes", text);
  return Extract{.name = std::string(kPrefix) + std::string(text), .kind = Extract::Kind::kPrefix, .length = *length};
}

Result<Extract> path_by(std::string_view text) {
  // What option strings need for themselves cannot be a separator.
  const bool fine = text.size() == 1 && is_key_transform_name(text) && std::string_view(";{}=").find(text) == text.npos;
  if (!fine) return refuse("have one printable character as the separator of a path, not one of ;{}=", text);
  return Extract{.name = std::string(kPath) + text.front(), .kind = Extract::Kind::kPath, .separator = text.front()};
}

Result<Extract> attribute_named(std::string_view text) {
  const ScanAttribute* const found = registry().find(text);
  if (found == nullptr) return refuse("have an attribute that RegisterScanAttribute was given", text);
  return Extract{
      .name = std::string(kAttribute) + std::string(text), .kind = Extract::Kind::kAttribute, .attribute = found};
}

/// Cuts the text up to the next `end` off.
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
  return refuse("have parts of the form prefix:N, path:C or attribute:NAME", name);
}

Result<std::vector<Extract>> find_extracts(std::string_view text) {
  std::vector<Extract> extracts;
  const auto take = [&](std::string_view name) -> Result<void> {
    auto found = find_extract(name);
    if (!found) return found.error();
    const auto same = [&](const Extract& other) { return other.name == found->name; };
    if (std::ranges::any_of(extracts, same)) return refuse("have no part twice", name);
    extracts.push_back(*std::move(found));
    return {};
  };
  while (!text.empty()) {
    std::string_view part = cut(text, ' ');
    if (part.empty()) continue;
    Result<void> taken;
    if (part.starts_with(kPrefix)) {
      part.remove_prefix(kPrefix.size());
      do taken = take(std::string(kPrefix).append(cut(part, ',')));
      while (taken && !part.empty());
    } else {
      taken = take(part);
    }
    if (!taken) return taken.error();
  }
  if (extracts.empty()) return refuse("have at least one part", "");
  return extracts;
}

rocksdb::Status add_scan_attribute(std::string_view name, ScanAttribute attribute) {
  const auto is_allowed = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '-' || byte == '.';
  };
  const auto error = [](const std::string& text) { return rocksdb::Status::InvalidArgument("crivo: " + text); };
  if (name.empty() || name.size() > kMaxName || !std::ranges::all_of(name, is_allowed)) {
    return error("name must be 1 to 22 letters, digits or characters of _-., got " +
                 std::string(name.empty() ? "nothing" : name));
  }
  if (!attribute) return error("attribute must be a function, got nothing");
  if (!registry().put(name, std::move(attribute))) {
    return error("name must not be registered before, got " + std::string(name));
  }
  return rocksdb::Status::OK();
}

}  // namespace crivo::plugin
