// Keys in a JSON array: how the functions for many keys take more than the 127 arguments that SQLite allows.
#pragma once

#include <cstdint>
#include <vector>

#include "values/boundary.h"

namespace crivo::sqlite {

/// The hashes, under `seed`, of the keys in the JSON array that argument `arg` holds, in their order. A string's key is
/// its UTF-8; a number's is the key of the value that SQLite's json_each gives for it; true counts as 1 and false as 0;
/// null is no key and is left out. Throws SqlError for anything else.
[[nodiscard]] std::vector<std::uint64_t> hash_json_keys(const Call& call, std::size_t arg, std::uint64_t seed);

}  // namespace crivo::sqlite
