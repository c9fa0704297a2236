#include "turns.h"

#include <pthread.h>

#include <atomic>

namespace crivo::python {
namespace {

// One mutex for all filters suffices, because turns are long and rare. The variables below have no destructors, because
// these could run before the last use.
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t turn_ended = PTHREAD_COND_INITIALIZER;
std::atomic<uint64_t> ended{0};
uint32_t forks = 0;  // the number of forks between the first process with this module and this one

/// Runs in the child process. A thread that does not exist in the child may have held the mutex.
void after_fork() {
  mutex = PTHREAD_MUTEX_INITIALIZER;
  turn_ended = PTHREAD_COND_INITIALIZER;
  ++forks;
}

/// Releases the GIL until some turn has ended. No end is missed: a turn ends only while its thread has the GIL, and
/// this thread reads `ended` before it releases the GIL.
void wait_for_an_end() {
  const uint64_t before = ended;
  PyThreadState* state = PyEval_SaveThread();
  pthread_mutex_lock(&mutex);
  while (ended == before) pthread_cond_wait(&turn_ended, &mutex);
  pthread_mutex_unlock(&mutex);
  PyEval_RestoreThread(state);
}

void notify_turn_ended() {
  pthread_mutex_lock(&mutex);
  ++ended;
  pthread_cond_broadcast(&turn_ended);
  pthread_mutex_unlock(&mutex);
}

}  // namespace

bool watch_forks() {
  static const bool watched = pthread_atfork(nullptr, nullptr, &after_fork) == 0;
  return watched;
}

void Turns::drop_counts_after_fork() {
  if (forks_ == forks) return;
  forks_ = forks;
  readers_ = 0;
  waiting_writers_ = 0;
}

void Turns::wait_until_readable() {
  drop_counts_after_fork();
  while (!is_readable()) wait_for_an_end();
}

void Turns::wait_until_writable() {
  drop_counts_after_fork();
  ++waiting_writers_;
  while (!is_writable()) wait_for_an_end();
  --waiting_writers_;
  // Wakes threads that waited because of waiting_writers_.
  notify_turn_ended();
}

/// A turn that only queries a filter begins after all changes that wait for that filter. A turn that also changes
/// another filter does not wait for these changes: otherwise, two threads that each unite their filter with the other's
/// would deadlock.
bool Turn::may_begin() const {
  if (written_ != nullptr && !written_->is_writable()) return false;
  if (read_ == nullptr) return true;
  return read_->is_readable() && (written_ != nullptr || read_->waiting_writers_ == 0);
}

Turn::Turn(Turns* read, Turns* written) : read_(read == written ? nullptr : read), written_(written) {
  if (read_ != nullptr) read_->drop_counts_after_fork();
  if (written_ != nullptr) written_->drop_counts_after_fork();
  if (written_ != nullptr) ++written_->waiting_writers_;
  while (!may_begin()) wait_for_an_end();
  if (written_ != nullptr) {
    --written_->waiting_writers_;
    written_->writing_ = true;
  }
  if (read_ != nullptr) ++read_->readers_;
  state_ = PyEval_SaveThread();
}

void Turn::end() {
  if (state_ == nullptr) return;
  PyEval_RestoreThread(std::exchange(state_, nullptr));
  if (written_ != nullptr) written_->writing_ = false;
  if (read_ != nullptr) --read_->readers_;
  notify_turn_ended();
}

}  // namespace crivo::python
