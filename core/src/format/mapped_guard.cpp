#include "format/mapped_guard.h"

#include <signal.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

#include "base/error_text.h"

namespace crivo {
namespace {

// In a library loaded by dlopen, glibc allocates thread-local variables on first use, unless they are initial-exec. A
// signal handler must not allocate. Other systems may be unable to load a library with initial-exec variables.
#ifdef __GLIBC__
#define CRIVO_IN_HANDLERS [[gnu::tls_model("initial-exec")]]
#else
#define CRIVO_IN_HANDLERS
#endif
CRIVO_IN_HANDLERS constinit thread_local const MappedRead* innermost_read = nullptr;
/// The previous handler. set_handler() stores it before it installs on_bus_error().
constinit struct sigaction previous {};

bool map_zeros(const MappedRange& range, std::size_t begin, std::size_t end) noexcept {
  if (begin >= end) return true;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  return ::mmap(range.begin + begin, end - begin, PROT_READ, kFlags, -1, 0) != MAP_FAILED;
}

/// Replaces the whole range, except its frozen pages, with zeros: a truncated file has usually lost many pages, and a
/// process has a limited number of mappings. Async-signal-safe.
bool replace_by_zeros(MappedRange& range) noexcept {
  const int interrupted_errno = errno;
  range.lost.store(true);
  bool done = true;
  std::size_t begin = 0;
  for (const MappedRange::Pages& frozen : range.frozen) {
    done = map_zeros(range, begin, frozen.begin) && done;
    begin = frozen.end;
  }
  done = map_zeros(range, begin, range.bytes) && done;
  errno = interrupted_errno;
  return done;
}

/// Forwards the signal to the previous handler, or to the default action.
void forward_signal(int signal, siginfo_t* info, void* context) noexcept {
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) return previous.sa_handler(signal);
  const bool sent_by_a_process = info->si_code <= 0;
  if (sent_by_a_process && previous.sa_handler == SIG_IGN) return;
  ::signal(signal, SIG_DFL);
  // After a failed read, returning repeats the instruction, which raises the signal again.
  if (sent_by_a_process) ::raise(signal);
}

void on_bus_error(int signal, siginfo_t* info, void* context) {
  const bool failed_to_read = info->si_code > 0;
  for (const MappedRead* read = innermost_read; failed_to_read && read != nullptr; read = read->outer()) {
    const auto begin = reinterpret_cast<std::uintptr_t>(read->range().begin);
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    if (address - begin < read->range().bytes && replace_by_zeros(read->range())) return;
  }
  forward_signal(signal, info, context);
}

/// Returns 0 or an errno. The first sigaction() stores the previous handler, in case a signal arrives before the second
/// call returns. The second call stores the handler again, in case another thread has installed another handler in
/// between.
int set_handler() noexcept {
  struct sigaction ours {};
  ours.sa_sigaction = &on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&ours.sa_mask);
  if (::sigaction(SIGBUS, nullptr, &previous) != 0 || ::sigaction(SIGBUS, &ours, &previous) != 0) return errno;
  return 0;
}

}  // namespace

// The fences prevent the compiler from moving reads of the range out of the object's lifetime.
MappedRead::MappedRead(MappedRange& range) noexcept : range_(range), outer_(innermost_read) {
  innermost_read = this;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

MappedRead::~MappedRead() {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  innermost_read = outer_;
}

Result<void> install_bus_guard() {
  static const int failure = set_handler();
  if (failure == 0) return {};
  return system_error(failure, "SIGBUS handler must be installable, got");
}

}  // namespace crivo
