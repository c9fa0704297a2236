// A RocksDB program without Crivo: `unchanged_program WAY FOLDER` opens a database through one of RocksDB's interfaces,
// and writes and reads keys. It prints the filter policies of its column families, the number of lost keys, and the
// number of reads of absent keys that were saved.
#include <rocksdb/c.h>
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/db_ttl.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/options_util.h>
#include <rocksdb/utilities/transaction_db.h>

#include <cstdarg>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "open_into.h"

namespace {

using rocksdb::ColumnFamilyDescriptor;
using rocksdb::ColumnFamilyHandle;
using rocksdb::Options;
using rocksdb::Status;

constexpr int kKeys = 2000;

/// A comparator that considers different bytes equal.
class IgnoresCase final : public rocksdb::Comparator {
 public:
  [[nodiscard]] const char* Name() const override { return "test.IgnoresCase"; }
  [[nodiscard]] int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override {
    return lower(a).compare(lower(b));
  }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static std::string lower(const rocksdb::Slice& key) {
    std::string text = key.ToString();
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
  }
};

/// A program's own table factory, which wraps RocksDB's.
class Wrapper final : public rocksdb::TableFactory {
 public:
  [[nodiscard]] const char* Name() const override { return "test.Wrapper"; }
  [[nodiscard]] const rocksdb::Customizable* Inner() const override { return inner_.get(); }
  using rocksdb::TableFactory::NewTableReader;
  Status NewTableReader(const rocksdb::ReadOptions& reading, const rocksdb::TableReaderOptions& options,
                        std::unique_ptr<rocksdb::RandomAccessFileReader>&& file, std::uint64_t bytes,
                        std::unique_ptr<rocksdb::TableReader>* reader, bool prefetch) const override {
    return inner_->NewTableReader(reading, options, std::move(file), bytes, reader, prefetch);
  }
  rocksdb::TableBuilder* NewTableBuilder(const rocksdb::TableBuilderOptions& options,
                                         rocksdb::WritableFileWriter* file) const override {
    return inner_->NewTableBuilder(options, file);
  }
  // Newer versions require this function.
  [[nodiscard]] std::unique_ptr<rocksdb::TableFactory> Clone() const { return std::make_unique<Wrapper>(); }

 private:
  std::unique_ptr<rocksdb::TableFactory> inner_{rocksdb::NewBlockBasedTableFactory()};
};

class Silent final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, std::va_list) override {}
};

void require(const Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << '\n';
  std::exit(1);
}

std::string policy_of(const Options& options) {
  const auto* const table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  std::string factory = options.table_factory->Name();
  if (table == nullptr || factory != "BlockBasedTable") return factory;
  return table->filter_policy == nullptr ? "none" : table->filter_policy->GetId();
}

struct Session {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<ColumnFamilyHandle*> families;
};

/// Writes and flushes a file of keys for each family.
void fill(Session& session) {
  for (ColumnFamilyHandle* family : session.families) {
    for (int i = 0; i < kKeys; ++i) require(session.db->Put({}, family, "Key " + std::to_string(2 * i), "v"));
    require(session.db->Flush({}, family));
  }
}

void read(Session& session) {
  for (ColumnFamilyHandle* family : session.families) {
    const Options options = session.db->GetOptions(family);
    const auto useful = [&] { return options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL); };
    const std::uint64_t before = useful();
    int lost = 0;
    std::string value;
    const bool ignores_case = std::string_view(options.comparator->Name()) == "test.IgnoresCase";
    for (int i = 0; i < 2 * kKeys; ++i) {
      const Status got = session.db->Get({}, family, (ignores_case ? "kEY " : "Key ") + std::to_string(i), &value);
      if (got.ok() != (i % 2 == 0)) ++lost;
    }
    std::cout << family->GetName() << ' ' << policy_of(options) << " lost " << lost << " saved reads: "
              << (useful() - before > kKeys * 95 / 100 ? "most"
                  : useful() == before                 ? "none"
                                                       : "some")
              << '\n';
  }
}

void close(Session& session) {
  for (ColumnFamilyHandle* family : session.families) {
    if (family != session.db->DefaultColumnFamily()) require(session.db->DestroyColumnFamilyHandle(family));
  }
  require(session.db->Close());
}

using Families = std::vector<ColumnFamilyDescriptor>;
/// Opens a database, with the default column family or with the given families.
using Opener = std::function<Session(const Options&, const Families&, const std::string&)>;

Session open(const Options& options, const Families& families, const std::string& path) {
  Session session;
  if (families.empty()) {
    require(crivo::plugin::open_into(&session.db, [&](auto* db) { return rocksdb::DB::Open(options, path, db); }));
    session.families = {session.db->DefaultColumnFamily()};
  } else {
    require(crivo::plugin::open_into(
        &session.db, [&](auto* db) { return rocksdb::DB::Open(options, path, families, &session.families, db); }));
  }
  return session;
}

