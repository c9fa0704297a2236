#include "build/build_task.h"

#include <algorithm>
#include <thread>

#include "base/error_text.h"

namespace crivo {
namespace {

constexpr unsigned kMaxThreads = 1024;  // a larger number is a mistake

}  // namespace

void* CountedMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  void* memory = upstream_->allocate(bytes, alignment);
  used_ += bytes;
  return memory;
}

void CountedMemory::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) {
  used_ -= bytes;
  upstream_->deallocate(memory, bytes, alignment);
}

BuildTask::BuildTask(const BuildOptions& options, const MemoryBudget& budget) noexcept
    : options_(options),
      budget_(budget),
      payload_memory_(options.payload_memory),
      memory_(options.temporary_memory != nullptr ? options.temporary_memory : std::pmr::new_delete_resource()) {
  set_reserved(0);
}

void BuildTask::set_reserved(std::uint64_t bytes) noexcept {
  const unsigned requested = options_.threads == kAllThreads ? std::thread::hardware_concurrency() : options_.threads;
  limit_ = budget_.remaining_after(bytes);
  threads_ = threads_within(limit_, std::clamp(requested, 1U, kMaxThreads));
}

std::uint64_t BuildTask::memory_left() const noexcept {
  if (!is_limited()) return limit_;
  return limit_ - std::min(limit_, memory_.used() + threads_ * kBytesPerThread);
}

Result<void> BuildTask::advance(double done) {
  done_ = std::clamp(step_from_ + (step_to_ - step_from_) * done, done_, 1.0);
  if (options_.progress == nullptr || options_.progress(done_)) return {};
  return error(ErrorCode::kCancelled, "cancelled by the progress function");
}

}  // namespace crivo
