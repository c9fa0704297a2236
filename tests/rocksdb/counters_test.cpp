// A policy's counters: their values, concurrent updates, and the lines that a database logs when it closes.
#include "report/counters.h"

#include <rocksdb/convenience.h>
#include <rocksdb/sst_file_writer.h>

#include <barrier>
#include <sstream>
#include <thread>

#include "capture_log.h"
#include "crivo/rocksdb_verify.h"
#include "support.h"

namespace crivo::testing {
namespace {

RocksDBFilterCounters counters_in(const rocksdb::ColumnFamilyOptions& options) {
  const auto counters = GetRocksDBFilterCounters(options);
  EXPECT_TRUE(counters.has_value());
  return counters.value_or(RocksDBFilterCounters());
}

std::uint64_t occurrences(const std::string& text, const std::string& word) {
  std::uint64_t count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

/// The lines in a database's LOG that Crivo wrote.
std::string our_lines(const std::string& folder) {
  std::istringstream log(read_bytes(folder + "/LOG"));
  std::string ours;
  for (std::string line; std::getline(log, line);) {
    const bool ours_in_it = line.find("]: blocked: ") != std::string::npos || line.find("damaged") != std::string::npos;
    if (ours_in_it && line.find(" crivo.") != std::string::npos) ours += line + '\n';
  }
  return ours;
}

TEST(RocksdbCounters, CountTheFiltersThatAreInTheFiles) {
  const rocksdb::Options options = configured({.bits_per_key = 10, .kind = Kind::kRibbon});
  const ScratchDatabase db(options);
  EXPECT_EQ(counters_in(options).blocked.built, 0U);
  put_keys(*db, 0, 3000);
  put_keys(*db, 3000, 5000);
  const RocksDBFilterCounters flushed = counters_in(options);
  EXPECT_EQ(flushed.blocked.built, 2U);
  EXPECT_EQ(flushed.blocked.keys, 5000U);
  std::uint64_t bytes = 0;
  for (const std::string& path : sst_files(db.path())) {
    for (const Extent& block : filter_blocks(read_bytes(path))) bytes += block.size;
  }
  EXPECT_EQ(flushed.blocked.bytes, bytes);
  EXPECT_GT(flushed.blocked.build_nanoseconds, 0U);
  EXPECT_LT(flushed.blocked.build_nanoseconds, 10'000'000'000U);
  EXPECT_EQ(flushed.ribbon.built, 0U);
  rocksdb::CompactRangeOptions rewrite;
  rewrite.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  ASSERT_TRUE(db->CompactRange(rewrite, nullptr, nullptr).ok());
  const RocksDBFilterCounters compacted = counters_in(options);
  EXPECT_EQ(compacted.blocked.built, 2U);
  // RocksDB 9.10 rewrites files again after compacting them into the last level.
  EXPECT_THAT(compacted.ribbon.built, ::testing::AnyOf(1U, 2U));
  EXPECT_EQ(compacted.ribbon.keys, compacted.ribbon.built * 5000);
  EXPECT_EQ(compacted.always_maybe, 0U);
  EXPECT_EQ(compacted.damaged_blocks, 0U);
}

/// A program's logger that throws at every line of Crivo.
class ThrowingLog final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::array<char, 1024> line;
    std::vsnprintf(line.data(), line.size(), format, arguments);
    const std::string_view text = line.data();
    if (text.starts_with("crivo") || text.starts_with("[WARN] crivo")) throw ++lines;  // not a std::exception
  }
  static inline int lines = 0;
};

TEST(RocksdbCounters, LeaveADatabaseAloneWhoseLogThrows) {
  const TempFolder folder;
  rocksdb::Options options = configured({.bits_per_key = 10, .max_filter_bytes = 200});
  options.info_log = std::make_shared<ThrowingLog>();
  {
    const auto db = open_database(options, folder.path());
    put_keys(*db, 0, 3000);
    EXPECT_EQ(ThrowingLog::lines, 1) << "max_filter_bytes";
    EXPECT_EQ(count_not_found(*db, 0, 3000), 0U);
  }
  EXPECT_EQ(ThrowingLog::lines, 2) << "the counters";
  const Policy wrong = policy_from_string("crivo.Bloom:-1");
  EXPECT_NE(new_builder(*wrong, options.info_log.get()), nullptr);
  EXPECT_EQ(ThrowingLog::lines, 3) << "what is wrong with the options";
}

TEST(RocksdbCounters, BelongToAPolicyAndNotToAnothersCopy) {
  const Policy first = crivo_bloom();
  const Policy second = crivo_bloom();
  (void)build_block(*new_builder(*first), 0, 100);
  EXPECT_EQ(GetRocksDBFilterCounters(first.get())->blocked.built, 1U);
  EXPECT_EQ(GetRocksDBFilterCounters(second.get())->blocked.built, 0U);
  EXPECT_EQ(GetRocksDBFilterCounters(builtin_bloom().get()), std::nullopt);
  EXPECT_EQ(GetRocksDBFilterCounters(static_cast<const rocksdb::FilterPolicy*>(nullptr)), std::nullopt);
  rocksdb::Options other = with_policy(test_options(), builtin_bloom());
  EXPECT_EQ(GetRocksDBFilterCounters(other), std::nullopt);
  other.table_factory.reset(rocksdb::NewPlainTableFactory());
  EXPECT_EQ(GetRocksDBFilterCounters(other), std::nullopt);
}

TEST(RocksdbCounters, CountEveryQuestionOfGetAndMultiGet) {
  for (const Kind kind : {Kind::kBlocked, Kind::kRibbon}) {
    RocksDBFilterOptions filter{.bits_per_key = 10, .kind = kind, .count_questions = true};
    if (kind == Kind::kRibbon) filter.bloom_before_level = -1;
    const rocksdb::Options options = configured(filter);
    const ScratchDatabase db(options);
    put_keys(*db, 0, 2000);
    EXPECT_EQ(count_not_found(*db, 0, 2000), 0U);
    EXPECT_EQ(count_not_found(*db, 2000, 5000), 3000U);
    EXPECT_EQ(count_not_found_by_multiget(*db, 5000, 6000), 1000U);
    const RocksDBFilterCounters counted = counters_in(options);
    const auto& asked = kind == Kind::kRibbon ? counted.ribbon : counted.blocked;
    const auto& other = kind == Kind::kRibbon ? counted.blocked : counted.ribbon;
    EXPECT_EQ(asked.asked_singly, 5000U);
    EXPECT_EQ(asked.asked_in_batches, 1000U);
    EXPECT_EQ(asked.answered_no, filter_useful(options)) << "RocksDB's own count";
    EXPECT_GT(asked.answered_no, 3800U);
    EXPECT_EQ(other.asked_singly + other.asked_in_batches + other.answered_no, 0U);
  }
}

TEST(RocksdbCounters, CountNoQuestionsUnlessAskedTo) {
  const rocksdb::Options options = configured({.bits_per_key = 10});
  const ScratchDatabase db(options);
  put_keys(*db, 0, 1000);
  EXPECT_EQ(count_not_found(*db, 0, 2000), 1000U);
  const RocksDBFilterCounters counted = counters_in(options);
  EXPECT_EQ(counted.blocked.asked_singly + counted.ribbon.asked_singly, 0U);
  ASSERT_TRUE(db->SetOptions({{"table_factory.filter_policy.count_questions", "true"}}).ok());
  put_keys(*db, 1000, 2000);
  EXPECT_EQ(count_not_found(*db, 1000, 2000), 0U);
  EXPECT_GE(counters_in(options).blocked.asked_singly + counters_in(options).ribbon.asked_singly, 1000U)
      << "the filters that are opened from then on";
}

TEST(RocksdbCounters, LoseNothingBetweenThreads) {
  // Runs twice as many threads as there are shards, two times, so that threads share shards.
  constexpr int kThreads = 2 * kShards;
  constexpr std::uint64_t kQuestions = 20000;  // long enough for the threads to overlap
  const Policy policy = policy_from_string("{id=crivo.Bloom;count_questions=true}");
  const std::string block = build_block(*new_builder(*policy), 0, 1000);
  const auto reader = new_reader(*policy, block);
  std::atomic<std::uint64_t> answered_no = 0;
  for (int round = 0; round < 2; ++round) {
    std::barrier all_are_alive(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        (void)reader->MayMatch("first");  // assigns a shard to the thread
        all_are_alive.arrive_and_wait();
        for (std::uint64_t i = 0; i < kQuestions; ++i) answered_no += !reader->MayMatch(key_of(1000 + i));
      });
    }
    for (auto& thread : threads) thread.join();
  }
  const RocksDBFilterCounters counted = *GetRocksDBFilterCounters(policy.get());
  EXPECT_EQ(counted.blocked.asked_singly, 2 * kThreads * (kQuestions + 1));
  EXPECT_EQ(counted.blocked.answered_no, answered_no + (reader->MayMatch("first") ? 0 : 2 * kThreads));
}

