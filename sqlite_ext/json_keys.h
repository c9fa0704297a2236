// Keys in a JSON array: how "many" passes SQLite's limit of 127 arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "boundary.h"

namespace crivo::sqlite {

/// The hashes under `seed` of the keys in a JSON array, in order: a string is its UTF-8, a number the key that SQL's
/// number is, true is 1 and false is 0, null is no key and left out. Throws SqlError for anything else.
[[nodiscard]] std::vector<std::uint64_t> hash_json_keys(sqlite3_value* array, std::uint64_t seed);

}  // namespace crivo::sqlite
