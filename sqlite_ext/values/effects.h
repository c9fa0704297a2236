// The effects of a statement, read from SQLite's EXPLAIN.
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

/// The effects of a statement and of the triggers that the statement fires.
struct Effects {
  std::vector<RootPage> written;      // the tables and indexes that the statement opens for writing
  bool writes_virtual_table = false;  // EXPLAIN does not show which tables the virtual table writes
  std::vector<std::string> triggers;  // names of triggers; empty for the action of a foreign key
  std::size_t checks = 0;             // the number of CHECKs that are evaluated; a CHECK's name can be anything
};

/// Prepares the statement again, without running it. Throws HostError.
[[nodiscard]] Effects effects_of(sqlite3* db, const std::string& sql);

}  // namespace crivo::sqlite