TEST(RocksdbCounters, OutliveThePolicyInItsReadersAndBuilders) {
  Policy policy = policy_from_string("{id=crivo.Ribbon:10:-1;count_questions=true}");
  const std::string block = build_block(*new_builder(*policy), 0, 1000);
  const auto reader = new_reader(*policy, block);
  const auto builder = new_builder(*policy);
  policy.reset();
  EXPECT_EQ(build_block(*builder, 0, 1000), block);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_TRUE(reader->MayMatch(key_of(i)));
}

TEST(RocksdbCounters, CountWhatIsOpened) {
  const Policy policy = crivo_bloom();
  const std::string block = build_block(*new_builder(*policy), 0, 1000);
  (void)new_reader(*policy, block);
  (void)new_reader(*policy, std::string(6, '\0'));  // "every key" and "no keys" are not damage
  EXPECT_TRUE(new_reader(*policy, std::string(5, '\0'))->MayMatch("a"));
  EXPECT_EQ(GetRocksDBFilterCounters(policy.get())->damaged_blocks, 0U);
  EXPECT_EQ(GetRocksDBFilterCounters(policy.get())->builtin_blocks, 0U);
  (void)new_reader(*policy, build_block(*new_builder(*builtin_bloom()), 0, 1000));
  EXPECT_EQ(GetRocksDBFilterCounters(policy.get())->builtin_blocks, 1U);
  for (const std::size_t at : {std::size_t{0}, block.size() / 2, block.size() - 1}) {
    std::string damaged = block;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    EXPECT_TRUE(new_reader(*policy, damaged)->MayMatch("absent"));
  }
  const Policy other = policy_from_string("{id=crivo.Bloom;key_transform=drop_suffix:8;count_questions=true}");
  EXPECT_TRUE(new_reader(*other, block)->MayMatch("absent"));
  EXPECT_EQ(GetRocksDBFilterCounters(other.get())->other_transform_blocks, 1U);
  EXPECT_EQ(GetRocksDBFilterCounters(other.get())->damaged_blocks, 0U);
  EXPECT_TRUE(new_reader(*other, build_block(*new_builder(*other), 0, 1000))->MayMatch(key_of(5)));
  EXPECT_EQ(GetRocksDBFilterCounters(other.get())->blocked.asked_singly, 1U);
  EXPECT_EQ(GetRocksDBFilterCounters(policy.get())->damaged_blocks, 3U);
  EXPECT_EQ(GetRocksDBFilterCounters(policy.get())->builtin_blocks, 1U);
}

