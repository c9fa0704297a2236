// Opens a database with any RocksDB: the functions that do so fill a plain pointer up to 10.8, a unique pointer from 11
// on, and either between the two.
#pragma once

#include <rocksdb/db.h>

#include <memory>

#include "abi.h"

namespace crivo::plugin {

/// Calls `open` with what RocksDB's functions take, and returns what they do.
template <class Open>
[[nodiscard]] rocksdb::Status open_into(std::unique_ptr<rocksdb::DB>* db, Open open) {
#if CRIVO_ROCKSDB_VERSION >= 1100
  return open(db);
#else
  rocksdb::DB* plain = nullptr;
  rocksdb::Status status = open(&plain);
  db->reset(plain);
  return status;
#endif
}

}  // namespace crivo::plugin
