// Tests files that are truncated while they are mapped: SIGBUS, with and without a guard. Each test runs in a separate
// process, because a handler stays installed.
#include "format/mapped_guard.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "mapped_files.h"
#include "missing_page.h"

namespace crivo::testing {
namespace {

void (*after_sigaction)() = nullptr;  // called once, after the next sigaction

}  // namespace
}  // namespace crivo::testing

/// Replaces libc's sigaction, to simulate what another thread does between two calls.
extern "C" int sigaction(int number, const struct sigaction* wanted, struct sigaction* old) noexcept {
  static const auto real = reinterpret_cast<decltype(&::sigaction)>(::dlsym(RTLD_NEXT, "sigaction"));
  const int result = real(number, wanted, old);
  if (auto* const work = std::exchange(crivo::testing::after_sigaction, nullptr)) work();
  return result;
}

namespace crivo::testing {
namespace {

/// Restores the default action. The sanitizers install a handler of their own.
void without_handler() { ::signal(SIGBUS, SIG_DFL); }

/// Skips systems that do not report the fault address, by which the guard recognizes its files.
class GuardedFileDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sigbus_reports_the_address()) GTEST_SKIP() << kNoFaultAddress;
  }
};

void die_of_a_truncated_file() {
  without_handler();
  const std::string path = write_file("bus", blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable));
  const MappedFilter mapped = open_file(path);
  std::filesystem::resize_file(path, 100);
  (void)mapped.verify();
}

TEST(MappedFileDeathTest, WithoutAGuardATruncatedFileEndsTheProcess) {
  EXPECT_EXIT(die_of_a_truncated_file(), ::testing::KilledBySignal(SIGBUS), "");
}

/// Exits with 0 if every lookup in a truncated file is an error, before and after its end.
[[noreturn]] void survive_a_truncated_file(BlobForm form) {
  if (!guard_mapped_files() || !guard_mapped_files()) std::_Exit(2);
  for (const KindInfo& kind : kinds()) {
    const std::string path = write_file("guarded", blob_of(filter_of(kind.kind).ref(), form));
    const MappedFilter mapped = open_file(path);
    const MappedFilter trusting = open_file(path, kStill);
    std::filesystem::resize_file(path, 5000);
    const auto hashes = some_hashes();
    const auto hits = std::make_unique<bool[]>(hashes.size());
    for (const std::uint64_t hash : hashes) {
      if (mapped.may_contain_hash(hash).has_value()) std::_Exit(3);
    }
    if (mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()}) || mapped.verify()) std::_Exit(4);
    // Without a check of the file, the first read after its end reports the truncation.
    const Result<void> asked = trusting.may_contain_hashes(hashes, {hits.get(), hashes.size()});
    if (asked || asked.error().message.find("truncated") == std::string::npos) std::_Exit(5);
    for (const std::uint64_t hash : hashes) {
      if (trusting.may_contain_hash(hash).has_value()) std::_Exit(6);
    }
  }
  std::_Exit(0);
}

TEST_F(GuardedFileDeathTest, WithAGuardATruncatedFileIsAnError) {
  EXPECT_EXIT(survive_a_truncated_file(BlobForm::kMappable), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(survive_a_truncated_file(BlobForm::kRaw), ::testing::ExitedWithCode(0), "");
}

/// Exits with 0 if a batch of lookups fails with an error after the file was cut in the first level of a large ribbon.
/// The cut loses some of the bits that say which keys are bumped.
[[noreturn]] void survive_a_truncated_large_ribbon() {
  if (!guard_mapped_files()) std::_Exit(2);
  const FilterSpec spec{.kind = Kind::kRibbon, .capacity = 2'600'000, .fp_rate = 1e-5, .seed = 7};
  const AnyFilter filter = build_filter(spec, spec.capacity);
  const std::string path = write_file("large_ribbon", blob_of(filter.ref(), BlobForm::kRaw));
  const MappedFilter mapped = open_file(path, kStill);
  std::filesystem::resize_file(path, 4096);
  const auto hashes = some_hashes(100'000);
  const auto hits = std::make_unique<bool[]>(hashes.size());
  const Result<void> asked = mapped.may_contain_hashes(hashes, {hits.get(), hashes.size()});
  std::_Exit(asked ? 3 : 0);
}

TEST_F(GuardedFileDeathTest, AGuardCatchesATruncatedLargeRibbon) {
  EXPECT_EXIT(survive_a_truncated_large_ribbon(), ::testing::ExitedWithCode(0), "");
}

/// Exits with 0 if, of two nested reads, the outer one can lose its file without affecting the inner one.
[[noreturn]] void survive_two_truncated_files() {
  if (!guard_mapped_files()) std::_Exit(2);
  const Bytes blob = blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable);
  const std::string path = write_file("outer", blob);
  const MappedFilter outer = open_file(path, kStill);
  const MappedFilter inner = open_file(write_file("inner", blob), kStill);
  Result<void> inside;
  const Result<void> outside = outer.look_at_whole([&](const FilterRef& lost) {
    inside = inner.look_at_whole([&](const FilterRef&) {
      std::filesystem::resize_file(path, 100);
      (void)lost.stats();
    });
  });
  std::_Exit(inside && !outside ? 0 : 3);
}

TEST_F(GuardedFileDeathTest, WithAGuardTheOuterOfTwoFilesMayBeLost) {
  EXPECT_EXIT(survive_two_truncated_files(), ::testing::ExitedWithCode(0), "");
}

TEST(MappedFileDeathTest, TheGuardHandsOnWhatIsNotItsOwn) {
  const auto with_no_handler = [] {
    without_handler();
    (void)guard_mapped_files();
    (void)*missing_page();
  };
  EXPECT_EXIT(with_no_handler(), ::testing::KilledBySignal(SIGBUS), "");
  const auto with_a_handler = [] {
    ::signal(SIGBUS, [](int) { ::_exit(42); });
    (void)guard_mapped_files();
    (void)*missing_page();
  };
  EXPECT_EXIT(with_a_handler(), ::testing::ExitedWithCode(42), "");
  const auto sent = [] {
    without_handler();
    (void)guard_mapped_files();
    ::raise(SIGBUS);
  };
  EXPECT_EXIT(sent(), ::testing::KilledBySignal(SIGBUS), "");
}

TEST(MappedFileDeathTest, TheGuardHandsOnToAHandlerThatIsSetWhileItIsInstalled) {
  const auto set_both = [] {
    without_handler();
    after_sigaction = [] {
      struct sigaction theirs {};
      theirs.sa_handler = [](int) { std::_Exit(7); };
      ::sigaction(SIGBUS, &theirs, nullptr);
    };
    (void)guard_mapped_files();
    ::raise(SIGBUS);
  };
  EXPECT_EXIT(set_both(), ::testing::ExitedWithCode(7), "");
}

// A lookup in a FilterRef from whole() ends the process if the file shrinks.
TEST(MappedFileDeathTest, ReadsOutsideACallAreNotGuarded) {
  const auto ask_the_whole = [] {
    without_handler();
    (void)guard_mapped_files();
    const std::string path = write_file("outside", blob_of(filter_of(Kind::kBlocked).ref(), BlobForm::kMappable));
    const MappedFilter mapped = open_file(path);
    const auto whole = mapped.whole();
    std::filesystem::resize_file(path, 0);
    (void)whole->may_contain(present_key(1));
  };
  EXPECT_EXIT(ask_the_whole(), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace crivo::testing
