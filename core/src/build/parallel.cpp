#include "build/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace crivo {
namespace {

/// The calls of one parallel_for. Each thread makes the next call, until all calls were made.
class Calls {
 public:
  Calls(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  void run() noexcept {
    for (std::size_t i = next_++; i < count_ && !failed_; i = next_++) {
      try {
        work_(i);
      } catch (...) {
        const std::scoped_lock lock(mutex_);
        if (!failed_.exchange(true)) failure_ = std::current_exception();
      }
    }
  }
  void rethrow() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
  }

 private:
  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace

void parallel_for(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work) {
  Calls calls(count, work);
  std::vector<std::thread> helpers;  // not std::jthread, which the libc++ of most systems lacks
  try {
    for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i) helpers.emplace_back([&] { calls.run(); });
  } catch (const std::system_error&) {  // the threads that have started make all calls
  } catch (const std::bad_alloc&) {
  }
  calls.run();
  for (std::thread& helper : helpers) helper.join();
  calls.rethrow();
}

}  // namespace crivo
