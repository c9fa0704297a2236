// The keys of a JSON array, hashed as they are read; see json_keys.h.
#include "json_keys.h"

#include <nlohmann/json.hpp>

namespace crivo::sqlite {
namespace {

/// Hashes an element when the parser meets it, so that no document is ever built.
class KeyHasher : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit KeyHasher(std::uint64_t seed) : seed_(seed) {}

  bool null() override { return inside_; }
  bool boolean(bool value) override { return number_integer(value ? 1 : 0); }
  bool number_integer(std::int64_t value) override { return take(NumberKey(value).view()); }
  // As in SQL, an integer beyond 64 bits is a real.
  bool number_unsigned(std::uint64_t value) override {
    return value <= INT64_MAX ? number_integer(static_cast<std::int64_t>(value)) : number_float(double(value), {});
  }
  bool number_float(double value, const std::string&) override { return take(NumberKey(value).view()); }
  bool string(std::string& value) override { return take(value); }
  bool start_array(std::size_t) override { return !std::exchange(inside_, true); }
  bool end_array() override { return true; }

  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return false; }
  bool key(std::string&) override { return false; }
  bool end_object() override { return false; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override { return false; }

  std::vector<std::uint64_t> hashes;

 private:
  bool take(std::string_view key) {
    if (inside_) hashes.push_back(hash_key(key, seed_));
    return inside_;
  }

  std::uint64_t seed_;
  bool inside_ = false;
};

}  // namespace

std::vector<std::uint64_t> hash_json_keys(sqlite3_value* array, std::uint64_t seed) {
  const SqlError wrong{"keys must be a JSON array of texts and numbers, got " + shown(array)};
  if (sqlite3_value_type(array) != SQLITE_TEXT) throw wrong;
  KeyHasher hasher(seed);
  if (!nlohmann::json::sax_parse(KeyBytes(array).view(), &hasher)) throw wrong;
  return std::move(hasher.hashes);
}

}  // namespace crivo::sqlite
