#include "unsynced.h"

#include <rocksdb/file_system.h>

#include <memory>
#include <utility>

namespace crivo::testing {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class UnsyncedFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
};

class UnsyncedFolder final : public rocksdb::FSDirectoryWrapper {
 public:
  using FSDirectoryWrapper::FSDirectoryWrapper;
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return IOStatus::OK(); }
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*, const rocksdb::DirFsyncOptions&) override {
    return IOStatus::OK();
  }
};

class UnsyncedFiles final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  [[nodiscard]] const char* Name() const override { return "crivo.UnsyncedFiles"; }

  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSWritableFile> made;
    IOStatus status = target()->NewWritableFile(path, options, &made, debug);
    if (status.ok()) *file = std::make_unique<UnsyncedFile>(std::move(made));
    return status;
  }

  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* folder, IODebugContext* debug) override {
    std::unique_ptr<rocksdb::FSDirectory> made;
    IOStatus status = target()->NewDirectory(path, options, &made, debug);
    if (status.ok()) *folder = std::make_unique<UnsyncedFolder>(std::move(made));
    return status;
  }
};

}  // namespace

rocksdb::Env* unsynced_env() {
  static rocksdb::Env* const env =
      rocksdb::NewCompositeEnv(std::make_shared<UnsyncedFiles>(rocksdb::FileSystem::Default())).release();
  return env;
}

}  // namespace crivo::testing
