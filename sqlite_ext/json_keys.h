// Keys in a JSON array: how "many" passes SQLite's limit of 127 arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "boundary.h"

namespace crivo::sqlite {

/// The hashes under `seed` of the keys in argument `arg`, a JSON array, in order. The key of a string is its UTF-8, of
/// a number the key of the value that SQLite's json_each gives for it; true is 1 and false is 0, null is no key and
/// left out. Throws SqlError for anything else.
[[nodiscard]] std::vector<std::uint64_t> hash_json_keys(const Call& call, std::size_t arg, std::uint64_t seed);

}  // namespace crivo::sqlite
