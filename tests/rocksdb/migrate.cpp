// One opening of a database that goes from release to release: rocksdb_migrate DB KEYS ADDED COMPACTION [OPTIONS].
// COMPACTION is none, lower, upper or all; OPTIONS is an option string, and without it the OPTIONS file holds. Prints
// one line, and fails if a key is lost. tests/rocksdb/migrate_releases calls it.
#include <rocksdb/version.h>

#include <cstdio>
#include <exception>
#include <map>

#include "migration.h"

int main(int argc, char** argv) try {
  using crivo::testing::Compaction;
  const std::map<std::string, Compaction> compactions = {{"none", Compaction::kNone},
                                                         {"lower", Compaction::kLowerHalf},
                                                         {"upper", Compaction::kUpperHalf},
                                                         {"all", Compaction::kAll}};
  if (argc < 5 || argc > 6) return 2;
  const auto visited = crivo::testing::visit(
      argv[1], {argc > 5 ? argv[5] : "", std::stoull(argv[2]), std::stoull(argv[3]), compactions.at(argv[4])});
  std::printf("RocksDB %s, %s: %llu keys lost, %llu times no to %llu absent keys, %llu of %llu files have Crivo's\n",
              rocksdb::GetRocksVersionAsString().c_str(), visited.policy.c_str(),
              static_cast<unsigned long long>(visited.lost), static_cast<unsigned long long>(visited.useful),
              static_cast<unsigned long long>(visited.absent), static_cast<unsigned long long>(visited.with_ours),
              static_cast<unsigned long long>(visited.files));
  return visited.lost == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
