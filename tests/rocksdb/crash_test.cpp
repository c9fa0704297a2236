// Kills a writing program with SIGKILL repeatedly, with changing policies, and expects every acknowledged key.
#include <array>
#include <cstring>
#include <iostream>
#include <random>

#include "killed_program.h"
#include "support.h"

namespace crivo::testing {
namespace {

std::uint64_t read_counter(const std::string& path) {
  std::uint64_t count = 0;
  const std::string bytes = read_bytes(path);
  std::memcpy(&count, bytes.data(), sizeof count);
  return count;
}

class Crashes {
 public:
  Crashes() { write_bytes(counter_, std::string(8, '\0')); }

  void kill_one(const char* table) {
    const pid_t writer = start_program({CRASH_WRITER, database_, table, counter_});
    ASSERT_GT(writer, 0);
    wait_for_progress();
    kill_program(writer);
  }

  /// Looks up the newest keys one by one, and some older keys in batches, or all keys if `thorough`.
  void expect_no_key_lost(const char* table, bool thorough) {
    const rocksdb::Options options = with_table(options_, table_from_string(table));
    std::unique_ptr<rocksdb::DB> db;
    const rocksdb::Status opened =
        open_into(&db, [&](auto* out) { return rocksdb::DB::OpenForReadOnly(options, database_, out); });
    if (acknowledged() == 0 && !opened.ok()) return;  // killed before the database existed
    ASSERT_TRUE(opened.ok()) << opened.ToString();
    const std::uint64_t newest = thorough || acknowledged() < 2000 ? 0 : acknowledged() - 2000;
    ASSERT_EQ(count_not_found(*db, newest, acknowledged()), 0U);
    if (newest == 0) return;
    const std::uint64_t first = random_() % newest;
    ASSERT_EQ(count_not_found(*db, first, std::min(first + 1000, newest)), 0U);
    ASSERT_EQ(count_not_found_by_multiget(*db, first, std::min(first + 2000, newest)), 0U);
    (void)count_not_found(*db, acknowledged() + 1'000'000'000, acknowledged() + 1'000'000'100);
  }

  /// Waits until the moment to kill: usually during writes, and sometimes during recovery.
  void wait_for_progress() {
    constexpr int kHangMs = 3'600'000;
    const std::uint64_t enough = acknowledged() + 200;
    const bool while_opening = random_() % 8 == 0;
    for (int waited = 0; !while_opening && acknowledged() < enough && waited < kHangMs; ++waited) sleep_us(1000);
    sleep_us(random_() % 100 * 1000);
  }

  [[nodiscard]] std::uint64_t acknowledged() const { return read_counter(counter_); }
  [[nodiscard]] const rocksdb::Options& options() const { return options_; }

 private:
  TempFolder folder_;
  std::string database_ = folder_.file("db");
  std::string counter_ = folder_.file("counter");
  rocksdb::Options options_ = test_options();
  std::mt19937_64 random_{4};
};

// Crivo's policies write in two of three rounds, and RocksDB's own in the third. By default, crivo.Ribbon and
// crivo.Auto flush blocked filters, so a database has filters of all kinds.
constexpr std::array kOurs = {
    "filter_policy=crivo.Auto",
    "filter_policy=crivo.Bloom:10",
    "filter_policy=crivo.Ribbon:10",
    "filter_policy=crivo.Auto:budget_bits_per_key:7;partition_filters=true;index_type=kTwoLevelIndexSearch;"
    "metadata_block_size=1024",
    "filter_policy=crivo.Ribbon:fp_rate:0.01:-1;cache_index_and_filter_blocks=true;checksum=kNoChecksum",
};
constexpr std::array kBuiltin = {"filter_policy=bloomfilter:10", "filter_policy=ribbonfilter:10:-1"};

void survive(int kills) {
  Crashes crashes;
  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i));
    const auto n = static_cast<std::size_t>(i);
    ASSERT_NO_FATAL_FAILURE(crashes.kill_one(n % 3 == 2 ? kBuiltin[n / 3 % 2] : kOurs[n % 5]));
    // Crivo's policies read all kinds of filters, so they read in most rounds. In every tenth round, RocksDB's policy
    // reads.
    ASSERT_NO_FATAL_FAILURE(crashes.expect_no_key_lost(n % 10 == 9 ? kBuiltin[n / 10 % 2] : kOurs[n % 4], false));
  }
  ASSERT_NO_FATAL_FAILURE(crashes.expect_no_key_lost(kOurs[0], true));
  ASSERT_NO_FATAL_FAILURE(crashes.expect_no_key_lost(kBuiltin[0], true));
  std::cout << kills << " kills, " << crashes.acknowledged() << " keys acknowledged, none lost; filters said no "
            << filter_useful(crashes.options()) << " times\n";
  EXPECT_GT(crashes.acknowledged(), static_cast<std::uint64_t>(kills) * 100)
      << "writers that write nothing prove nothing";
  EXPECT_GT(filter_useful(crashes.options()), 0U);
}

TEST(RocksdbCrash, OfAWriterLosesNoAcknowledgedKey) { survive(10); }

TEST(RocksdbCrash, LongSeriesLosesNoAcknowledgedKey) { survive(300); }

}  // namespace
}  // namespace crivo::testing