TEST(RocksdbCounters, KeepAFewLinesOfDamageAndTheNumberOfTheRest) {
  Counters counters("crivo.Bloom");
  EXPECT_TRUE(counters.drain_damages().empty());
  for (std::size_t i = 0; i < 20; ++i) counters.opened_damaged(1000 + i, "checksum must match the contents");
  const std::vector<std::string> lines = counters.drain_damages();
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[0], "a filter block of 1000 bytes is damaged: checksum must match the contents");
  EXPECT_EQ(lines[8], "12 more damaged filter blocks");
  EXPECT_TRUE(counters.drain_damages().empty());
  EXPECT_EQ(counters.snapshot().damaged_blocks, 20U);
}

TEST(RocksdbCounters, LogsAColumnFamilyOnce) {
  Counters counters("crivo.Bloom");
  const int first = 0;
  const int second = 0;  // two addresses
  counters.record_family(&first, "default");
  counters.record_family(&second, "other");
  counters.record_family(&first, "users");
  counters.record_family(&first, "default");
  EXPECT_EQ(counters.drain_families(&first), "default, users");
  EXPECT_EQ(counters.drain_families(&first), "") << "another logger may have this address from now on";
  EXPECT_EQ(counters.drain_families(&second), "other");
}

TEST(RocksdbCounterLog, SaysWhichBlocksWereFoundDamaged) {
  rocksdb::BlockBasedTableOptions table;
  table.checksum = rocksdb::kNoChecksum;
  const rocksdb::Options options = configured({.bits_per_key = 10}, with_table(test_options(), table));
  ScratchDatabase db(options);
  put_keys(*db, 0, 1000);
  damage_filters(sst_files(db.path()).at(0));
  db.reopen(options);
  EXPECT_EQ(count_not_found(*db, 0, 1000), 0U);
  EXPECT_EQ(counters_in(options).damaged_blocks, 1U);
  const std::string line = "bytes is damaged: checksum must match the contents";
  ASSERT_TRUE(LogRocksDBFilterCounters(*db).ok());
  EXPECT_EQ(occurrences(our_lines(db.path()), line), 1U);
  put_keys(*db, 1000, 2000);
  ASSERT_TRUE(LogRocksDBFilterCounters(*db).ok());
  EXPECT_EQ(occurrences(our_lines(db.path()), line), 1U) << "once is enough";
  EXPECT_THAT(our_lines(db.path()), HasSubstr("1 damaged block,"));
}

