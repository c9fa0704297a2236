// Databases with scan filters, for the tests of scan filters.
#pragma once

#include "crivo/rocksdb_scan.h"
#include "support.h"

namespace crivo::testing {

using Keys = std::vector<std::string>;
using Factory = std::shared_ptr<rocksdb::TablePropertiesCollectorFactory>;

inline Factory scan_collector(const ScanFilterOptions& options) {
  Factory factory;
  const rocksdb::Status made = NewScanFilterCollectorFactory(options, &factory);
  EXPECT_TRUE(made.ok()) << made.ToString();
  return factory;
}

inline rocksdb::Options with_scans(const ScanFilterOptions& scans) {
  rocksdb::Options options = test_options();
  options.table_properties_collector_factories.push_back(scan_collector(scans));
  return options;
}

/// Each call writes one file of level 0.
inline void put_file(rocksdb::DB& db, const Keys& keys, const std::string& value = "v") {
  for (const std::string& key : keys) ASSERT_TRUE(db.Put({}, key, value).ok());
  ASSERT_TRUE(db.Flush({}).ok());
}

inline Keys scan_all(rocksdb::DB& db, const rocksdb::ReadOptions& options) {
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(options));
  Keys keys;
  for (at->SeekToFirst(); at->Valid(); at->Next()) keys.push_back(at->key().ToString());
  EXPECT_TRUE(at->status().ok()) << at->status().ToString();
  return keys;
}

/// All keys in the files that a scan with this filter does not skip.
inline Keys seen(rocksdb::DB& db, const ScanFilter& filter) {
  rocksdb::ReadOptions options;
  EXPECT_TRUE(filter.apply_to(&options).ok());
  return scan_all(db, options);
}

inline std::string customer_of(const rocksdb::Slice& key) {
  const std::string text = key.ToString();
  return text.substr(0, text.find('|'));
}

/// "ada|17" has two attributes: "ada" and the two digits.
inline void register_attributes() {
  static const bool once = [] {
    const auto parts = [](const rocksdb::Slice& key, const ScanValueSink& sink) {
      sink(customer_of(key));
      const std::string text = key.ToString();
      if (text.find('|') != std::string::npos) sink(text.substr(text.find('|') + 1));
    };
    const auto thrower = [](const rocksdb::Slice& key, const ScanValueSink& sink) {
      if (key == "bad") throw std::runtime_error("no attribute of bad");
      sink(key.ToStringView());
    };
    return RegisterScanAttribute("parts", parts).ok() && RegisterScanAttribute("thrower", thrower).ok();
  }();
  ASSERT_TRUE(once);
}

/// The properties of the only file, as a scan reads them.
inline rocksdb::TableProperties properties_of(rocksdb::DB& db) {
  const auto all = table_properties(db);
  EXPECT_EQ(all.size(), 1U);
  return *all.begin()->second;
}

}  // namespace crivo::testing
