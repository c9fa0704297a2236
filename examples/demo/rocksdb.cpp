// demo_rocksdb WORDS FOLDER: stores the words in three column families of one database, with RocksDB's own Bloom filter
// and two filters of Crivo. Then looks up every word, and about as many misspellings, in each family. Leaves
// FOLDER/misspelt for the other parts.
#include "crivo/rocksdb.h"

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "crivo/filter.h"
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

/// The measurements of one column family.
struct Figures {
  double filter_bytes = 0;
  double keys = 0;
  std::uint64_t found = 0;
  std::uint64_t filter_lookups = 0;  // lookups of misspellings that queried a filter
  std::uint64_t reads_avoided = 0;
  double nanoseconds = 0;  // the time of all lookups of misspellings

  [[nodiscard]] double rate() const {
    return static_cast<double>(filter_lookups - reads_avoided) / static_cast<double>(filter_lookups);
  }
  /// The promised rate for all three filters: that of Crivo's blocked filter with as many bits per key.
  [[nodiscard]] double promised_rate() const {
    return crivo::AnyFilter::create({.capacity = static_cast<std::uint64_t>(keys), .bits_per_key = kBitsPerKey})
        ->facts()
        .fp_rate;
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
      table.no_block_cache = true;  // so that each false positive reads a file
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
    const auto begin = std::chrono::steady_clock::now();
    if (count_found(family, misspelt) > 0) require(rocksdb::Status::Corruption("invented a key"));
    figures.nanoseconds = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
    figures.reads_avoided = statistics_->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
    figures.filter_lookups = figures.reads_avoided + statistics_->getTickerCount(rocksdb::BLOOM_FILTER_FULL_POSITIVE);
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

/// By chance, a correct filter's measured rate exceeds this in one of a million runs: 4.75 standard deviations.
double highest_by_chance(const Figures& figures) {
  const double rate = figures.promised_rate();
  return rate + 4.75 * std::sqrt(rate * (1 - rate) / static_cast<double>(figures.filter_lookups));
}

/// Prints one row of the report: the text that `value` gives for each column.
template <class Value>
void print_row(const char* label, const std::vector<Figures>& columns, Value value) {
  constexpr int kWidths[] = {17, 16, 19};
  std::printf("  %-24s", label);
  for (std::size_t i = 0; i < columns.size(); ++i) std::printf("%*s", kWidths[i], value(columns[i]).c_str());
  std::puts("");
}

std::string decimal(const char* format, double number) {
  char text[32];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

void print_report(const std::vector<Figures>& all, std::size_t words, std::size_t misspelt) {
  std::printf("RocksDB %s: %s words, then %s misspellings looked up\n\n", rocksdb::GetRocksVersionAsString().c_str(),
              grouped(words).c_str(), grouped(misspelt).c_str());
  std::printf("  %-24s%17s%16s%19s\n", "", "RocksDB Bloom:10", "crivo.Bloom:10", "crivo.Ribbon:10:-1");
  print_row("filter bits per key", all, [](const auto& f) { return decimal("%.2f", 8 * f.filter_bytes / f.keys); });
  print_row("words found", all, [](const auto& f) { return grouped(f.found); });
  print_row("misspellings checked", all, [](const auto& f) { return grouped(f.filter_lookups); });
  print_row("  disk reads avoided", all, [](const auto& f) { return grouped(f.reads_avoided); });
  print_row("  false positives", all, [](const auto& f) { return grouped(f.filter_lookups - f.reads_avoided); });
  print_row("false-positive rate", all, [](const auto& f) { return decimal("%.3f%%", 100 * f.rate()); });
  print_row("  promised", all, [](const auto& f) { return decimal("%.3f%%", 100 * f.promised_rate()); });
  print_row("  highest by chance", all, [](const auto& f) { return decimal("%.3f%%", 100 * highest_by_chance(f)); });
  print_row("ns per misspelling", all,
            [&](const auto& f) { return decimal("%.0f", f.nanoseconds / static_cast<double>(misspelt)); });
  std::puts("\n  Debian's librocksdb has assertions, and takes less time without them.\n");
}

bool keeps_promise(const Figures& figures, std::size_t words) {
  return figures.found == words && figures.reads_avoided > 0 && figures.rate() <= highest_by_chance(figures);
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
      {"bloom", crivo::NewRocksDBFilterPolicy({.bits_per_key = kBitsPerKey, .kind = crivo::Kind::kBlocked})},
      // With the default bloom_before_level, a flush would write a Bloom filter, and all words are in the file of one
      // flush.
      {"ribbon", crivo::NewRocksDBFilterPolicy(
                     {.bits_per_key = kBitsPerKey, .kind = crivo::Kind::kRibbon, .bloom_before_level = -1})}};
  Demo demo(folder + "/rocksdb", families);
  for (const Family& family : families) demo.load(family, words);
  std::vector<Figures> all;
  for (const Family& family : families) all.push_back(demo.look_up(family, words, misspelt));
  print_report(all, words.size(), misspelt.size());
  if (keeps_promise(all[1], words.size()) && keeps_promise(all[2], words.size())) return 0;
  std::fputs("demo: crivo's filters must find every word and keep their rate, got the figures above\n", stderr);
  return 1;
}
