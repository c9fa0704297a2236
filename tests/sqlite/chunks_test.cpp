// Filters in chunks: bloom_dump and bloom_load_agg.
#include "blob_surgery.h"
#include "database.h"

namespace crivo::testing {
namespace {

class Chunks : public SqliteTest {
 protected:
  void SetUp() override {
    run("CREATE TABLE chunks(seq, chunk)");
    fill("bloom_raw(bloom_add(bloom_create(1000), 'a'))");
  }
  void fill(const std::string& filter) {
    run("DELETE FROM chunks");
    run("INSERT INTO chunks SELECT * FROM bloom_dump(" + filter + ", 100)");
  }
  Bytes chunk_of(int seq) {
    const Blob chunk = blob("SELECT chunk FROM chunks WHERE seq = ?", {std::int64_t{seq}});
    const auto bytes = std::as_bytes(std::span(chunk.bytes));
    return {bytes.begin(), bytes.end()};
  }
  void replace(int seq, const Bytes& chunk) {
    run("UPDATE chunks SET chunk = ? WHERE seq = ?",
        {Blob{{reinterpret_cast<const char*>(chunk.data()), chunk.size()}}, std::int64_t{seq}});
  }
  std::string load() { return ask("SELECT hex(bloom_load_agg(seq, chunk)) FROM chunks"); }

  const Blob filter_ = blob("SELECT bloom_raw(bloom_add(bloom_create(1000), 'a'))");
  const std::string hex_ = ask("SELECT hex(?)", {filter_});
};

TEST_F(Chunks, GiveTheSameBytesInAnyOrderAndMoreThanOnce) {
  EXPECT_EQ(ask("SELECT count(*) = 1 + max(seq) AND min(seq) = 0 AND max(length(chunk)) = 100 FROM chunks"), "1");
  EXPECT_EQ(load(), hex_);
  run("INSERT INTO chunks SELECT * FROM chunks ORDER BY seq % 7, seq DESC");
  EXPECT_EQ(load(), hex_);
  EXPECT_EQ(ask("SELECT hex(bloom_load_agg(seq, chunk)) FROM (SELECT * FROM chunks ORDER BY seq DESC LIMIT -1)"), hex_);
}

TEST_F(Chunks, OfSeveralFiltersLoadByGroups) {
  run("CREATE TABLE sent(name, seq, chunk)");
  run("INSERT INTO sent SELECT i, seq, chunk FROM " + integers(1, 9) +
      ", bloom_dump(bloom_add(bloom_create(200), i), 80) ORDER BY seq");
  EXPECT_EQ(ask("SELECT count(*) || min(bloom_contains(f, name)) FROM "
                "(SELECT name, bloom_load_agg(seq, chunk) AS f FROM sent GROUP BY name)"),
            "91");
}

TEST_F(Chunks, RefuseASizeOutsideTheirRange) {
  for (const std::string size : {"63", "0", "-1", "1073741825", "100.0", "'100'", "9223372036854775807"}) {
    EXPECT_THAT(ask("SELECT * FROM bloom_dump(bloom_create(9), " + size + ")"),
                StartsWith("error: bloom_dump: chunk_bytes must be an integer from 64 to 1073741824, got "))
        << size;
  }
}

TEST_F(Chunks, FollowTheRulesForNull) {
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_dump(NULL)"), "0");
  EXPECT_EQ(ask("SELECT bloom_load_agg(0, NULL)"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_load_agg(seq, chunk) FROM chunks WHERE 0"), "NULL");
  run("INSERT INTO chunks VALUES (NULL, NULL), (7, NULL)");
  EXPECT_EQ(load(), hex_);
  EXPECT_EQ(ask("SELECT bloom_load_agg(NULL, x'00')"),
            "error: bloom_load_agg: seq must be an integer of at least 0, got NULL");
  EXPECT_EQ(ask("SELECT bloom_load_agg(-1, x'00')"),
            "error: bloom_load_agg: seq must be an integer of at least 0, got -1");
  EXPECT_EQ(ask("SELECT bloom_load_agg(3, 'a')"), "error: bloom_load_agg: chunk 3 must be a blob, got 'a'");
}

TEST_F(Chunks, AMissingOneIsNamed) {
  const std::string all = ask("SELECT count(*) FROM chunks");
  EXPECT_EQ(ask("SELECT bloom_load_agg(seq, chunk) FROM chunks WHERE seq <> 3"),
            "error: bloom_load_agg: chunk 3 must be present, got " + std::to_string(std::stoi(all) - 1) + " of " + all +
                " chunks");
}

TEST_F(Chunks, ADamagedOneIsNamed) {
  Bytes chunk = chunk_of(5);
  chunk[99] ^= std::byte{1};
  replace(5, chunk);
  EXPECT_THAT(load(), StartsWith("error: bloom_load_agg: chunk 5: "));
  replace(5, {});
  EXPECT_EQ(load(), "error: bloom_load_agg: chunk 5: size must be above 40 bytes, got 0");
}

TEST_F(Chunks, AForgedSizeIsRefusedBeforeAnythingIsAllocated) {
  for (const std::uint64_t size : {std::uint64_t{1} << 62, std::uint64_t{1} << 31, std::uint64_t{1000000001}}) {
    replace(0, forge_chunk(chunk_of(0), chunk::kBlobBytes, size));
    EXPECT_EQ(ask("SELECT bloom_load_agg(seq, chunk) FROM chunks WHERE seq = 0"),
              "error: bloom_load_agg: chunk 0: blob size must be at most the limit of 1000000000 bytes, got " +
                  std::to_string(size));
  }
  replace(0, forge_chunk(chunk_of(0), chunk::kBlobBytes, 1000000000));
  EXPECT_THAT(ask("SELECT bloom_load_agg(seq, chunk) FROM chunks WHERE seq = 0"),
              HasSubstr("chunk 1 must be present, got 1 of 16666667 chunks"));
}

TEST_F(Chunks, ThatMakeNoFilterAreRefused) {
  const int chunks = std::stoi(ask("SELECT count(*) FROM chunks"));
  Bytes last = chunk_of(chunks - 1);
  last.back() ^= std::byte{1};
  repair_chunk(last);
  replace(chunks - 1, last);
  EXPECT_THAT(load(), StartsWith("error: bloom_load_agg: checksum must match the contents, got "));
}

}  // namespace
}  // namespace crivo::testing
