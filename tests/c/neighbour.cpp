// A C++ program that loads libcrivo.so together with conflicting code: its own C++ library, with exceptions in flight
// while libcrivo throws and catches others; its own allocator; and a zstd that ends the process. The library has its
// own C++ runtime and zstd, and must not call the program's code.
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "crivo.h"

namespace {

bool in_crivo = false;

[[noreturn]] void reached(const char* what) {
  std::fprintf(stderr, "libcrivo.so must use its own %s\n", what);
  std::abort();
}

void require(bool promise, const char* text) {
  if (promise) return;
  std::fprintf(stderr, "broken promise: %s\n", text);
  std::exit(1);
}

/// Calls a function of the library, which must not call code of this program.
template <class Call>
auto crivo(Call&& call) {
  in_crivo = true;
  const auto result = call();
  in_crivo = false;
  return result;
}

crivo_filter* build(const std::string& bytes) {
  crivo_options options{};
  options.size = sizeof options;
  options.kind = "ribbon";
  options.threads = 2;
  const crivo_keys keys{bytes.data(), bytes.size(), nullptr, 8, bytes.size() / 8};
  crivo_filter* filter = nullptr;
  require(crivo([&] { return crivo_build(&options, &keys, &filter, nullptr); }) == CRIVO_OK, "a filter is built");
  return filter;
}

/// The library throws and catches std::bad_alloc, because this filter exceeds the memory that main() left.
void let_crivo_throw() {
  crivo_options options{};
  options.size = sizeof options;
  options.capacity = std::uint64_t{1} << 34;
  options.kind = "counting";
  crivo_filter* filter = nullptr;
  require(crivo([&] { return crivo_create(&options, &filter, nullptr); }) == CRIVO_NO_MEMORY, "memory has an end");
}

void throw_around_it() {
  for (int i = 0; i < 100; ++i) {
    try {
      throw std::runtime_error("mine");
    } catch (const std::exception& mine) {
      let_crivo_throw();
      require(std::string(mine.what()) == "mine", "an exception in flight stays what it was");
      try {
        throw std::bad_alloc();
      } catch (const std::bad_alloc&) {
        require(std::uncaught_exceptions() == 0, "no exception of the library is left over");
      }
    }
  }
}

}  // namespace

void* operator new(std::size_t size) {
  if (in_crivo) reached("operator new");
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  if (in_crivo) reached("operator delete");
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

extern "C" {
std::size_t ZSTD_compress(void*, std::size_t, const void*, std::size_t, int) { reached("ZSTD_compress"); }
std::size_t ZSTD_compressStream2(void*, void*, void*, int) { reached("ZSTD_compressStream2"); }
std::size_t ZSTD_compressBound(std::size_t) { reached("ZSTD_compressBound"); }
std::size_t ZSTD_decompressDCtx(void*, void*, std::size_t, const void*, std::size_t) { reached("ZSTD_decompressDCtx"); }
std::size_t ZSTD_decompressStream(void*, void*, void*) { reached("ZSTD_decompressStream"); }
void* ZSTD_createCCtx() { reached("ZSTD_createCCtx"); }
void* ZSTD_createDCtx() { reached("ZSTD_createDCtx"); }
unsigned ZSTD_isError(std::size_t) { reached("ZSTD_isError"); }
}

int main() {
  const rlimit four_gigabytes{std::uint64_t{4} << 30, std::uint64_t{4} << 30};
  require(setrlimit(RLIMIT_AS, &four_gigabytes) == 0, "memory can be limited");
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += std::to_string(10'000'000 + i);
  throw_around_it();
  crivo_filter* filter = build(bytes);
  std::vector<std::uint8_t> blob(crivo_blob_bound(filter));
  for (const std::int32_t form : {CRIVO_FORM_RAW, CRIVO_FORM_SMALLEST}) {
    std::uint64_t written = 0;
    require(
        crivo([&] { return crivo_write(filter, form, 0, blob.data(), blob.size(), &written, nullptr); }) == CRIVO_OK,
        "a filter is written");
    crivo_filter* again = nullptr;
    require(crivo([&] { return crivo_read(blob.data(), written, nullptr, &again, nullptr); }) == CRIVO_OK,
            "a filter is read");
    require(crivo_contains(again, "10000000", 8, nullptr) == 1, "a key that was added is found");
    crivo_free(again);
  }
  crivo_free(filter);
  throw_around_it();
  std::puts("no clash");
}
