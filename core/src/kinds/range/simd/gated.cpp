// Portable range queries that pass each word to a gate before they read it.
#include <algorithm>
#include <bit>
#include <new>

#include "crivo/ordered.h"
#include "kinds/isa.h"
#include "kinds/range/kernels.h"
#include "kinds/range/layout.h"

#define CRIVO_TARGET CRIVO_TARGET_SCALAR

namespace crivo {
namespace {

#include "kinds/range/simd/select_portable.inl.h"
// This include must follow select_bit(), which its functions call.
#include "kinds/range/simd/query.inl.h"

/// Whether the gate has refused, and whether memory was short. A query must not throw, so it records both here.
struct Refusal {
  bool refused = false;
  bool no_memory = false;
};

/// Reads the words that the gate admits. After a refusal, every word reads as 0.
class GatedWords {
 public:
  GatedWords(const std::byte* payload, ByteGate& gate, Refusal& refusal) noexcept
      : payload_(payload), gate_(gate), refusal_(refusal) {}
  [[nodiscard]] std::uint64_t operator()(std::uint64_t word) const { return read(8 * word); }
  [[nodiscard]] std::uint64_t bits_from(std::uint64_t bit) const { return read(bit / 8) >> bit % 8; }
  void prefetch(std::uint64_t) const noexcept {}

 private:
  [[nodiscard]] std::uint64_t read(std::uint64_t byte) const {
    try {
      refusal_.refused = refusal_.refused || !gate_.admit(byte, 8);
    } catch (const std::bad_alloc&) {
      refusal_ = {.refused = true, .no_memory = true};
    }
    return refusal_.refused ? 0 : load_le<std::uint64_t>(payload_ + byte);
  }

  const std::byte* payload_;
  ByteGate& gate_;
  Refusal& refusal_;
};

}  // namespace

bool admit_range_query(const View& view, std::uint64_t low, std::uint64_t high, ByteGate& gate) {
  Refusal refusal;
  (void)answer_range(view, GatedWords(view.payload, gate, refusal), low, high);
  if (refusal.no_memory) throw std::bad_alloc();
  return !refusal.refused;
}

}  // namespace crivo
