// Runs a function at the end of a scope.
#pragma once

#include <utility>

namespace crivo {

/// Calls `work`, which must not throw, when the scope ends, even if it ends by an exception.
template <class Work>
class [[nodiscard]] ScopeExit {
 public:
  explicit ScopeExit(Work work) : work_(std::move(work)) {}
  ScopeExit(const ScopeExit&) = delete;
  ScopeExit& operator=(const ScopeExit&) = delete;
  ~ScopeExit() { work_(); }

 private:
  Work work_;
};

}  // namespace crivo
