// The questions of gated.h, in portable code.
#include "kinds/range/gated.h"

#include <algorithm>
#include <bit>

#include "crivo/ordered.h"
#include "kinds/range/kernels.h"
#include "kinds/range/layout.h"
#include "kinds/target.h"

#define CRIVO_TARGET CRIVO_TARGET_SCALAR

namespace crivo {
namespace {

#include "kinds/range/simd/select_portable.inl.h"
// This include must follow select_bit(), which it calls.
#include "kinds/range/simd/query.inl.h"

/// Reads what the gate admits; after it has refused, nothing.
class GatedWords {
 public:
  GatedWords(const std::byte* payload, ByteGate& gate, bool& refused) noexcept
      : payload_(payload), gate_(gate), refused_(refused) {}
  [[nodiscard]] std::uint64_t operator()(std::uint64_t word) const { return read(8 * word); }
  [[nodiscard]] std::uint64_t bits_from(std::uint64_t bit) const { return read(bit / 8) >> bit % 8; }
  void prefetch(std::uint64_t) const noexcept {}

 private:
  [[nodiscard]] std::uint64_t read(std::uint64_t byte) const {
    refused_ = refused_ || !gate_.admit(byte, 8);
    return refused_ ? 0 : load_le<std::uint64_t>(payload_ + byte);
  }

  const std::byte* payload_;
  ByteGate& gate_;
  bool& refused_;
};

}  // namespace

bool admit_range_question(const View& view, std::uint64_t low, std::uint64_t high, ByteGate& gate) {
  bool refused = false;
  (void)answer_range(view, GatedWords(view.payload, gate, refused), low, high);
  return !refused;
}

}  // namespace crivo
