// One filter in a benchmark: built from keys 0 to n - 1 and asked in three ways, hashing included.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workload.h"

namespace crivo::bench {

inline constexpr std::size_t kBatch = 32;

/// One virtual call per run, not per key.
class Contestant {
 public:
  virtual ~Contestant() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  virtual void build(std::uint64_t keys) = 0;
  /// Memory of the finished filter, in bits.
  [[nodiscard]] virtual double bits() const = 0;
  /// Each of these asks `count` queries and returns the number of hits.
  virtual std::uint64_t one_by_one(Queries queries, std::size_t count) const = 0;
  virtual std::uint64_t dependent(Queries queries, std::size_t count) const = 0;
  virtual std::uint64_t batched(Queries queries, std::size_t count) const = 0;
};

/// The loops, once for all: Filter has contains(string_view) and contains_batch(const Key*, size_t, bool*).
template <class Filter>
class ContestantLoops : public Contestant {
 public:
  std::uint64_t one_by_one(Queries queries, std::size_t count) const override {
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < count; ++i) hits += self().contains(Key(queries.next()).view());
    return hits;
  }
  std::uint64_t dependent(Queries queries, std::size_t count) const override {
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < count; ++i) hits += self().contains(Key(queries.next(hits)).view());
    return hits;
  }
  std::uint64_t batched(Queries queries, std::size_t count) const override {
    std::uint64_t hits = 0;
    std::array<Key, kBatch> keys;
    bool found[kBatch];
    for (std::size_t i = 0; i < count; i += kBatch) {
      for (Key& key : keys) key = Key(queries.next());
      self().contains_batch(keys.data(), kBatch, found);
      for (const bool hit : found) hits += hit;
    }
    return hits;
  }

 private:
  const Filter& self() const { return static_cast<const Filter&>(*this); }
};

/// What the names of RocksDB's filters start with.
inline constexpr const char* kInstalledRocksdb = "RocksDB";
inline constexpr const char* kSourceRocksdb = "RocksDB src";

/// A filter of ours, by what choose_kind() takes, sized by rate or by bits per key.
std::unique_ptr<Contestant> make_crivo(const std::string& kind, double fp_rate);
std::unique_ptr<Contestant> make_crivo_bits(const std::string& kind, double bits_per_key);

/// The same, asked by the kernels of one instruction set; null where this machine does not have it.
std::unique_ptr<Contestant> make_crivo_on(const std::string& isa, const std::string& kind, double fp_rate);

/// No filter: the keys are made and hashed, which is what every other contestant's times contain.
inline constexpr const char* kHashOnly = "hash only";
std::unique_ptr<Contestant> make_hash_only();

/// std::unordered_set of the keys themselves: exact, and what a filter saves.
std::unique_ptr<Contestant> make_hash_set();

/// RocksDB's policies through their own interface, "Bloom" or "Ribbon" at so many bits per key: the installed
/// library's.
std::unique_ptr<Contestant> make_rocksdb(const std::string& policy, double bits_per_key);
/// Those of the build that CRIVO_ROCKSDB_SRC names; null without it.
std::unique_ptr<Contestant> make_source_rocksdb(const std::string& policy, double bits_per_key);
/// Our plugin, through the same interface.
std::unique_ptr<Contestant> make_plugin(const std::string& option_string);

}  // namespace crivo::bench
