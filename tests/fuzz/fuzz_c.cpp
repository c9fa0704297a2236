// Calls the C interface in any order, with valid and hostile arguments, and compares it with a model. The model has
// each key's minimum count per filter, its value per map, its side per exact filter, and its copies per sketch. A key
// in the model is found and counted, a failed call changes nothing, and stored bytes are read back unchanged.
#include <iterator>

#include "c_session.h"
#include "fuzz_body.h"

namespace crivo::testing {
namespace {

/// The corpus depends on this order: an input selects a step by its number.
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
