#include "table/state_text.h"

#include "crivo/hash.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kFormat = "format=1";
constexpr std::string_view kChecksum = " check=";

std::string checksum_of(std::string_view text) { return std::to_string(hash_key(text, 0)); }

std::string before_value(std::string_view name) { return std::string(" ").append(name).append("="); }

}  // namespace

void damaged_state(const std::string& what) {
  throw HostError{SQLITE_CORRUPT_VTAB, "state in table _meta must " + what};
}

std::string begin_state(std::string_view kind) { return std::string(kFormat).append(" kind=").append(kind); }

void append_field(std::string& text, std::string_view name, std::uint64_t value) {
  text.append(before_value(name)).append(std::to_string(value));
}

std::string end_state(std::string text) {
  const std::string checksum = checksum_of(text);
  return text.append(kChecksum).append(checksum);
}

StateFields::StateFields(std::string_view text) {
  const std::size_t end = text.rfind(kChecksum);
  if (end == std::string_view::npos || text.substr(end + kChecksum.size()) != checksum_of(text.substr(0, end))) {
    damaged_state("match its checksum");
  }
  rest_ = text.substr(0, end);
  if (!rest_.starts_with(kFormat)) damaged_state("have \"" + std::string(kFormat) + "\"");
  rest_.remove_prefix(kFormat.size());
  kind_ = this->text("kind");
}

bool StateFields::has(std::string_view name) const { return rest_.starts_with(before_value(name)); }

std::string_view StateFields::text(std::string_view name) {
  const std::string before = before_value(name);
  if (!rest_.starts_with(before)) damaged_state("have \"" + before + "\"");
  rest_.remove_prefix(before.size());
  const std::string_view value = rest_.substr(0, rest_.find(' '));
  rest_.remove_prefix(value.size());
  return value;
}

std::size_t StateFields::page_bytes() {
  constexpr std::size_t kMost = 65536;
  const auto bytes = number<std::size_t>("page_bytes");
  if (bytes > kMost) {
    damaged_state("have pages of at most " + std::to_string(kMost) + " bytes, got " + std::to_string(bytes));
  }
  return bytes;
}

void StateFields::require_end() const {
  if (!rest_.empty()) damaged_state("end after these fields");
}

}  // namespace crivo::sqlite
