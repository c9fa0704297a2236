// A readers-writer lock for each filter, protected by the GIL. It is needed because long operations on a filter release
// the GIL.
//
// A turn is a use of a filter during which the thread has released the GIL. Each filter has a Turns, which counts
// active turns. The fields of a Turns are accessed only with the GIL. A query that keeps the GIL waits until no turn
// changes the filter, and a change until no turn uses the filter. No Python code runs in a turn, so no thread waits for
// itself. A thread waits only while it has no turn, so there is no deadlock.
//
// A forked process has only the thread that forked, which was in no turn. So the child drops the counts of other
// threads' queries. A change by another thread stays unfinished: a thread that waits for its end waits forever.
#pragma once

#include <cstdint>

#include "python.h"

namespace crivo::python {

class Turns {
 public:
  /// Waits until a query that keeps the GIL may begin. Releases the GIL only while it waits.
  void wait_to_read() {
    if (writing_) wait_until_readable();
  }
  /// The same for a change.
  void wait_to_write() {
    if (writing_ || readers_ > 0) wait_until_writable();
  }

 private:
  friend class Turn;
  [[nodiscard]] bool is_readable() const { return !writing_; }
  [[nodiscard]] bool is_writable() const { return !writing_ && readers_ == 0; }
  void wait_until_readable();
  void wait_until_writable();
  /// In a forked process: drops the counts of threads that no longer exist.
  void drop_counts_after_fork();

  uint32_t readers_ = 0;
  /// Threads that wait to change. While there are any, no new turn that only queries begins.
  uint32_t waiting_writers_ = 0;
  uint32_t forks_ = 0;  // the process's fork count when the fields above were written
  bool writing_ = false;
};

/// Call once, before the first turn: registers a fork handler. False if there is no memory.
[[nodiscard]] bool watch_forks();

/// A turn without the GIL. The constructor waits until the turn may begin; end() or the destructor ends the turn.
class Turn {
 public:
  /// Queries one filter and changes the other; either may be null.
  Turn(Turns* read, Turns* written);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { end(); }

  /// Acquires the GIL again.
  void end();

 private:
  [[nodiscard]] bool may_begin() const;

  Turns* read_;
  Turns* written_;
  PyThreadState* state_ = nullptr;
};

}  // namespace crivo::python
