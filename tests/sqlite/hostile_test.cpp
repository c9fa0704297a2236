// Blobs that are not filters: bloom_valid returns 0, and other functions return an error, without a crash.
#include "blob_surgery.h"
#include "database.h"

namespace crivo::testing {
namespace {

class Hostile : public SqliteTest {
 protected:
  void expect_refused(const std::string& bytes) {
    const Blob junk{bytes};
    ASSERT_EQ(ask("SELECT bloom_valid(?)", {junk}), "0");
    ASSERT_THAT(ask("SELECT bloom_contains(?, 'a')", {junk}), StartsWith("error: bloom_contains: "));
  }
  Blob raw_ = blob("SELECT bloom_raw(bloom_add(bloom_create(20), 'a'))");
  Blob zstd_ = blob("SELECT bloom_add(bloom_create(2000), 'a')");
};

TEST_F(Hostile, RejectsWhatIsDamaged) {
  for (const Blob& filter : {raw_, zstd_}) {
    std::string flipped = filter.bytes;
    flipped.back() = static_cast<char>(flipped.back() ^ 1);
    expect_refused(flipped);
    expect_refused("");
    expect_refused(filter.bytes.substr(0, filter.bytes.size() - 1));
    expect_refused(filter.bytes + '\0');
  }
}

TEST_F(Hostile, EveryFunctionRefusesByItsOwnName) {
  const Blob junk{std::string(100, 'j')};
  for (const char* call :
       {"bloom_add(?1, 1)", "bloom_add(?1, NULL)", "bloom_contains(?1, 1)", "bloom_union(?1, bloom_create(1))",
        "bloom_union(bloom_create(1), ?1)", "bloom_union_agg(?1)", "bloom_cardinality(?1)", "bloom_current_fp_rate(?1)",
        "bloom_info(?1)", "bloom_compress(?1)", "bloom_raw(?1)", "bloom_count(?1, 1)", "bloom_add_times(?1, 1, 2)",
        "bloom_add_new(?1, NULL)", "bloom_remove(?1, 1)"}) {
    const std::string name = std::string(call).substr(0, std::string(call).find('('));
    EXPECT_THAT(ask(std::string("SELECT ") + call, {junk}), StartsWith("error: " + name + ": magic must be"));
  }
}

TEST_F(Hostile, ValidAnswersEveryValue) {
  for (const Arg& value : std::vector<Arg>{nullptr, std::int64_t{1}, 0.5, std::string("text"), Blob{""}}) {
    EXPECT_EQ(ask("SELECT bloom_valid(?)", {value}), "0");
  }
  EXPECT_EQ(ask("SELECT bloom_valid(CAST(? AS TEXT))", {raw_}), "0");
  EXPECT_EQ(ask("SELECT bloom_valid(zeroblob(1000000))"), "0");
  EXPECT_EQ(ask("SELECT bloom_valid(?)", {raw_}), "1");
  EXPECT_EQ(ask("SELECT bloom_valid(?)", {zstd_}), "1");
}

TEST_F(Hostile, TheLimitIsCheckedBeforeAnythingIsAllocated) {
  // A blob of less than 5,000 bytes that decodes to about 11 MB.
  const Blob bomb = blob("SELECT bloom_create(9000000)");
  ASSERT_LT(bomb.bytes.size(), 5000U);
  sqlite3_limit(db_.get(), SQLITE_LIMIT_LENGTH, 1000000);
  EXPECT_THAT(ask("SELECT bloom_contains(?, 1)", {bomb}), StartsWith("error: bloom_contains: raw payload bytes must"));
  EXPECT_THAT(ask("SELECT bloom_info(?)", {bomb}), StartsWith("error: bloom_info: raw payload bytes must"));
  EXPECT_EQ(ask("SELECT bloom_valid(?)", {bomb}), "0");
}

TEST_F(Hostile, AForgedSizeIsRefusedEvenWithARightChecksum) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{64}, (std::uint64_t{1} << 48) - 1}) {
    const auto forged = forge(std::as_bytes(std::span(zstd_.bytes)), header::kRawBytes, size);
    expect_refused({reinterpret_cast<const char*>(forged.data()), forged.size()});
  }
  const auto forged = forge(std::as_bytes(std::span(raw_.bytes)), header::kUnits, std::uint64_t{1} << 34);
  expect_refused({reinterpret_cast<const char*>(forged.data()), forged.size()});
}

}  // namespace
}  // namespace crivo::testing
