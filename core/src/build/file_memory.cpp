#include "build/file_memory.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace crivo {

Result<FileMemory::Handle> FileMemory::make(const std::string& folder, std::size_t bytes) {
  Result<TemporaryFile> file = TemporaryFile::make(folder);
  if (!file) return file.error();
  if (auto reserved = file->reserve(bytes); !reserved) return reserved.error();
  return Handle(new FileMemory(*std::move(file), bytes));
}

void FileMemory::release() noexcept {
  if (--users_ == 0) delete this;
}

void* FileMemory::do_allocate(std::size_t bytes, std::size_t) {  // page alignment suffices for a payload
  const bool in_file = bytes <= bytes_;
  const int flags = in_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, in_file ? file_.descriptor() : -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (in_file) bytes_ = 0;
  ++users_;
  return memory;
}

void FileMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t) {
  ::munmap(memory, bytes);
  release();
}

}  // namespace crivo
