// The tool, C++ and SQL make the same bytes from the same keys.
#include "crivo/blob.h"
#include "crivo/filter.h"
#include "shell.h"

namespace crivo::testing {
namespace {

constexpr int kKeys = 3000;

struct Asked {
  const char* kind;
  std::uint64_t seed;
};

void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.kind << " with seed " << asked.seed; }

class SameBytes : public ToolTest, public ::testing::WithParamInterface<Asked> {
 protected:
  SameBytes() {
    crivo(std::string("build -o tool --raw --capacity 4000 --fp-rate 0.003 --kind ") + GetParam().kind + " --seed " +
              std::to_string(GetParam().seed),
          numbered_lines(kKeys));
  }
};

TEST_P(SameBytes, AsCpp) {
  FilterSpec spec{.capacity = 4000, .fp_rate = 0.003, .seed = GetParam().seed};
  ASSERT_TRUE(choose_kind(spec, GetParam().kind));
  Result<AnyFilter> filter = AnyFilter::create(spec);
  for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(filter->add("key " + std::to_string(i)));
  const auto blob = to_blob(filter->ref(), BlobForm::kRaw);
  EXPECT_EQ(read("tool"), std::string(reinterpret_cast<const char*>(blob->data()), blob->size()));
}

#ifdef CRIVO_SO
TEST_P(SameBytes, AsSql) {
  write("keys", numbered_lines(kKeys));
  const std::string script = std::string(".load '" CRIVO_SO "'\nCREATE TABLE keys(key TEXT);\n.import keys keys\n") +
                             "SELECT writefile('sql', bloom_raw(bloom_agg(key, 4000, 0.003, '" + GetParam().kind +
                             "', " + std::to_string(static_cast<std::int64_t>(GetParam().seed)) +
                             "))) FROM keys;\nSELECT bloom_info(readfile('tool'));\n";
  const Outcome run = shell("'" SQLITE3_SHELL "' :memory:", script);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(read("tool"), read("sql"));
  EXPECT_THAT(run.out, EndsWith(crivo("info --json tool").out));
}

TEST_F(ToolTest, SqlReadsAFileThatIsMadeToBeMapped) {
  ASSERT_THAT(crivo("build -q --mappable -o f", numbered_lines(1000)), Succeeds());
  ASSERT_THAT(crivo("build -q --raw -o raw", numbered_lines(1000)), Succeeds());
  const std::string script =
      ".load '" CRIVO_SO
      "'\nSELECT bloom_contains(readfile('f'), 'key 5'), bloom_info(readfile('f')) ->> 'codec', "
      "bloom_raw(readfile('f')) = readfile('raw'), bloom_add(readfile('f'), 'x') = bloom_add(readfile('raw'), 'x');\n";
  EXPECT_EQ(shell("'" SQLITE3_SHELL "' :memory:", script).out, "1|raw+sums|1|1\n");
}
#endif

INSTANTIATE_TEST_SUITE_P(Hosts, SameBytes,
                         ::testing::Values(Asked{"blocked", 0}, Asked{"classic", UINT64_MAX}, Asked{"counting", 42},
                                           Asked{"cuckoo", 1}, Asked{"scalable", 5}));

}  // namespace
}  // namespace crivo::testing
