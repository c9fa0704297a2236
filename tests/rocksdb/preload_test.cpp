// libcrivo_rocksdb_preload.so gives filters to unchanged programs.
#include "../tool/shell.h"

namespace crivo::testing {
namespace {

constexpr const char* kAuto = "CRIVO_ROCKSDB=crivo.Auto:10";

class Preloaded : public ToolTest {
 protected:
  /// Runs the program, which opens a new database in this way, with these environment variables.
  Outcome run(const std::string& way, const std::string& variables = kAuto) {
    return shell("rm -rf db db-second; " + variables + " LD_PRELOAD=" CRIVO_PRELOAD_SO " " UNCHANGED_PROGRAM " " + way +
                 " db");
  }
  /// The lines in LOG that Crivo wrote.
  std::string log() { return shell("grep -o 'crivo: .*' db/LOG").out; }
  void expect_walks_lose_nothing(int count);
};

TEST_F(Preloaded, GivesFiltersHoweverADatabaseIsOpened) {
  for (const char* way : {"open", "defaults", "read_only", "secondary", "transactions", "optimistic", "ttl"}) {
    EXPECT_THAT(run(way), Exits(0, "", "default crivo.Auto:10 lost 0 saved reads: most\n")) << way;
    EXPECT_EQ(log(), "") << way;
  }
  EXPECT_THAT(run("create"), Exits(0, "",
                                   "default crivo.Auto:10 lost 0 saved reads: most\n"
                                   "created crivo.Auto:10 lost 0 saved reads: most\n"));
  EXPECT_THAT(run("c"), Exits(0, "", "default lost 0 saved reads: most\n"));
}

TEST_F(Preloaded, DoesNothingWithoutTheVariable) {
  for (const char* variables : {"", "CRIVO_ROCKSDB=", "CRIVO_ROCKSDB_REPLACE=1"}) {
    EXPECT_THAT(run("open", variables), Exits(0, "", "default none lost 0 saved reads: none\n")) << variables;
    EXPECT_EQ(log(), "") << variables;
  }
  EXPECT_THAT(run("c", ""), Exits(0, "", "default lost 0 saved reads: none\n"));
}

TEST_F(Preloaded, TakesEveryPolicyThatAnOptionStringNames) {
  EXPECT_THAT(run("open", "CRIVO_ROCKSDB='{id=crivo.Ribbon;fp_rate=0.01}'"),
              Says("default crivo.Ribbon:fp_rate:0.01:0 lost 0 saved reads: most\n"));
  EXPECT_THAT(run("open", "CRIVO_ROCKSDB=crivo.Bloom:fp_rate:0.01"),
              Says("default crivo.Bloom:fp_rate:0.01 lost 0 saved reads: most\n"));
}

TEST_F(Preloaded, KeepsWhatTheProgramChose) {
  EXPECT_THAT(run("builtin"), Says(StartsWith("default bloomfilter:10")));
  EXPECT_EQ(log(),
            "crivo: this column family gets no filters from CRIVO_ROCKSDB: filter_policy is bloomfilter, set "
            "by the program; CRIVO_ROCKSDB_REPLACE=1 replaces it\n");
  EXPECT_THAT(run("builtin", std::string(kAuto) + " CRIVO_ROCKSDB_REPLACE=1"),
              Says("default crivo.Auto:10 lost 0 saved reads: most\n"));
  EXPECT_EQ(log(), "");
}

TEST_F(Preloaded, KeepsABuiltinPolicyThatWritesNone) {
  for (const char* variables : {"", " CRIVO_ROCKSDB_REPLACE=1"}) {
    EXPECT_THAT(run("builtin_none", kAuto + std::string(variables)),
                Exits(0, "", StartsWith("default bloomfilter:0:false lost 0 saved reads: none\n")))
        << variables;
    EXPECT_EQ(log(),
              "crivo: this column family gets no filters from CRIVO_ROCKSDB: filter_policy is bloomfilter:0:false, "
              "set by the program, and writes no filters\n")
        << variables;
  }
}

TEST_F(Preloaded, ReplacesABuiltinPolicyBesideAPrefixExtractor) {
  EXPECT_THAT(run("builtin_prefixes"), Says(StartsWith("default bloomfilter:10")));
  EXPECT_THAT(run("builtin_prefixes", std::string(kAuto) + " CRIVO_ROCKSDB_REPLACE=1"),
              Says(StartsWith("default crivo.Auto:10 lost 0 ")));
  EXPECT_EQ(log(), "");
}

// With filters, an iterator after a seek may omit keys of other prefixes, which it finds without filters.
TEST_F(Preloaded, GivesNoneWhereIteratorsWouldLoseKeys) {
  EXPECT_THAT(run("prefixes"), Exits(0, "", "default none lost 0 saved reads: none\n"));
  EXPECT_THAT(
      log(),
      StartsWith("crivo: this column family gets no filters from CRIVO_ROCKSDB: prefix_extractor must be unset, "));
  EXPECT_THAT(run("prefixes", std::string(kAuto) + " CRIVO_ROCKSDB_PREFIXES=1"),
              Says(StartsWith("default crivo.Auto:10 lost 0 ")));  // versions count prefixes differently
  EXPECT_THAT(shell("grep whole_key_filtering db/LOG").out, HasSubstr("whole_key_filtering: 0"));
}

TEST_F(Preloaded, GivesNoneToOtherTables) {
  EXPECT_THAT(run("wrapped"), Exits(0, "", "default test.Wrapper lost 0 saved reads: none\n"));
  EXPECT_THAT(log(), HasSubstr("table_factory must be BlockBasedTable, got test.Wrapper"));
}

TEST_F(Preloaded, LeavesAProgramThatPrintsItsOptionsAlone) {
  for (const char* variables : {"", kAuto}) EXPECT_THAT(run("dump", variables), Succeeds("")) << variables;
}

// A program may read its options strictly. They name Crivo's policy, so the name must be known.
TEST_F(Preloaded, KnowsThePolicyThatAnOptionsFileNames) {
  EXPECT_THAT(run("open"), Succeeds(""));
  const std::string again = " LD_PRELOAD=" CRIVO_PRELOAD_SO " " UNCHANGED_PROGRAM " strict db";
  EXPECT_THAT(shell(kAuto + again), Exits(0, "", StartsWith("default crivo.Auto:10 lost 0 ")));
  EXPECT_EQ(log(), "");
  EXPECT_THAT(shell("CRIVO_ROCKSDB=crivo.Auto:12" + again), Exits(0, "", StartsWith("default crivo.Auto:10 lost 0 ")));
  EXPECT_EQ(log(),
            "crivo: this column family gets no filters from CRIVO_ROCKSDB: filter_policy is already crivo.Auto:10, "
            "set by the program or its OPTIONS file; crivo sst refilter --policy changes it\n");
}

TEST_F(Preloaded, FindsThePluginFromAnotherFolderThanItWasStartedIn) {
  EXPECT_THAT(shell("ln -s $(dirname " CRIVO_PRELOAD_SO ") rel; mkdir db; " + std::string(kAuto) +
                    " LD_PRELOAD=rel/$(basename " CRIVO_PRELOAD_SO ") " UNCHANGED_PROGRAM " elsewhere $PWD/db"),
              Exits(0, "", "default crivo.Auto:10 lost 0 saved reads: most\n"));
}

TEST_F(Preloaded, SaysNothingIntoAFileOfTheProgram) {
  EXPECT_THAT(shell("CRIVO_ROCKSDB=wrong LD_PRELOAD=" CRIVO_PRELOAD_SO " " UNCHANGED_PROGRAM " open db 2>&-"),
              Succeeds());
  EXPECT_THAT(shell("grep -r 'crivo: no filters: ' db").out, "");
}

// The families share one table factory, but only one of them may get filters.
TEST_F(Preloaded, GivesNoneWhereOtherBytesCanBeTheSameKey) {
  EXPECT_THAT(run("families"), Exits(0, "",
                                     "default crivo.Auto:10 lost 0 saved reads: most\n"
                                     "texts none lost 0 saved reads: none\n"));
  EXPECT_EQ(log(),
            "crivo: this column family gets no filters from CRIVO_ROCKSDB: comparator must not treat different bytes "
            "as equal, or "
            "CRIVO_ROCKSDB must name a key_transform, got test.IgnoresCase\n");
  for (const char* policy : {"'{id=crivo.Auto;key_transform=lower_ascii}'", "crivo.Auto:10:key_transform:lower_ascii",
                             "'{ id = crivo.Auto; key_transform = lower_ascii }'"}) {
    EXPECT_THAT(run("families", "CRIVO_ROCKSDB=" + std::string(policy)),
                Says("default crivo.Auto:10:key_transform:lower_ascii lost 0 saved reads: most\n"
                     "texts crivo.Auto:10:key_transform:lower_ascii lost 0 saved reads: most\n"))
        << policy;
  }
}

TEST_F(Preloaded, LeavesAProgramUnharmedWhateverTheVariableSays) {
  for (const char* wrong :
       {"crivo.Auto:-1", "crivo.Nothing:10", "nonsense", "'{id=crivo.Auto;bits=1}'", "bloomfilter:10", "' '", "'{}'"}) {
    const Outcome outcome = run("open", "CRIVO_ROCKSDB=" + std::string(wrong));
    EXPECT_THAT(outcome, Exits(0, StartsWith("crivo: no filters: CRIVO_ROCKSDB must be a filter policy, got "),
                               "default none lost 0 saved reads: none\n"))
        << wrong;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    EXPECT_THAT(log(),
                StartsWith("crivo: this column family gets no filters from CRIVO_ROCKSDB: CRIVO_ROCKSDB must be"))
        << wrong;
  }
}

// A module may contain its own RocksDB, which must call its own functions. Here it is a copy of librocksdb with another
// soname.
TEST_F(Preloaded, LeavesAnotherRocksdbAlone) {
  if (shell("python3 -c 'import ctypes'").exit_code != 0) GTEST_SKIP() << "python3 is not installed";
  ASSERT_THAT(shell("file=$(ldd " UNCHANGED_PROGRAM " | sed -n 's/.* => \\(.*librocksdb[^ ]*\\) .*/\\1/p') && "
                    "sed 's/librocksdb.so/libanother.so/g' \"$file\" >libanother.so"),
              Succeeds());
  write("program.py",
        "import ctypes\n"
        "r = ctypes.CDLL('./libanother.so')\n"
        "for name in ('rocksdb_options_create', 'rocksdb_open', 'rocksdb_get', 'rocksdb_writeoptions_create'):\n"
        "  getattr(r, name).restype = ctypes.c_void_p\n"
        "options = ctypes.c_void_p(r.rocksdb_options_create())\n"
        "r.rocksdb_options_set_create_if_missing(options, 1)\n"
        "error = ctypes.c_char_p()\n"
        "db = ctypes.c_void_p(r.rocksdb_open(options, b'db', ctypes.byref(error)))\n"
        "print(error.value)\n"
        "r.rocksdb_put(db, ctypes.c_void_p(r.rocksdb_writeoptions_create()), b'k', ctypes.c_size_t(1), b'v', "
        "ctypes.c_size_t(1), ctypes.byref(error))\n"
        "r.rocksdb_close(db)\n"
        "print(error.value)\n");
  EXPECT_THAT(shell(std::string(kAuto) + " LD_PRELOAD=" CRIVO_PRELOAD_SO " python3 program.py"),
              Exits(0, AllOf(StartsWith("crivo: no filters: librocksdb must be "), HasSubstr("got ./libanother.so\n")),
                    "None\nNone\n"));
}

TEST_F(Preloaded, SaysThatTheLibraryHasAnotherVersion) {
  EXPECT_THAT(
      shell(std::string(kAuto) + " LD_PRELOAD=" CRIVO_PRELOAD_SO ":" FAKE_VERSION_SO " " UNCHANGED_PROGRAM " open db"),
      Exits(0, HasSubstr("crivo: librocksdb must be version"), "default none lost 0 saved reads: none\n"));
}

TEST_F(Preloaded, LeavesOtherProgramsAlone) {
  EXPECT_THAT(shell(std::string(kAuto) + " LD_PRELOAD=" CRIVO_PRELOAD_SO " cat /dev/null"), Succeeds(""));
}

// A database with filters can be read without the library. With the library again, its new files get filters.
TEST_F(Preloaded, ComesAndGoes) {
  ASSERT_THAT(run("open"), Succeeds(""));
  EXPECT_THAT(shell(UNCHANGED_PROGRAM " open db"), Says("default none lost 0 saved reads: none\n"));
  EXPECT_THAT(shell(std::string(kAuto) + " LD_PRELOAD=" CRIVO_PRELOAD_SO " " UNCHANGED_PROGRAM " open db"),
              Says(StartsWith("default crivo.Auto:10 lost 0 saved reads: ")));
}

TEST_F(Preloaded, RunsAProgramByTheTool) {
  if (*CRIVO_TOOL == '\0') GTEST_SKIP() << "the tool is not built";
  EXPECT_THAT(crivo("rocksdb run -- " UNCHANGED_PROGRAM " open db"),
              Says("default crivo.Auto:10 lost 0 saved reads: most\n"));
  EXPECT_THAT(shell("rm -r db"), Succeeds());
  EXPECT_THAT(crivo("rocksdb run --replace --policy crivo.Bloom:12 -- " UNCHANGED_PROGRAM " builtin db"),
              Says("default crivo.Bloom:12 lost 0 saved reads: most\n"));
  EXPECT_EQ(crivo("rocksdb run -- sh -c 'echo \"$CRIVO_ROCKSDB\"; exit 3'").exit_code, 3);
  EXPECT_THAT(crivo("rocksdb run -- nowhere"),
              Exits(127, "crivo rocksdb run: PROGRAM must be executable, got nowhere: No such file or directory\n"));
  EXPECT_THAT(crivo("rocksdb run -- /"), Exits(126, HasSubstr("got /: Permission denied")));
  EXPECT_THAT(
      crivo("rocksdb run --policy crivo.Auto:-1 -- true"),
      Fails(StartsWith(
          "crivo rocksdb run: --policy must name a filter policy, such as crivo.Auto:10 or bloomfilter:10, got ")));
}

TEST_F(Preloaded, SaysWhatARunWouldDo) {
  if (*CRIVO_TOOL == '\0') GTEST_SKIP() << "the tool is not built";
  EXPECT_THAT(
      crivo("rocksdb run --check -- " UNCHANGED_PROGRAM " open db"),
      Exits(0, "",
            UNCHANGED_PROGRAM ": column families without a filter policy get crivo.Auto:10, except those with a prefix "
                              "extractor or a comparator of the program's own, which LOG names\n"));
  EXPECT_THAT(crivo("rocksdb run --check --replace --prefixes -- " UNCHANGED_PROGRAM " open db"),
              Exits(0, "",
                    UNCHANGED_PROGRAM
                    ": column families without a filter policy get crivo.Auto:10, except those with a comparator "
                    "of the program's own, which LOG names; RocksDB's own filters are replaced, with or without a "
                    "prefix extractor\n"));
  EXPECT_THAT(crivo("rocksdb run --check -- cat"), Exits(1, "", HasSubstr("/cat: not linked to librocksdb")));
  EXPECT_EQ(crivo("rocksdb run --check -- nowhere").err,
            "crivo rocksdb run: PROGRAM must be executable, got nowhere\n");
  EXPECT_THAT(shell("PATH=" + path("").string() + " '" CRIVO_TOOL "' rocksdb run --check -- " UNCHANGED_PROGRAM),
              Fails(HasSubstr("ldd must run")));
  EXPECT_FALSE(std::filesystem::exists(path("db")));
}

/// Runs this number of random walks in a program that sets no policy.
void Preloaded::expect_walks_lose_nothing(int count) {
  const std::string walks = " CRIVO_MODEL_NO_POLICY=1 LD_PRELOAD=" CRIVO_PRELOAD_SO " " MODEL_TESTS
                            " --gtest_filter=RocksdbModel.LosesNothingOnRandomWalks 2>&1";
  const std::string numbered_walks = " CRIVO_MODEL_WALKS=" + std::to_string(count) + walks;
  for (const char* policy : {"crivo.Auto:10", "crivo.Ribbon:fp_rate:0.001:-1"}) {
    const Outcome outcome = shell("CRIVO_ROCKSDB_PREFIXES=1 CRIVO_ROCKSDB=" + std::string(policy) + numbered_walks);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    EXPECT_THAT(outcome.out, HasSubstr("[  PASSED  ] 1 test")) << "most walks had filters that were useful";
  }
  EXPECT_NE(shell("CRIVO_MODEL_WALKS=2" + walks).exit_code, 0) << "without filters the walks prove nothing";
}

TEST_F(Preloaded, LosesNoKeyOnRandomWalks) { expect_walks_lose_nothing(6); }
TEST_F(Preloaded, LosesNoKeyOnLongSeriesOfRandomWalks) { expect_walks_lose_nothing(60); }

}  // namespace
}  // namespace crivo::testing
