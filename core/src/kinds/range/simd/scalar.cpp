// The range kind without special instructions, and its questions to a payload that a gate stands before.
#include <algorithm>
#include <bit>

#include "crivo/ordered.h"
#include "kinds/range/gated.h"
#include "kinds/range/kernels.h"
#include "kinds/range/layout.h"
#include "kinds/target.h"

#define CRIVO_TARGET CRIVO_TARGET_SCALAR

namespace crivo {
namespace {

/// Halves the word until one bit is left.
std::uint64_t select_bit(std::uint64_t word, std::uint64_t rank) noexcept {
  std::uint64_t place = 0;
  for (unsigned width = 32; width > 0; width /= 2) {
    const auto below = static_cast<std::uint64_t>(std::popcount((word >> place) & ((std::uint64_t{1} << width) - 1)));
    if (rank >= below) {
      rank -= below;
      place += width;
    }
  }
  return place;
}

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

const RangeKernels RangeKernels::kScalar = {.range = kRangeProbe};

}  // namespace crivo