Session read_only(const Options& options, const Families& families, const std::string& path) {
  {
    Session writer = open(options, families, path);
    fill(writer);
    close(writer);
  }
  Session session;
  require(
      crivo::plugin::open_into(&session.db, [&](auto* db) { return rocksdb::DB::OpenForReadOnly(options, path, db); }));
  session.families = {session.db->DefaultColumnFamily()};
  return session;
}

Session secondary(const Options& options, const Families&, const std::string& path) {
  static Session primary = open(options, {}, path);
  fill(primary);
  Session session;
  Options reads = options;
  reads.max_open_files = -1;
  require(crivo::plugin::open_into(
      &session.db, [&](auto* db) { return rocksdb::DB::OpenAsSecondary(reads, path, path + "-second", db); }));
  session.families = {session.db->DefaultColumnFamily()};
  return session;
}

template <class Database, class... Settings>
Session open_as(const Options& options, const std::string& path, const Settings&... settings) {
  Database* opened = nullptr;
  require(Database::Open(options, settings..., path, &opened));
  Session session;
  session.db.reset(opened);
  session.families = {opened->DefaultColumnFamily()};
  return session;
}

Session create_family(const Options& options, const Families&, const std::string& path) {
  Session session = open(options, {}, path);
  session.families.push_back(nullptr);
  require(session.db->CreateColumnFamily(options, "created", &session.families.back()));
  return session;
}

/// Uses the C API, as bindings of most other languages do.
int by_c(const std::string& path) {
  char* error = nullptr;
  rocksdb_options_t* const options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_enable_statistics(options);
  rocksdb_t* const db = rocksdb_open(options, path.c_str(), &error);
  if (db == nullptr) return 1;
  rocksdb_writeoptions_t* const writing = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* const reading = rocksdb_readoptions_create();
  for (int i = 0; i < kKeys; ++i) {
    const std::string key = std::to_string(2 * i);
    rocksdb_put(db, writing, key.data(), key.size(), "v", 1, &error);
  }
  rocksdb_flushoptions_t* const flushing = rocksdb_flushoptions_create();
  rocksdb_flush(db, flushing, &error);
  int lost = 0;
  for (int i = 0; i < 2 * kKeys; ++i) {
    const std::string key = std::to_string(i);
    std::size_t bytes = 0;
    char* const value = rocksdb_get(db, reading, key.data(), key.size(), &bytes, &error);
    if ((value != nullptr) != (i % 2 == 0)) ++lost;
    std::free(value);
  }
  const std::string statistics = rocksdb_options_statistics_get_string(options);
  const std::size_t at = statistics.find("rocksdb.bloom.filter.useful COUNT : ");
  std::cout << "default lost " << lost << " saved reads: " << (std::atoi(&statistics[at + 36]) > 1900 ? "most" : "none")
            << '\n';
  rocksdb_close(db);
  return error == nullptr ? 0 : 1;
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1];
  const std::string path = arguments[2];
  if (way == "c") return by_c(path);
  static const IgnoresCase ignores_case;
  Options options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.statistics = rocksdb::CreateDBStatistics();
  rocksdb::BlockBasedTableOptions table;
  Families families;
  if (way == "builtin") table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  if (way == "builtin_none") table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(0.4));
  if (way == "builtin_prefixes") {
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
  }
  if (way == "prefixes") {
    options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(7));
    table.whole_key_filtering = false;
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  if (way == "families") {  // the second family has another comparator and the same table factory
    families = {{rocksdb::kDefaultColumnFamilyName, options}, {"texts", options}};
    families.back().options.comparator = &ignores_case;
  }
  if (way == "wrapped") options.table_factory = std::make_shared<Wrapper>();
  if (way == "dump") {
    Silent log;
    options.Dump(&log);
    static_cast<const rocksdb::ColumnFamilyOptions&>(options).Dump(&log);
  }
  if (way == "elsewhere") std::filesystem::current_path("/");
  if (way == "strict") {
    rocksdb::ConfigOptions config;
    config.ignore_unsupported_options = false;
    rocksdb::DBOptions database;
    require(rocksdb::LoadLatestOptions(config, path, &database, &families));
  }
  if (way == "defaults") options.table_factory = Options().table_factory;
  const std::map<std::string, Opener> ways = {
      {"create", create_family},
      {"read_only", read_only},
      {"secondary", secondary},
      {"transactions",
       [](const Options& given, const Families&, const std::string& at) {
         return open_as<rocksdb::TransactionDB>(given, at, rocksdb::TransactionDBOptions());
       }},
      {"optimistic", [](const Options& given, const Families&,
                        const std::string& at) { return open_as<rocksdb::OptimisticTransactionDB>(given, at); }},
      {"ttl", [](const Options& given, const Families&,
                 const std::string& at) { return open_as<rocksdb::DBWithTTL>(given, at); }},
  };
  const auto found = ways.find(way);
  Session session = (found != ways.end() ? found->second : open)(options, families, path);
  if (way != "read_only" && way != "secondary") fill(session);
  read(session);
  close(session);
}
