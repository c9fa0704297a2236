// Writes keys until it is killed: rocksdb_crash_writer DB TABLE COUNTER. TABLE is an option string of the block-based
// table ("filter_policy=crivo.Auto"). COUNTER is a mapped file of eight bytes: the number of acknowledged keys. It is
// incremented after Put returns.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "support.h"

namespace crivo::testing {
namespace {

std::atomic<std::uint64_t>& map_counter(const char* path) {
  const int file = open(path, O_RDWR);
  void* const memory = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file < 0 || memory == MAP_FAILED) throw std::runtime_error("no counter");
  return *static_cast<std::atomic<std::uint64_t>*>(memory);
}

[[noreturn]] void write_until_killed(const std::string& path, const std::string& table, const char* counter_path) {
  auto& counter = map_counter(counter_path);
  rocksdb::Options options = with_table(test_options(), table_from_string(table));
  options.disable_auto_compactions = false;
  options.write_buffer_size = 64 << 10;  // the minimum: a flush every few hundred keys
  options.level0_file_num_compaction_trigger = 4;
  options.target_file_size_base = 512 << 10;
  const auto db = open_database(options, path);
  for (;;) {
    const std::string key = key_of(counter);
    if (!db->Put({}, key, key + std::string(32, 'v')).ok()) throw std::runtime_error("Put");
    ++counter;
  }
}

}  // namespace
}  // namespace crivo::testing

int main(int argc, char** argv) try {
  if (argc != 4) return 2;
  crivo::testing::write_until_killed(argv[1], argv[2], argv[3]);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
