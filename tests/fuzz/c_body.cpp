// Calls of the C interface in any order, with sound and hostile arguments, beside a model: how often each key must at
// least be in each filter. A key that is in the model is found and counted, a call that fails changes nothing, and what
// was written reads back the same.
#include "c_session.h"
#include "fuzz_body.h"

namespace crivo::testing {
namespace {

void step(CSession& session) {
  switch (session.input().take_below(20)) {
    case 0:
      return session.create();
    case 1:
      return session.build();
    case 2:
      return session.build_in_pieces();
    case 3:
    case 4:
      return session.add_keys();
    case 5:
      return session.add_one();
    case 6:
      return session.add_times();
    case 7:
      return session.remove();
    case 8:
      return session.clear();
    case 9:
      return session.merge(&crivo_unite);
    case 10:
      return session.merge(&crivo_intersect);
    case 11:
      return session.compare();
    case 12:
      return session.copy();
    case 13:
      return session.write_and_read();
    case 14:
      return session.read_damaged();
    case 15:
      return session.describe();
    default:
      return session.call_with_anything();
  }
}

}  // namespace

void fuzz_c(std::span<const std::uint8_t> input) {
  constexpr int kMostSteps = 24;
  CSession session(input);
  for (int i = 0; i < kMostSteps && !session.input().left().empty(); ++i) {
    step(session);
    session.check();
  }
  session.check_all();
}

}  // namespace crivo::testing
