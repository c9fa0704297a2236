#include "rocksdb_rivals.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "abi.h"
#include "workload.h"

namespace crivo::bench {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

// The policy "<prefix><bits><suffix>" whose filters take `wanted` bits per key.
std::string of_size(const std::string& prefix, const std::string& suffix, double wanted, std::uint64_t keys) {
  double low = 0.5;
  double high = 4 * wanted;
  while (high - low > 0.005) {
    const double middle = (low + high) / 2;
    (real_bits_per_key(prefix + number(middle) + suffix, keys) < wanted ? low : high) = middle;
  }
  return prefix + number(high) + suffix;
}

}  // namespace

std::vector<Rival> rivals_at_equal_rate() {
  return {
      {"RocksDB Bloom 10", "bloomfilter:10:false"},
      {"RocksDB Ribbon 10", "ribbonfilter:10"},
      {"crivo.Bloom:10", "crivo.Bloom:10"},
      {"crivo.Ribbon:10", "crivo.Ribbon:10"},
  };
}

std::vector<Rival> rivals_at_equal_memory(double bits_per_key, std::uint64_t keys_per_file) {
  const std::string bits = number(bits_per_key);
  return {
      {"RocksDB Bloom " + bits, "bloomfilter:" + bits + ":false"},
      {"RocksDB Ribbon, " + bits + " bits", of_size("ribbonfilter:", ":-1", bits_per_key, keys_per_file)},
      {"crivo.Bloom:" + bits, "crivo.Bloom:" + bits},
      {"crivo.Ribbon, " + bits + " bits", of_size("crivo.Ribbon:", ":-1", bits_per_key, keys_per_file)},
  };
}

double real_bits_per_key(const std::string& policy, std::uint64_t keys) {
  std::shared_ptr<const rocksdb::FilterPolicy> made;
  check(rocksdb::FilterPolicy::CreateFromString({}, policy, &made), policy);
  if (made == nullptr) throw std::runtime_error("filter policy must be known to RocksDB, got " + policy);
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.reason = rocksdb::TableFileCreationReason::kCompaction;
  context.level_at_creation = 6;
  const std::unique_ptr<abi::FilterBitsBuilder> builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(made->GetBuilderWithContext(context)));
  if (builder == nullptr) return 0;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const Key key(i);
    builder->AddKey({key.view().data(), key.view().size()});
  }
  std::unique_ptr<const char[]> buffer;
  return 8.0 * static_cast<double>(builder->Finish(&buffer).size()) / static_cast<double>(keys);
}

}  // namespace crivo::bench
