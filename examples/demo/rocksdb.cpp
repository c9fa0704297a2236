// demo_rocksdb WORDS FOLDER: the words in two column families of one database, one with RocksDB's own Bloom filter and
// one with Crivo's; then every word, and as many misspellings, looked up in both. Leaves FOLDER/misspelt for the other
// parts.
#include "crivo/rocksdb.h"

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "crivo/sizing.h"
#include "words.h"

namespace {

constexpr double kBitsPerKey = 10;

void require(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "demo: %s\n", status.ToString().c_str());
  std::exit(2);
}

struct Family {
  const char* name;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
};

/// What one column family did.
struct Figures {
  double filter_bytes = 0;
  double keys = 0;
  std::uint64_t found = 0;
  std::uint64_t asked_filter = 0;  // lookups of misspellings that came to a filter
  std::uint64_t reads_avoided = 0;
  std::uint64_t reads = 0;  // blocks read from files, all in vain

  [[nodiscard]] double rate() const {
    return static_cast<double>(asked_filter - reads_avoided) / static_cast<double>(asked_filter);
  }
  /// Both filters keep a key in one block of 512 bits, and take the k that is best for 10 bits per key.
  [[nodiscard]] double model_rate() const {
    return crivo::blocked_fp_rate(std::floor(filter_bytes / 64), keys, crivo::best_blocked_probes(kBitsPerKey));
  }
};

class Demo {
 public:
  Demo(const std::string& folder, std::vector<Family>& families) : statistics_(rocksdb::CreateDBStatistics()) {
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.statistics = statistics_;
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors = {{rocksdb::kDefaultColumnFamilyName, {}}};
    for (const Family& family : families) {
      rocksdb::BlockBasedTableOptions table;
      table.filter_policy = family.policy;
      table.no_block_cache = true;  // so that each read of a block is counted
      rocksdb::ColumnFamilyOptions column_family;
      column_family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
      descriptors.emplace_back(family.name, column_family);
    }
    rocksdb::DB* db = nullptr;
    require(rocksdb::DB::Open(options, folder, descriptors, &handles_, &db));
    db_.reset(db);
    for (std::size_t i = 0; i < families.size(); ++i) families[i].handle = handles_[i + 1];
  }
  Demo(const Demo&) = delete;
  Demo& operator=(const Demo&) = delete;
  ~Demo() {
    for (auto* handle : handles_) require(db_->DestroyColumnFamilyHandle(handle));
  }

  void load(const Family& family, const std::vector<std::string>& words) {
    rocksdb::WriteOptions unlogged;
    unlogged.disableWAL = true;
    for (std::size_t i = 0; i < words.size(); ++i) {
      require(db_->Put(unlogged, family.handle, words[i], std::to_string(i + 1)));
    }
    require(db_->Flush({}, family.handle));
    require(db_->CompactRange({}, family.handle, nullptr, nullptr));
  }

  Figures look_up(const Family& family, const std::vector<std::string>& words,
                  const std::vector<std::string>& misspelt) {
    Figures figures;
    rocksdb::TablePropertiesCollection tables;
    require(db_->GetPropertiesOfAllTables(family.handle, &tables));
    for (const auto& [file, properties] : tables) {
      figures.filter_bytes += static_cast<double>(properties->filter_size);
      figures.keys += static_cast<double>(properties->num_filter_entries);
    }
    figures.found = count_found(family, words);

    require(statistics_->Reset());
    rocksdb::SetPerfLevel(rocksdb::kEnableCount);
    rocksdb::get_perf_context()->Reset();
    if (const auto wrong = count_found(family, misspelt); wrong > 0)
      require(rocksdb::Status::Corruption("invented a key"));
    figures.reads = rocksdb::get_perf_context()->block_read_count;
    figures.reads_avoided = statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
    figures.asked_filter = figures.reads_avoided + statistics_->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
    return figures;
  }

 private:
  std::uint64_t count_found(const Family& family, const std::vector<std::string>& keys) {
    std::uint64_t found = 0;
    rocksdb::PinnableSlice value;
    for (const std::string& key : keys) {
      const rocksdb::Status status = db_->Get({}, family.handle, key, &value);
      if (!status.IsNotFound()) require(status);
      found += status.ok() ? 1 : 0;
      value.Reset();
    }
    return found;
  }

  std::shared_ptr<rocksdb::Statistics> statistics_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

void print_row(const char* label, const char* format, auto... values) {
  std::printf("  %-34s", label);
  (std::printf(format, values), ...);
  std::puts("");
}

void print_report(const Figures& builtin, const Figures& crivo, std::size_t words, std::size_t misspelt) {
  const auto count = [](std::uint64_t number) { return grouped(number); };
  const auto number_row = [&](const char* label, std::uint64_t first, std::uint64_t second) {
    print_row(label, "%18s", count(first).c_str(), count(second).c_str());
  };
  std::printf("RocksDB %s: %s words in each of two column families, then %s misspellings looked up\n\n",
              rocksdb::GetRocksVersionAsString().c_str(), count(words).c_str(), count(misspelt).c_str());
  print_row("", "%18s", "built-in Bloom:10", "crivo.Bloom:10");
  print_row("filter bytes per key", "%18.3f", builtin.filter_bytes / builtin.keys, crivo.filter_bytes / crivo.keys);
  number_row("words found", builtin.found, crivo.found);
  number_row("misspellings that met the filter", builtin.asked_filter, crivo.asked_filter);
  number_row("  disk reads avoided", builtin.reads_avoided, crivo.reads_avoided);
  number_row("  disk reads in vain", builtin.reads, crivo.reads);
  print_row("false-positive rate, measured", "%17.3f%%", 100 * builtin.rate(), 100 * crivo.rate());
  print_row("  promised by the model", "%17.3f%%", 100 * builtin.model_rate(), 100 * crivo.model_rate());
  std::puts("");
}

/// A correct filter exceeds its rate by more than 4.75 standard deviations once in a million runs.
bool keeps_promise(const Figures& figures, std::size_t words) {
  const double asked = static_cast<double>(figures.asked_filter);
  const double rate = figures.model_rate();
  return figures.found == words && figures.reads_avoided > 0 &&
         figures.rate() * asked <= asked * rate + 4.75 * std::sqrt(asked * rate * (1 - rate));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: demo_rocksdb WORDS FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = argv[2];
  const std::vector<std::string> words = read_words(argv[1]);
  const std::vector<std::string> misspelt = misspell(words);
  std::ofstream misspelt_file(folder + "/misspelt");
  for (const std::string& word : misspelt) misspelt_file << word << '\n';

  std::vector<Family> families = {
      {"builtin", std::shared_ptr<const rocksdb::FilterPolicy>(rocksdb::NewBloomFilterPolicy(kBitsPerKey))},
      {"crivo", crivo::NewRocksDBFilterPolicy({.bits_per_key = kBitsPerKey})}};
  Demo demo(folder + "/rocksdb", families);
  for (const Family& family : families) demo.load(family, words);
  const Figures builtin = demo.look_up(families[0], words, misspelt);
  const Figures crivo = demo.look_up(families[1], words, misspelt);
  print_report(builtin, crivo, words.size(), misspelt.size());
  if (keeps_promise(crivo, words.size())) return 0;
  std::fputs("demo: crivo.Bloom:10 must find every word and keep its rate, got the figures above\n", stderr);
  return 1;
}
