// Counting keys, adding a key many times or only if it is new, and filters that are full.
#include "database.h"

namespace crivo::testing {
namespace {

class Counts : public SqliteTest {};

TEST_F(Counts, AreAdditionsLessRemovals) {
  const std::string counts = "SELECT bloom_count(?1, 'a') || bloom_count(?1, 'b') || bloom_count(?1, 'c')";
  const Blob filter = blob("SELECT bloom_add(bloom_create(100, 1e-6, 'counting'), 'a', 'b', 'a', 'a')");
  EXPECT_EQ(ask(counts, {filter}), "310");
  EXPECT_EQ(ask(counts, {blob("SELECT bloom_remove(?, 'a')", {filter})}), "210");
  EXPECT_EQ(ask("SELECT bloom_count(?, NULL)", {filter}), "NULL");
  EXPECT_EQ(ask("SELECT bloom_count(NULL, 'a')"), "NULL");
}

TEST_F(Counts, AddTimesIsThatManyAdditions) {
  EXPECT_EQ(blob("SELECT bloom_add_times(bloom_add(bloom_create(100, 0.01, 'cuckoo'), 'a', 'b'), 'a', 3)").bytes,
            blob("SELECT bloom_add(bloom_create(100, 0.01, 'cuckoo'), 'a', 'b', 'a', 'a', 'a')").bytes);
  const Blob filter = blob("SELECT bloom_add_times(bloom_create(9, 0.01, 'spectral:32'), 'a', 3000000000)");
  EXPECT_EQ(ask("SELECT bloom_count(?, 'a')", {filter}), "3000000000");
  EXPECT_EQ(info(filter, "keys"), "3000000000");
  EXPECT_EQ(ask("SELECT bloom_count(bloom_add_times(?, 'a', 9223372036854775807), 'a')", {filter}), "4294967295");
}

TEST_F(Counts, CountsAboveSQLitesIntegersAreTheLargestOfThem) {
  const std::string most = std::to_string(INT64_MAX);
  run("CREATE TABLE many(f)");
  run("INSERT INTO many VALUES (bloom_add_times(bloom_create(1000, 0.01, 'growing'), 'a', ?))", {INT64_MAX});
  run("UPDATE many SET f = bloom_add_times(f, 'a', 7)");
  EXPECT_EQ(ask("SELECT bloom_count(f, 'a') FROM many"), most);
  EXPECT_EQ(ask("SELECT value FROM many, bloom_each(f) WHERE name = 'keys'"), most);
  EXPECT_EQ(ask("SELECT keys FROM many, bloom_layers(f)"), most);
  EXPECT_EQ(ask("SELECT bloom_cardinality(f) FROM many"), "1");
  EXPECT_EQ(ask("SELECT bloom_info(f) ->> 'keys' FROM many"), most);
}

TEST_F(Counts, AddTimesZeroOrOfNullChangesNothing) {
  const Blob filter = blob("SELECT bloom_create(9, 0.01, 'spectral')");
  EXPECT_EQ(blob("SELECT bloom_add_times(?, NULL, 5)", {filter}).bytes, filter.bytes);
  EXPECT_EQ(blob("SELECT bloom_add_times(?, 'a', 0)", {filter}).bytes, filter.bytes);
}

TEST_F(Counts, AddTimesRefusesWhatIsNoNumberOfTimes) {
  const std::string call = "SELECT bloom_add_times(bloom_create(9, 0.01, 'spectral'), 'a', ";
  const std::string rule = "error: bloom_add_times: times must be an integer of at least 0, got ";
  EXPECT_EQ(ask(call + "-1)"), rule + "-1");
  EXPECT_EQ(ask(call + "NULL)"), rule + "NULL");
  EXPECT_EQ(ask(call + "2.0)"), rule + "2");
  EXPECT_EQ(ask(call + "'2')"), rule + "'2'");
  EXPECT_EQ(ask(call + "9223372036854775808)"), rule + "9223372036854775808");
  EXPECT_THAT(ask("SELECT bloom_add_times(NULL, 'a', 1)"), StartsWith("error: bloom_add_times: argument 1 must be"));
  EXPECT_EQ(ask("SELECT bloom_add_times(bloom_create(9), 'a', 1)"),
            "error: bloom_add_times: kind must support count (counting, spectral, growing, cuckoo), got blocked");
}

TEST_F(Counts, AddNewAddsWhatIsCertainlyAbsentOnce) {
  for (const std::string kind : {"counting", "cuckoo", "spectral", "blocked", "scalable"}) {
    const Blob filter = blob("SELECT bloom_add(bloom_create(100, 1e-6, ?), 'old')", {kind});
    const Blob more = blob(R"(SELECT bloom_add_new(?, '["old", "new", null, "new", 1, true]'))", {filter});
    EXPECT_EQ(info(more, "keys"), "3") << kind;
    EXPECT_EQ(ask("SELECT bloom_contains_all(?, '[\"old\", \"new\", 1]')", {more}), "1") << kind;
    EXPECT_EQ(blob("SELECT bloom_add_new(?, '[\"old\", \"new\", 1]')", {more}).bytes, more.bytes) << kind;
    EXPECT_EQ(blob("SELECT bloom_add_new(?, NULL)", {more}).bytes, more.bytes) << kind;
  }
  EXPECT_THAT(ask("SELECT bloom_add_new(NULL, '[]')"), StartsWith("error: bloom_add_new: argument 1 must be a filter"));
  EXPECT_THAT(ask("SELECT bloom_add_new(bloom_create(9), 'a')"),
              StartsWith("error: bloom_add_new: keys must be a JSON array"));
}

TEST_F(Counts, AFullFilterSaysWhatToDo) {
  for (const std::string kind : {"cuckoo", "hash_compaction"}) {
    const std::string error =
        ask("SELECT bloom_agg(i, 100, 0.01, ?) FROM " + integers(1, 1000), {kind});  // the filter holds about 110 keys
    EXPECT_THAT(error, StartsWith("error: bloom_agg: filter must have a free slot: its load is ")) << kind;
    EXPECT_THAT(error, HasSubstr("; use a larger capacity, or the kind scalable, which grows (capacity 100, keys 1"));
    EXPECT_EQ(ask("SELECT bloom_contains(bloom_agg(i, 100, 0.01, 'scalable'), 1000) FROM " + integers(1, 1000)), "1");
  }
  EXPECT_THAT(
      ask("SELECT bloom_add_times(bloom_create(100, 0.01, 'cuckoo'), 'a', 9)"),
      EndsWith(
          "additions of one key must be at most 8, the slots of its two buckets, got one more (capacity 100, keys 8)"));
}

}  // namespace
}  // namespace crivo::testing
