// Sharded filters in the tool: a killed build leaves the old filter or the new one.
#include <algorithm>
#include <chrono>
#include <random>

#include "shell.h"

namespace crivo::testing {
namespace {

class ShardedTool : public ToolTest {};

TEST_F(ShardedTool, ABuildThatIsKilledLeavesTheOldFilterOrTheNewOne) {
  // Each round's filter has the keys of the round, and keys that all rounds have.
  const auto keys = [](int round) {
    return "(seq 3000; seq " + std::to_string(10'000 * (round + 1)) + " " +
           std::to_string(10'000 * (round + 1) + 4999) + ") | ";
  };
  ASSERT_EQ(crivo("build -q --shards 16 -o f", numbered_lines(10)).err, "");
  const auto started = std::chrono::steady_clock::now();
  ASSERT_THAT(shell(keys(0) + kTool + "build -q --shards 16 -o f"), Succeeds());
  const std::chrono::duration<double> build_time = std::chrono::steady_clock::now() - started;
  // The kill comes at a random time after the start, up to `latest`. Some builds end before it. The machine's load, and
  // so the time of a build, may have changed since the first build.
  double latest = 1.5 * build_time.count();
  std::mt19937 random(1);
  int killed = 0;
  int last = 0;
  for (int round = 1; round <= 20; ++round) {
    const double seconds = std::uniform_real_distribution<>(0.001, latest)(random);
    const std::string command = round % 2 == 0 ? "build -q --shards 16 -o f" : "build -q --shard 3 -o f";
    const bool was_killed = shell(keys(round % 2 == 0 ? round : last) + "timeout -s KILL " + std::to_string(seconds) +
                                  " " + kTool + command)
                                .exit_code != 0;
    killed += was_killed ? 1 : 0;
    latest = was_killed ? latest * 1.2 : std::max(latest * 0.8, 0.002);
    ASSERT_EQ(shell("seq 3000 | " + std::string(kTool) + "query -c f").out, "3000\n") << round;
    ASSERT_THAT(crivo("verify f"), Succeeds()) << round;
    if (round % 2 != 0) continue;
    const auto has = [&](int of) { return shell(keys(of) + kTool + "query -c f").out == "8000\n"; };
    ASSERT_TRUE(has(round) || has(last)) << round;
    if (has(round)) last = round;
  }
  EXPECT_GT(killed, 0);
  ASSERT_THAT(shell(keys(0) + kTool + "build -q --shards 16 -o f"), Succeeds());
  EXPECT_EQ(shell("ls f.shards | wc -l").out, "16\n") << "what was left behind is gone";
  EXPECT_EQ(shell("ls").out, "f\nf.shards\n");
}

TEST_F(ShardedTool, OpensAsManyShardsAsTheHardLimitAllows) {
#ifdef CRIVO_SANITIZED
  GTEST_SKIP() << "UBSan opens a pipe before it accepts a pointer";
#endif
  ASSERT_THAT(crivo("build -q --shards 64 -o f", numbered_lines(5000)), Succeeds());
  // With the soft limit, even the manifest could not be opened. CTest leaves descriptor 3 open.
  EXPECT_THAT(shell("exec 3>&-; ulimit -Sn 4; " + std::string(kTool) + "query -q f", numbered_lines(1)), Succeeds());
}

TEST_F(ShardedTool, SaysWhatIsWrong) {
  EXPECT_THAT(crivo("build --shards 3 -o f", "a\n"),
              Fails(HasSubstr("shards must be a power of two, 1 to 65536, got 3")));
  EXPECT_THAT(crivo("build --shards 131072 -o f", "a\n"), Fails(HasSubstr("shards must be")));
  EXPECT_THAT(crivo("build --shards 2 --kind range -o f", "1\n"),
              Fails(HasSubstr("kind must have neither ordered keys")));
  EXPECT_THAT(crivo("build --shard 1 -o f", "a\n"), Fails(HasSubstr("f: No such file")));
  for (const char* output : {"-", "/dev/null"}) {
    EXPECT_THAT(crivo("build --shards 2 -o " + std::string(output), "a\n"), Fails(HasSubstr("output must be a file")));
  }
  EXPECT_EQ(shell("ls").out, "");
  ASSERT_THAT(crivo("build -q --shards 2 -o f", "a\n"), Succeeds());
  EXPECT_THAT(crivo("build --shard 2 -o f", "a\n"), Fails(HasSubstr("shard must be below 2, got 2")));
  ASSERT_THAT(crivo("build -q -o g", "a\n"), Succeeds());
  EXPECT_THAT(crivo("build --shard 0 -o g", "a\n"), Fails(HasSubstr("kind must be sharded (a manifest), got blocked")));
  EXPECT_THAT(crivo("union -o u f g"), Fails(HasSubstr("must be sharded if another FILTER is")));
  EXPECT_THAT(crivo("add f", "b\n"), Fails(HasSubstr("filter must be in one file, got one of 2 shards")));
  EXPECT_THAT(shell("cat f | " + std::string(kTool) + "query - a"),
              Fails(HasSubstr("got the manifest of a sharded filter")));
  EXPECT_EQ(crivo("info f").out.substr(0, 62), "kind              sharded\nshards            2\ncapacity        ");
}

TEST_F(ShardedTool, AShardThatIsBuiltAgainHasTheOldKindAndOption) {
  for (const std::string kind : {"spectral:16", "ribbon:32", "scalable:4", "blocked"}) {
    ASSERT_THAT(crivo("build -q --shards 2 --capacity 1000 --kind " + kind + " -o f", numbered_lines(100)), Succeeds());
    const std::string kinds =
        "for shard in f.shards/*; do " + std::string(kTool) + "info $shard | grep -E '^(kind|option) '; done | sort";
    const std::string before = shell(kinds).out;
    ASSERT_THAT(crivo("build -q --shard 1 -o f", numbered_lines(100)), Succeeds()) << kind;
    EXPECT_EQ(shell(kinds).out, before) << kind;
  }
}

TEST_F(ShardedTool, AreUnitedShardByShard) {
  for (const char* name : {"a", "b"}) {
    ASSERT_THAT(crivo("build -q --shards 4 --capacity 2000 -o " + std::string(name), numbered_lines(1000, name)),
                Succeeds());
  }
  EXPECT_THAT(crivo("union -o - a b"), Fails(HasSubstr("output must be a file for a sharded filter")));
  EXPECT_EQ(shell("ls -d ./-*").out, "");
  EXPECT_THAT(crivo("union -o u a b"), Succeeds(HasSubstr(", keys 2000, ")));
  EXPECT_EQ(crivo("query -c u", numbered_lines(1000, "a") + numbered_lines(1000, "b")).out, "2000\n");
  shell("cp a.shards/00003-* \"$(ls a.shards/00002-*)\"");
  EXPECT_THAT(crivo("union -o w a b"), Fails(HasSubstr("shard 2 of a: shard must match its manifest")));
  EXPECT_THAT(shell("ls w w.shards"), Exits(2, _));
  ASSERT_THAT(crivo("build -q --shards 8 --capacity 2000 -o c", "a\n"), Succeeds());
  EXPECT_THAT(crivo("union -o u a c"),
              Fails(HasSubstr("shards and seed must equal the first filter's 4 and 0, got 8")));
  EXPECT_EQ(crivo("query -c u", numbered_lines(1000, "b")).out, "1000\n");
}

// With a memory limit, the keys of one shard must fit, but not all keys.
TEST_F(ShardedTool, AreBuiltInTheMemoryOfOne) {
  EXPECT_THAT(shell("seq 1500000 | " + std::string(kTool) +
                    "build -q --shards 16 --kind ribbon --max-memory 16M --temp-folder . -o f"),
              Succeeds());
  EXPECT_EQ(shell("seq 1500000 | " + std::string(kTool) + "query -c f").out, "1500000\n");
  EXPECT_EQ(shell("ls").out, "f\nf.shards\n");
}

}  // namespace
}  // namespace crivo::testing