TEST(RocksdbCounterLog, SaysWhichBlocksWereFoundDamagedWhereTheNextFilterIsBuilt) {
  CaptureLog log;
  const Policy policy = crivo_bloom();
  (void)new_reader(*policy, std::string(100, 'x'));
  EXPECT_EQ(log.take(), "");
  (void)new_builder(*policy, &log);
  EXPECT_EQ(log.take(), "[WARN] crivo.Bloom: a filter block of 100 bytes is damaged: marker must be -67\n");
}

TEST(RocksdbCounterLog, HasTheCountersOnRequest) {
  const rocksdb::Options options = configured({.bits_per_key = 10, .kind = Kind::kBlocked, .count_questions = true});
  const ScratchDatabase db(options);
  put_keys(*db, 0, 1000);
  EXPECT_EQ(count_not_found(*db, 0, 500), 0U);
  EXPECT_THAT(our_lines(db.path()), Not(HasSubstr("crivo.Bloom [default]")));
  ASSERT_TRUE(LogRocksDBFilterCounters(*db).ok());
  EXPECT_THAT(our_lines(db.path()),
              HasSubstr("crivo.Bloom [default]: blocked: 1 filter built (1000 keys, 1312 bytes, "));
  EXPECT_THAT(our_lines(db.path()), HasSubstr("asked 500 times (0 in batches), answered no 0 times"));
  const Family other = create_family(*db, with_policy(test_options(), builtin_bloom()));
  EXPECT_EQ(LogRocksDBFilterCounters(*db, other.get()).ToString(),
            "Invalid argument: crivo: filter_policy of column family other must be one of Crivo's");
}

