// The classes of filter builders and readers. Since 7.0, RocksDB's public headers only forward-declare them.
//
// A plugin for an installed librocksdb declares classes with the same virtual table slots. RocksDB calls by slot, so
// their objects can replace RocksDB's own. They have their own namespace, because a second definition of
// rocksdb::FilterBits* would interpose RocksDB's weak symbols. The order of the declarations is the contract (Itanium
// C++ ABI). FilterBitsBuilder has two layouts, because RocksDB 9.6 added AddKeyAndAlt. Up to 10.8, the last two slots
// belonged to a subclass, and RocksDB did not call them on external builders. So it is harmless to declare them for all
// versions.
//
// A plugin compiled into RocksDB (CRIVO_IN_ROCKSDB, see in_tree/) derives from the real classes instead, so that the
// compiler checks every declaration.
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>
#include <rocksdb/version.h>

#include <cstddef>
#include <memory>

#include "crivo/rocksdb.h"

#ifdef _MSC_VER
#error "crivo: the compiler must follow the Itanium C++ ABI, got MSVC"
#endif

#define CRIVO_ROCKSDB_VERSION (ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR)
#if CRIVO_ROCKSDB_VERSION < 700 || CRIVO_ROCKSDB_VERSION > 1108
#error "crivo: RocksDB must be version 7.0 to 11.8; check the slots in abi.h against a newer one before raising this"
#endif
#ifdef ROCKSDB_LITE
#error "crivo: RocksDB must be built with its object registry, got ROCKSDB_LITE"
#endif

#ifdef CRIVO_IN_ROCKSDB

#include "table/block_based/filter_policy_internal.h"

namespace crivo::abi {

#if CRIVO_ROCKSDB_VERSION >= 1009
using FilterBitsBuilder = ROCKSDB_NAMESPACE::FilterBitsBuilder;
#else
using FilterBitsBuilder = ROCKSDB_NAMESPACE::BuiltinFilterBitsBuilder;
#endif
using FilterBitsReader = ROCKSDB_NAMESPACE::FilterBitsReader;

inline ROCKSDB_NAMESPACE::FilterBitsBuilder* as_rocksdb(FilterBitsBuilder* builder) { return builder; }
inline FilterBitsReader* as_rocksdb(FilterBitsReader* reader) { return reader; }

}  // namespace crivo::abi

#else

namespace ROCKSDB_NAMESPACE {
class FilterBitsBuilder;
class FilterBitsReader;
}  // namespace ROCKSDB_NAMESPACE

namespace crivo::abi {

/// Used by one thread at a time, not necessarily always the same one. After Finish, the next added key begins the next
/// filter.
class FilterBitsBuilder {
 public:
  virtual ~FilterBitsBuilder() = default;
  virtual void AddKey(const rocksdb::Slice& key) = 0;
#if CRIVO_ROCKSDB_VERSION >= 906
  virtual void AddKeyAndAlt(const rocksdb::Slice& key, const rocksdb::Slice& alt) = 0;
#endif
  virtual std::size_t EstimateEntriesAdded() = 0;
  virtual rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf) = 0;
  virtual rocksdb::Slice Finish(std::unique_ptr<const char[]>* buf, rocksdb::Status* status) = 0;
  virtual rocksdb::Status MaybePostVerify(const rocksdb::Slice& content) = 0;
  virtual std::size_t ApproximateNumEntries(std::size_t bytes) = 0;
  virtual std::size_t CalculateSpace(std::size_t num_entries) = 0;
  virtual double EstimatedFpRate(std::size_t num_entries, std::size_t bytes) = 0;
};

/// Immutable; any number of threads may query it concurrently. It is destroyed before the contents that it reads.
class FilterBitsReader {
 public:
  virtual ~FilterBitsReader() = default;
  virtual bool MayMatch(const rocksdb::Slice& key) = 0;
  virtual void MayMatch(int num_keys, rocksdb::Slice** keys, bool* may_match) = 0;
};

/// Casts to RocksDB's own class, which has the same vtable slots.
inline rocksdb::FilterBitsBuilder* as_rocksdb(FilterBitsBuilder* builder) {
  return reinterpret_cast<rocksdb::FilterBitsBuilder*>(builder);
}
inline rocksdb::FilterBitsReader* as_rocksdb(FilterBitsReader* reader) {
  return reinterpret_cast<rocksdb::FilterBitsReader*>(reader);
}

}  // namespace crivo::abi

#endif  // CRIVO_IN_ROCKSDB
