// Opens a database with any supported version of RocksDB. RocksDB's open functions fill a raw pointer up to 10.8, a
// unique_ptr from 11 on, and either of them in between.
#pragma once

#include <rocksdb/db.h>

#include <memory>

#include "abi.h"

namespace crivo::plugin {

/// Calls `open` with the pointer that RocksDB's functions accept, and returns the status of `open`.
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
