// The environment variable CRIVO_ISA, in a separate process for each value.
#include <gmock/gmock.h>

#include <cstdio>
#include <memory>
#include <sstream>

#include "crivo/version.h"
#include "environment.h"
#include "kernels.h"

namespace crivo {
namespace {

struct Answer {
  std::string isa;
  std::string digest;
};

/// Runs print_isa with these assignments of environment variables before it.
Answer run_with(const std::string& environment) {
  const std::string command = environment + " " CRIVO_PRINT_ISA;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  char line[200] = {};
  if (pipe == nullptr || std::fgets(line, sizeof line, pipe.get()) == nullptr) return {};
  Answer answer;
  std::istringstream(line) >> answer.isa >> answer.digest;
  return answer;
}

std::string best_isa() { return std::string(available_isas().back().name); }

TEST(Isa, UsesTheBestLevelUnlessTold) { EXPECT_EQ(run_with("env -u CRIVO_ISA").isa, best_isa()); }

TEST(Isa, ALevelTheMachineLacksBecomesTheBestLowerOne) {
  std::string expected;
  for (const IsaLevel& level : all_isas()) {
    if (level.supported()) expected = level.name;
    EXPECT_EQ(run_with("CRIVO_ISA=" + std::string(level.name)).isa, expected);
  }
}

TEST(Isa, AnUnknownNameIsReportedOnRequest) {
  EXPECT_EQ(run_with("CRIVO_ISA=altivec").isa, best_isa());
  EXPECT_EQ(run_with("CRIVO_ISA=").isa, best_isa());
  const testing::Environment altivec("CRIVO_ISA", "altivec");
  ASSERT_FALSE(check_isa());
  EXPECT_THAT(check_isa().error().message, ::testing::AllOf(::testing::StartsWith("CRIVO_ISA must be one of scalar"),
                                                            ::testing::EndsWith(", got altivec")));
  for (const IsaLevel& level : all_isas()) {
    const testing::Environment known("CRIVO_ISA", std::string(level.name));
    EXPECT_TRUE(check_isa());
  }
}

TEST(Isa, EveryLevelBuildsTheSameFilter) {
  const std::string digest = run_with("CRIVO_ISA=scalar").digest;
  ASSERT_FALSE(digest.empty());
  for (const IsaLevel& level : all_isas()) EXPECT_EQ(run_with("CRIVO_ISA=" + std::string(level.name)).digest, digest);
}

#if defined(__x86_64__)
TEST(Isa, FindsTheLevelsOfThisCpu) {
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                          __builtin_cpu_supports("avx512vpopcntdq");
  EXPECT_EQ(best_isa(), has_avx512 ? "avx512" : has_avx2 ? "avx2" : "scalar");
}
#endif

}  // namespace
}  // namespace crivo
