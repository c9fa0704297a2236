// Iterates over the keys in a JSON array; see json_keys.h.
#include "values/json_keys.h"

#include <charconv>

#include "crivo/host/text.h"

namespace crivo::sqlite {

JsonKeys::JsonKeys(sqlite3* db, sqlite3_value* array)
    : array_value_(array), array_({}), decimals_(db, "SELECT json_extract(?1, '$')") {
  if (sqlite3_value_type(array) != SQLITE_TEXT) throw wrong();
  array_ = JsonArray(KeyBytes(array).view());
}

SqlError JsonKeys::wrong() const {
  return {"keys must be a JSON array of texts and numbers, got " + shown(array_value_)};
}

bool JsonKeys::next() {
  try {
    const std::optional<JsonArray::Element> element = array_.next();
    if (element) set_element(*element);
    return element.has_value();
  } catch (const NotAnArray&) {
    throw wrong();
  }
}

void JsonKeys::set_element(const JsonArray::Element& element) {
  using Type = JsonArray::Type;
  number_.reset();
  if (element.type == Type::kNull) {
    value_ = std::monostate();
  } else if (element.type == Type::kString) {
    value_ = Text();
    text_ = element.text;
  } else if (element.type != Type::kNumber) {
    set_number(std::int64_t{element.type == Type::kTrue});
  } else {
    // A number without a fraction and exponent is an integer if it fits 64 bits, otherwise a REAL, as in json_each.
    std::int64_t integer = 0;
    const char* const end = element.text.data() + element.text.size();
    const auto [stop, status] = std::from_chars(element.text.data(), end, integer);
    if (status == std::errc() && stop == end) return set_number(integer);
    set_number(read_real(element.text));
  }
}

double JsonKeys::read_real(std::string_view literal) {
  try {
    Use use(decimals_);
    if (use.bind(1, literal).step()) return use.real(0);
    throw std::bad_alloc();
  } catch (const HostError& error) {
    throw SqlError{"a number in a JSON array must be readable, got " + error.message};
  }
}

std::uint64_t JsonKeys::hash(const Shape& shape) const {
  if (shape.hash_id != HashId::kOrdered) return hash_key(key(), shape.seed);
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return ordered(*integer);
  throw SqlError{"keys must be integers for a filter of kind range, got " +
                 (number_ ? std::string(key()) : in_quotes(text_))};
}

void JsonKeys::set_result(sqlite3_context* context) const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) set_value(context, *integer);
  if (const auto* real = std::get_if<double>(&value_)) set_value(context, *real);
  if (std::holds_alternative<Text>(value_)) set_value(context, text_);
}

std::vector<std::uint64_t> hash_json_keys(sqlite3* db, sqlite3_value* array, const Shape& shape) {
  std::vector<std::uint64_t> hashes;
  JsonKeys keys(db, array);
  while (keys.next()) {
    if (!keys.is_null()) hashes.push_back(keys.hash(shape));
  }
  return hashes;
}

}  // namespace crivo::sqlite
