// golden_writer <folder>: writes the golden and hostile files that are missing from <folder>/blobs, <folder>/hostile
// and <folder>/sketches.
//
// It never overwrites a file, because the meaning of released bytes must not change. To add a kind, build it, run
// `golden_writer tests/golden`, and commit the new files. To replace a file of an unreleased format, delete it first.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "golden_set.h"
#include "hostile_set.h"

namespace crivo::testing {
namespace {

/// Returns false on an error. An existing file is not an error.
bool write_new(const std::filesystem::path& path, const Bytes& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wbx");  // x: fails if the file exists
  if (file == nullptr) {
    if (errno == EEXIST) return true;
    std::fprintf(stderr, "golden_writer: %s: %s\n", path.c_str(), std::strerror(errno));
    return false;
  }
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) != 0 || !written) {
    std::fprintf(stderr, "golden_writer: %s: not written\n", path.c_str());
    return false;
  }
  std::printf("wrote %s, %zu bytes\n", path.c_str(), bytes.size());
  return true;
}

bool write_missing(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "blobs");
  std::filesystem::create_directories(folder / "hostile");
  std::filesystem::create_directories(folder / "sketches");
  bool all = true;
  for (const GoldenFile& file : golden_files()) {
    const auto path = folder / "blobs" / file.name;
    if (!std::filesystem::exists(path)) all = write_new(path, golden_bytes(file)) && all;
  }
  for (const GoldenSketch& sketch : golden_sketches()) {
    all = write_new(folder / "sketches" / sketch.name, golden_bytes(sketch)) && all;
  }
  for (const HostileFile& file : hostile_files()) all = write_new(folder / "hostile" / file.name, file.bytes) && all;
  return all;
}

}  // namespace
}  // namespace crivo::testing

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: golden_writer <folder>\n");
    return 2;
  }
  return crivo::testing::write_missing(argv[1]) ? 0 : 1;
}
