// parallel_for makes every call once, on at most the given threads, and loses no exception.
#include "build/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

namespace crivo {
namespace {

TEST(ParallelFor, CallsEachOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 8U}) {
    for (const std::size_t count : {0U, 1U, 2U, 100U}) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(threads, count, [&](std::size_t i) { ++calls[i]; });
      for (const auto& times : calls) EXPECT_EQ(times, 1);
    }
  }
}

TEST(ParallelFor, ThrowsAgainWhatAnyCallThrew) {
  for (const unsigned threads : {1U, 4U}) {
    for (const std::size_t bad : {0U, 57U, 99U}) {
      EXPECT_THROW(parallel_for(threads, 100,
                                [&](std::size_t i) {
                                  if (i == bad) throw std::bad_alloc();
                                }),
                   std::bad_alloc);
    }
  }
}

TEST(ParallelFor, StartsNoCallAfterOneThrew) {
  std::atomic<int> calls = 0;
  EXPECT_THROW(parallel_for(4, 1'000'000,
                            [&](std::size_t) {
                              ++calls;
                              throw std::bad_alloc();
                            }),
               std::bad_alloc);
  EXPECT_LE(calls, 4);
}

}  // namespace
}  // namespace crivo
