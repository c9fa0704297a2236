// What a statement would do, as SQLite's EXPLAIN lists it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "values/boundary.h"

namespace crivo::sqlite {

/// The root page of a table or an index, and the number of its schema.
struct RootPage {
  std::int64_t schema = 0;
  std::int64_t page = 0;
  friend bool operator==(const RootPage&, const RootPage&) = default;
};

/// The effects of a statement and of the triggers that it fires.
struct Effects {
  std::vector<RootPage> written;      // tables and indexes that it opens for writing
  bool writes_virtual_table = false;  // SQLite does not say which tables that writes in turn
  std::vector<std::string> triggers;  // by name; an empty name is the action of a foreign key
  std::size_t checks = 0;             // the number of CHECKs that it evaluates; their names can be anything
};

/// Prepares the statement again, and does not run it. Throws HostError.
[[nodiscard]] Effects effects_of(sqlite3* db, const std::string& sql);

}  // namespace crivo::sqlite
