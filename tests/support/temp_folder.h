// A temporary folder per test program, so that no two programs use the same files. It is removed at the end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace crivo::testing {

class TempFolder {
 public:
  TempFolder() {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder at " + path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "crivo_XXXXXX";
};

/// The path of a file in the test program's folder.
inline std::string temp_file(const std::string& name) {
  static const TempFolder folder;
  return folder.file(name);
}

/// Removes a database, its WAL and its journal.
inline void remove_database(const std::string& path) {
  for (const char* end : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + end);
}

/// The path of a new database in the test program's folder. Removes an old database of this name.
inline std::string new_database(const std::string& name) {
  std::string path = temp_file(name);
  remove_database(path);
  return path;
}

}  // namespace crivo::testing
