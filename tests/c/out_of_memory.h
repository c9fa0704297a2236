// Makes each allocation of a call fail: this allocation alone, and together with all later ones.
#pragma once

#include <malloc.h>

#include <string>

#include "c_filters.h"
#include "process_faults.h"

#ifdef CRIVO_PROCESS_FAULTS
namespace crivo::testing {

/// In the heap, and in blocks that malloc maps one by one.
inline std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Calls `call` while these allocations fail, and returns its result.
template <class Call>
auto with_faults(const Faults& faults, Call&& call) {
  process_faults = faults;
  const auto returned = call();
  process_faults.armed = false;
  return returned;
}
inline constexpr Faults kAllFail = {true, true, 1};

/// The bytes that a call keeps, and its status.
struct Kept {
  crivo_status status;
  std::size_t bytes;
};

/// Runs `crivo_status call(crivo_error*)` with these faults. The result must be CRIVO_OK or CRIVO_NO_MEMORY.
template <class Call>
Kept run_with_faults(const Faults& faults, Call&& call) {
  crivo_error error{};
  const std::size_t before = bytes_in_use();
  const crivo_status status = with_faults(faults, [&] { return call(&error); });
  const std::size_t after = bytes_in_use();
  if (status != CRIVO_OK) {
    EXPECT_EQ(status, CRIVO_NO_MEMORY) << error.message;
    EXPECT_STREQ(error.message, "out of memory");
  }
  return {status, after - before};
}

/// Runs `crivo_status call(crivo_error*)` repeatedly, with one more successful allocation each time, until none fails.
/// Calls `check(status)` after each run. With `may_keep_memory`, a failed call may have enlarged its filter.
template <class Call, class Check>
void fail_every_allocation(Call&& call, Check&& check, bool may_keep_memory = false) {
  for (const bool persistent : {false, true}) {
    for (std::int64_t nth = 1;; ++nth) {
      SCOPED_TRACE("allocation " + std::to_string(nth) + (persistent ? " and all after it" : ""));
      ASSERT_LT(nth, 5000) << "the call must need fewer allocations";
      const Faults faults = {true, persistent, nth};
      Kept kept = run_with_faults(faults, call);
      check(kept.status);
      if (kept.status != CRIVO_OK && kept.bytes != 0 && !may_keep_memory) {
        // glibc itself keeps 32 bytes where its heap is not contiguous, as in an emulator without brk(). A leak recurs.
        kept = run_with_faults(faults, call);
        check(kept.status);
        EXPECT_EQ(kept.bytes, 0U) << "a call that fails must leak nothing";
      }
      if (::testing::Test::HasFailure()) return;
      if (!process_faults.struck) {
        EXPECT_EQ(kept.status, CRIVO_OK);
        break;
      }
    }
  }
}

/// fail_every_allocation() for a function that changes none of its arguments.
template <class Function, class... Args>
void fail_calling(Function&& function, Args... args) {
  fail_every_allocation([&](crivo_error* error) { return function(args..., error); }, [](crivo_status) {});
}

/// fail_calling() for a function that makes a filter or another object from these arguments.
template <class Made = crivo_filter, class Make, class... Args>
void fail_making(Make&& make, Args... args) {
  fail_calling([&](crivo_error* error) {
    Made* made = nullptr;
    const crivo_status status = make(args..., &made, error);
    EXPECT_EQ(made != nullptr, status == CRIVO_OK);
    Free()(made);
    return status;
  });
}

}  // namespace crivo::testing
#endif