TEST(RocksdbCounterLog, HasALineForEachPolicyWhenTheDatabaseCloses) {
  const TempFolder folder;
  const rocksdb::Options options = configured({.bits_per_key = 10, .kind = Kind::kBlocked});
  rocksdb::ColumnFamilyOptions ribbons;
  ASSERT_TRUE(ConfigureRocksDB(ribbons, {.bits_per_key = 10, .kind = Kind::kRibbon, .bloom_before_level = -1}).ok());
  for (const bool explicitly : {false, true}) {  // the second round uses the same policies and a new LOG
    auto db = open_database(options, folder.path());
    put_keys(*db, 0, 1000);
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    ASSERT_TRUE(db->CreateColumnFamilies(ribbons, {"users", "orders"}, &handles).ok());
    for (auto* const handle : handles) {
      ASSERT_TRUE(db->Put({}, handle, "key", "value").ok());
      ASSERT_TRUE(db->Flush({}, handle).ok());
      ASSERT_TRUE(db->DropColumnFamily(handle).ok());
      ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
    }
    EXPECT_THAT(our_lines(folder.path()), Not(HasSubstr("filters built")));
    EXPECT_TRUE(!explicitly || db->Close().ok());
    db.reset();
    const std::string log = our_lines(folder.path());
    EXPECT_EQ(occurrences(log, "crivo.Bloom [default]: blocked: "), 1U) << log;
    EXPECT_EQ(occurrences(log, "crivo.Ribbon [users, orders]: blocked: 0 filters built"), 1U);
    EXPECT_THAT(log, HasSubstr(explicitly ? "ribbon: 4 filters built (4 keys, " : "ribbon: 2 filters built (2 keys, "));
  }
}

TEST(RocksdbCounterLog, IsThatOfTheDatabaseThatCloses) {
  // Two databases share all objects. Each logs its own line when it closes, while the other is still open.
  const TempFolder folder;
  const rocksdb::Options options = configured({.bits_per_key = 10, .kind = Kind::kBlocked});
  auto first = open_database(options, folder.file("first"));
  auto second = open_database(options, folder.file("second"));
  put_keys(*first, 0, 1000);
  put_keys(*second, 0, 1000);
  first.reset();
  EXPECT_EQ(occurrences(our_lines(folder.file("first")), "crivo.Bloom [default]: "), 1U);
  EXPECT_EQ(occurrences(our_lines(folder.file("second")), "crivo.Bloom [default]: "), 0U);
  second.reset();
  EXPECT_EQ(occurrences(our_lines(folder.file("first")), "crivo.Bloom [default]: "), 1U);
  EXPECT_EQ(occurrences(our_lines(folder.file("second")), "crivo.Bloom [default]: "), 1U);
}

TEST(RocksdbCounterLog, IsNotHeldOpenAndNotTouchedAfterItsDatabase) {
  rocksdb::Options options = configured({.bits_per_key = 10});
  auto made = std::make_shared<CaptureLog>();
  options.info_log = made;
  const std::weak_ptr<rocksdb::Logger> log = made;
  put_keys(*ScratchDatabase(options), 0, 1000);
  EXPECT_THAT(made->take(), HasSubstr("filter built"));
  options.info_log.reset();
  made.reset();
  EXPECT_TRUE(log.expired()) << "although policy and listener live";
  options = rocksdb::Options();  // the policy is destroyed after its log, and has nothing left to report
}

// RocksDB loses the other listeners, because it cannot read a list of them from the file.
TEST(RocksdbCounterLog, ComesBackFromTheOptionsFileBesideOtherListeners) {
  class Other final : public rocksdb::EventListener {
   public:
    [[nodiscard]] const char* Name() const override { return "Other"; }
  };
  for (const bool is_first : {true, false}) {
    rocksdb::Options options = configured({.bits_per_key = 10, .kind = Kind::kBlocked});
    options.listeners.insert(is_first ? options.listeners.begin() : options.listeners.end(), std::make_shared<Other>());
    ScratchDatabase db(options);
    const rocksdb::Options loaded = loaded_options(db.path());
    db.reopen(loaded);
    put_keys(*db, 0, 1000);
    db.close();
    EXPECT_EQ(occurrences(our_lines(db.path()), "crivo.Bloom [default]: blocked: 1 filter built"), 1U) << is_first;
  }
}

}  // namespace
}  // namespace crivo::testing
