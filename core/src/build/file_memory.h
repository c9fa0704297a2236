// Memory that is mapped to a temporary file, so that the system can write the pages to the file under memory pressure.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <string>

#include "crivo/host/temporary_file.h"
#include "crivo/result.h"

namespace crivo {

/// Allocates zeroed memory. The object lives until its handle and all its allocations are freed, so a filter whose
/// payload is in the file can outlive its builder.
class FileMemory final : public std::pmr::memory_resource {
 public:
  struct Release {
    void operator()(FileMemory* memory) const noexcept { memory->release(); }
  };
  using Handle = std::unique_ptr<FileMemory, Release>;

  /// Creates a file in `folder`, and reserves `bytes` of disk space for it. The first allocation of at most `bytes`
  /// bytes is in the file; all others are anonymous memory. Errors: kSystem.
  [[nodiscard]] static Result<Handle> make(const std::string& folder, std::size_t bytes);

 private:
  FileMemory(TemporaryFile file, std::size_t bytes) : file_(std::move(file)), bytes_(bytes) {}
  ~FileMemory() override = default;
  void release() noexcept;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  TemporaryFile file_;
  std::size_t bytes_;  // the file's size; 0 after the allocation in the file
  std::atomic<std::size_t> users_ = 1;
};

}  // namespace crivo
