// The filters of a benchmark. Each is built from keys 0 to n - 1 and queried in three ways. All times include hashing.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "workload.h"

namespace crivo::bench {

inline constexpr std::size_t kBatch = 32;

/// One filter. A virtual call processes many keys, so its cost per key is negligible.
class Contestant {
 public:
  virtual ~Contestant() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  virtual void build(const KeyList& keys) = 0;
  /// The size of the finished filter in memory, in bits.
  [[nodiscard]] virtual double bits() const = 0;
  /// Each of the next three functions looks up all keys and returns the number of hits. In `dependent`, the next key
  /// depends on the previous answers.
  virtual std::uint64_t one_by_one(const KeyList& questions) const = 0;
  virtual std::uint64_t dependent(const KeyList& questions) const = 0;
  virtual std::uint64_t batched(const KeyList& questions) const = 0;
};

/// The loops over the keys, which are the same for all filters. Filter must have contains(string_view) and
/// contains_batch(const string_view*, size_t, bool*).
template <class Filter>
class ContestantLoops : public Contestant {
 public:
  std::uint64_t one_by_one(const KeyList& questions) const override {
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i < questions.size(); ++i) hits += self().contains(questions[i]);
    return hits;
  }
  std::uint64_t dependent(const KeyList& questions) const override {
    std::uint64_t hits = 0;
    for (std::size_t i = 0; i + 1 < questions.size(); ++i) hits += self().contains(questions[i + hits % 2]);
    return hits;
  }
  std::uint64_t batched(const KeyList& questions) const override {
    std::uint64_t hits = 0;
    std::array<std::string_view, kBatch> keys;
    bool found[kBatch];
    for (std::size_t i = 0; i < questions.size(); i += kBatch) {
      const std::size_t count = std::min(kBatch, questions.size() - i);
      for (std::size_t j = 0; j < count; ++j) keys[j] = questions[i + j];
      self().contains_batch(keys.data(), count, found);
      for (std::size_t j = 0; j < count; ++j) hits += found[j];
    }
    return hits;
  }

 private:
  const Filter& self() const { return static_cast<const Filter&>(*this); }
};

/// Prefixes of the names of RocksDB's filters.
inline constexpr const char* kInstalledRocksdb = "RocksDB";
inline constexpr const char* kSourceRocksdb = "RocksDB src";

/// A filter of Crivo. choose_kind() parses `kind`. The size follows from the rate or the bits per key.
std::unique_ptr<Contestant> make_crivo(const std::string& kind, double fp_rate);
std::unique_ptr<Contestant> make_crivo_bits(const std::string& kind, double bits_per_key);

/// Uses the kernels of one instruction set; null if the machine lacks it.
std::unique_ptr<Contestant> make_crivo_on(const std::string& isa, const std::string& kind, double fp_rate);

/// Only hashes the keys. The times of all other contestants include this time.
inline constexpr const char* kHashOnly = "hash only";
std::unique_ptr<Contestant> make_hash_only();

/// A std::unordered_set of the keys, which gives exact answers. A filter replaces it.
std::unique_ptr<Contestant> make_hash_set();

/// A filter of RocksDB's policy "Bloom" or "Ribbon" in the installed library, through RocksDB's interface.
std::unique_ptr<Contestant> make_rocksdb(const std::string& policy, double bits_per_key);
/// A filter of the library that CRIVO_ROCKSDB_SRC names; null if the variable is unset.
std::unique_ptr<Contestant> make_source_rocksdb(const std::string& policy, double bits_per_key);
/// A filter of Crivo's plugin, through the same interface.
std::unique_ptr<Contestant> make_plugin(const std::string& option_string);

}  // namespace crivo::bench
