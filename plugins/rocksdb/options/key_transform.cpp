#include "options/key_transform.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "crivo/host/sst_block.h"
#include "crivo/host/text.h"
#include "options/registry.h"

namespace crivo::plugin {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr std::string_view kDropSuffix = "drop_suffix";
constexpr std::string_view kTakePrefix = "take_prefix";
constexpr std::string_view kLowerAscii = "lower_ascii";
constexpr std::string_view kReserved[] = {kDropSuffix, kTakePrefix, kLowerAscii, "none"};

bool is_upper(char byte) noexcept { return byte >= 'A' && byte <= 'Z'; }

/// Copies the key only if it has capital letters; most keys have none.
Slice lower_ascii(const Slice& key, std::string* scratch) {
  const char* const end = key.data() + key.size();
  if (std::none_of(key.data(), end, is_upper)) return key;
  scratch->assign(key.data(), key.size());
  for (char& byte : *scratch) byte = is_upper(byte) ? static_cast<char>(byte - 'A' + 'a') : byte;
  return *scratch;
}

/// The N of "name:N", from 1 to 2^32 - 1, in its canonical spelling, because two spellings would be two transforms.
std::optional<std::uint32_t> parameter(std::string_view text, std::string_view name) noexcept {
  if (!text.starts_with(name) || text.substr(name.size(), 1) != ":") return std::nullopt;
  text.remove_prefix(name.size() + 1);
  const auto value = read_number<std::uint32_t>(text);
  return value && text.front() != '0' ? value : std::nullopt;
}

/// The built-in transform of this name; empty if there is none.
KeyTransform builtin(std::string_view name) {
  if (name == kLowerAscii) return lower_ascii;
  if (const auto bytes = parameter(name, kTakePrefix)) {
    return [n = std::size_t{*bytes}](const Slice& key, std::string*) {
      return Slice(key.data(), std::min(n, key.size()));
    };
  }
  if (const auto bytes = parameter(name, kDropSuffix)) {
    // A key no longer than the suffix has an empty canonical key: it may be a prefix (of a prefix extractor) that ends
    // within the suffix. If left unchanged, such prefixes of equal keys would differ.
    return [n = std::size_t{*bytes}](const Slice& key, std::string*) {
      return Slice(key.data(), key.size() - std::min(n, key.size()));
    };
  }
  return {};
}

using Transforms = Registry<NamedKeyTransform>;

}  // namespace

bool has_parameter(std::string_view name) noexcept { return name == kDropSuffix || name == kTakePrefix; }

Result<const NamedKeyTransform*> find_key_transform(std::string_view name) {
  if (const NamedKeyTransform* const found = Transforms::of_process().find(name)) return found;
  if (KeyTransform function = builtin(name)) {
    return Transforms::of_process().put(name, {std::string(name), std::move(function)}).first;
  }
  return bad_value("key_transform",
                   "be none, drop_suffix:N or take_prefix:N with N in [1, 4294967295], lower_ascii, or a name "
                   "registered with RegisterKeyTransform",
                   name);
}

Status add_key_transform(std::string_view name, KeyTransform transform) {
  if (std::ranges::count(kReserved, name) != 0) {
    return Status::InvalidArgument("crivo: name must not be the name of a built-in key transform, got " +
                                   std::string(name));
  }
  return Transforms::of_process().add("transform", name, kMaxKeyTransformName, std::move(transform));
}

}  // namespace crivo::plugin
