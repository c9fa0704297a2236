// database FOLDER: makes a database whose files have Crivo's filters, as in README.md.
#include <crivo/rocksdb.h>
#include <rocksdb/db.h>

#include <cstdio>
#include <memory>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::Status status = crivo::ConfigureRocksDB(options, {.bits_per_key = 10});
  rocksdb::DB* opened = nullptr;
  if (status.ok()) status = rocksdb::DB::Open(options, argv[1], &opened);
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (int key = 0; status.ok() && key < 1000; ++key) status = db->Put({}, "key " + std::to_string(key), "value");
  if (status.ok()) status = db->Flush({});
  std::string value;
  for (int key = 0; status.ok() && key < 1000; ++key) status = db->Get({}, "key " + std::to_string(key), &value);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
