// Shared by the tests of crivo-sst: databases of several files, and checks of their contents.
#pragma once

#include <rocksdb/comparator.h>

#include <map>

#include "../tool/shell.h"
#include "support.h"

namespace crivo::testing {

/// Options with which a database of a few ten thousand keys has many files.
[[nodiscard]] rocksdb::Options many_files(const Policy& policy, bool partitioned = false);

/// A database with the keys 0 to keys - 1 in many files of its last level, and some files in level 0. Level 0
/// overwrites the keys 0, 10, 20, ..., and deletes the keys 5, 15, 25, ...
void write_database(const rocksdb::Options& options, const std::string& path, std::uint64_t keys);

/// Fails the test unless the database has exactly what write_database wrote.
void expect_all_there(const rocksdb::Options& options, const std::string& path, std::uint64_t keys);

/// The names of all files in a folder with their sizes.
[[nodiscard]] std::map<std::string, std::uintmax_t> listing(const std::string& path);

/// A comparator that no other program knows.
class OwnOrder final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "my.OwnOrder"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override { return b.compare(a); }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

/// Tests whose database is `db` in the scratch folder.
class SstToolTest : public ToolTest {
 protected:
  [[nodiscard]] std::string db() const { return path("db").string(); }
};

}  // namespace crivo::testing
