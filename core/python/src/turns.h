// Who may use a filter, where long work lets other threads run Python meanwhile: a lock for readers and writers that is
// made of the GIL.
//
// A turn is a use of a filter for which a thread has released the GIL. Each filter has a Turns, which counts those that
// run; its fields are read and written with the GIL. A question or a change that keeps the GIL waits until they have
// ended. No Python code runs in a turn, so no thread waits for itself, and who waits has no turn, so threads do not
// wait for each other.
//
// A process that was forked has only the thread that forked, which was in no turn. So the questions that others asked
// are forgotten there. A change that another thread was making stays half done, and is waited for in vain.
#pragma once

#include <cstdint>

#include "python.h"

namespace crivo::python {

class Turns {
 public:
  /// Wait until a question, or a change, that keeps the GIL may begin. These let other threads run only if they wait.
  void wait_to_ask() {
    if (changing_) wait_until_free_to_ask();
  }
  void wait_to_change() {
    if (changing_ || asking_ > 0) wait_until_free_to_change();
  }

 private:
  friend class Turn;
  [[nodiscard]] bool free_to_ask() const { return !changing_; }
  [[nodiscard]] bool free_to_change() const { return !changing_ && asking_ == 0; }
  void wait_until_free_to_ask();
  void wait_until_free_to_change();
  /// In a process that was forked: forgets the threads that it does not have.
  void forget_other_processes();

  uint32_t asking_ = 0;
  uint32_t wanting_ = 0;  // threads that wait for a change: while there are any, nobody else starts to ask for long
  uint32_t forks_ = 0;    // of the process, when the fields above were written
  bool changing_ = false;
};

/// To be called once, before the first turn: makes forks known. False if there is no memory.
[[nodiscard]] bool watch_forks();

/// A turn without the GIL: from the constructor, which waits for it, to end() or the destructor.
class Turn {
 public:
  /// Asks the one filter and changes the other; either may be null.
  Turn(Turns* asked, Turns* changed);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { end(); }

  /// Takes the GIL again.
  void end();

 private:
  [[nodiscard]] bool may_begin() const;

  Turns* asked_;
  Turns* changed_;
  PyThreadState* state_ = nullptr;
};

}  // namespace crivo::python
