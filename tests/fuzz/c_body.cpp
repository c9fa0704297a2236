// Calls of the C interface in any order, with sound and hostile arguments, beside a model: how often each key must at
// least be in each filter, the value that a map has for it, the side of an exact filter on which it is, and how often
// it is in the set of each sketch. A key that is in the model is found and counted, a call that fails changes nothing,
// and what was written reads back the same.
#include <iterator>

#include "c_session.h"
#include "fuzz_body.h"

namespace crivo::testing {
namespace {

/// By the numbers that inputs of the corpus have for them.
constexpr void (CSession::*kSteps[])() = {&CSession::create,
                                          &CSession::build,
                                          &CSession::build_in_pieces,
                                          &CSession::add_keys,
                                          &CSession::add_keys,
                                          &CSession::add_one,
                                          &CSession::add_times,
                                          &CSession::remove,
                                          &CSession::clear,
                                          &CSession::unite,
                                          &CSession::intersect,
                                          &CSession::compare,
                                          &CSession::copy,
                                          &CSession::write_and_read,
                                          &CSession::read_damaged,
                                          &CSession::describe,
                                          &CSession::call_with_anything,
                                          &CSession::use_sketches,
                                          &CSession::use_values,
                                          &CSession::save_and_open};

void step(CSession& session) { (session.*kSteps[session.input().take_below(std::size(kSteps))])(); }

}  // namespace

void fuzz_c(std::span<const std::uint8_t> input) {
  constexpr int kMaxSteps = 24;
  CSession session(input);
  for (int i = 0; i < kMaxSteps && !session.input().left().empty(); ++i) {
    step(session);
    session.check();
  }
  session.check_all();
}

}  // namespace crivo::testing
