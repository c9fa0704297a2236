// Steps of a walk that make other files: ingestion, secondary and read-only instances, checkpoints, backups.
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/utilities/backup_engine.h>
#include <rocksdb/utilities/checkpoint.h>

#include "model_walk.h"

namespace crivo::testing::model {
namespace {

/// Keeps all files of the database until it is destroyed, because a second instance opens them one after the other.
class KeepFiles {
 public:
  explicit KeepFiles(rocksdb::DB& db) : db_(db) { check(db_.DisableFileDeletions(), "DisableFileDeletions"); }
  ~KeepFiles() { (void)db_.EnableFileDeletions(); }
  KeepFiles(const KeepFiles&) = delete;

 private:
  rocksdb::DB& db_;
};

}  // namespace

void ingest_files(Walk& walk) {
#if CRIVO_ROCKSDB_VERSION >= 800
  // RocksDB 9.10 would end the process with an assertion.
  if (walk.nature().timestamps && walk.nature().compaction == rocksdb::kCompactionStyleFIFO) {
    throw NotSupported("ingestion with timestamps into level 0");
  }
#endif
  const std::size_t family = walk.draw_family();
  rocksdb::SstFileWriter writer({}, walk.options_of(family), walk.handle(family));
  const std::string file = walk.scratch("ingested");
  Contents added(Order{walk.nature().comparator});
  for (std::size_t i = 1 + walk.random().below(300); i > 0; --i) {
    const std::string key = key_text(walk.random().below(kKeys));
    added[spelled(key, *walk.nature().comparator, walk.random())] = walk.new_value();
  }
  const std::string timestamp = walk.new_timestamp().ToString();
  check(writer.Open(file), "SstFileWriter::Open");
  for (const auto& [key, value] : added) {
    check(walk.nature().timestamps ? writer.Put(key, timestamp, value) : writer.Put(key, value), "SstFileWriter::Put");
  }
  check(writer.Finish(), "SstFileWriter::Finish");
  rocksdb::IngestExternalFileOptions options;
  options.move_files = walk.random().percent(50);
  const rocksdb::Status ingested = walk.db().IngestExternalFile(walk.handle(family), {file}, options);
  // RocksDB 9.10 rejects files whose keys overlap those of a database with timestamps.
  if (walk.nature().timestamps && ingested.IsInvalidArgument()) throw NotSupported("ingestion among timestamps");
  check(ingested, "IngestExternalFile");
  for (const auto& [key, value] : added) walk.contents(family)[key] = value;
}

// After the drop of a column family, RocksDB 7.8's secondary instances read freed memory, and lose writes that are only
// in the log, both without any filter.
void ask_secondary_instance(Walk& walk) {
  if (walk.has_dropped_family()) throw NotSupported("a secondary instance of a database with a dropped family");
  for (std::size_t i = 0; i < walk.model().size(); ++i) check(walk.db().Flush({}, walk.handle(i)), "Flush");
  rocksdb::DBOptions options = walk.session().database;
  options.max_open_files = -1;  // a secondary instance requires this
  options.statistics.reset();
  const KeepFiles keep(walk.db());
  Opened secondary;
  const auto status = open_into(&secondary.db, [&](auto* out) {
    return rocksdb::DB::OpenAsSecondary(options, walk.path(), walk.scratch("secondary"), walk.descriptors(),
                                        &secondary.families, out);
  });
  check(status, "OpenAsSecondary");
  for (int i = 0; i < 3; ++i) read_somehow(walk.reading_of(secondary));
  (void)walk.new_timestamp();
  auto batch = walk.new_batch();
  const std::string key = spelled(key_text(walk.random().below(kKeys)), *walk.nature().comparator, walk.random());
  const std::string value = walk.new_value();
  walk.put(batch, 0, key, value);
  check(walk.db().Write({}, &batch), "Write");
  walk.contents(0)[key] = value;
  check(walk.db().Flush({}, walk.handle(0)), "Flush");
  check(secondary.db->TryCatchUpWithPrimary(), "TryCatchUpWithPrimary");
  for (int i = 0; i < 3; ++i) read_somehow(walk.reading_of(secondary));
}

void ask_read_only_instance(Walk& walk) {
  const KeepFiles keep(walk.db());
  Opened reader;
  const auto status = open_into(&reader.db, [&](auto* out) {
    return rocksdb::DB::OpenForReadOnly(walk.session().database, walk.path(), walk.descriptors(), &reader.families,
                                        out);
  });
  check(status, "OpenForReadOnly");
  for (int i = 0; i < 3; ++i) read_somehow(walk.reading_of(reader));
}

void ask_checkpoint(Walk& walk) {
  rocksdb::Checkpoint* made = nullptr;
  check(rocksdb::Checkpoint::Create(&walk.db(), &made), "Checkpoint::Create");
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  const std::string path = walk.scratch("checkpoint");
  check(checkpoint->CreateCheckpoint(path), "CreateCheckpoint");
  const Opened copy = open_copy(walk, path);
  read_everything(walk.reading_of(copy));
}

void ask_backup(Walk& walk) {
  // RocksDB 7.8 looks up the comparator by the name in the file, and knows only its own comparators.
  if (walk.nature().ignores_case) throw NotSupported("a backup with a custom comparator");
  rocksdb::BackupEngine* made = nullptr;
  rocksdb::BackupEngineOptions options(walk.scratch("backup"));
  options.sync = false;
  check(rocksdb::BackupEngine::Open(options, walk.session().database.env, &made), "BackupEngine::Open");
  const std::unique_ptr<rocksdb::BackupEngine> engine(made);
  check(engine->CreateNewBackup(&walk.db(), /*flush_before_backup=*/walk.random().percent(50)), "CreateNewBackup");
  const std::string path = walk.scratch("restored");
  check(engine->RestoreDBFromLatestBackup(path, path), "RestoreDBFromLatestBackup");
  const Opened copy = open_copy(walk, path);
  read_everything(walk.reading_of(copy));
}

}  // namespace crivo::testing::model
