// Ribbon filters without a blob: lookups in any payload that opens are safe, every instruction set gives the same
// answers, and a built filter has its keys.
#include <cstring>
#include <memory>

#include "against_scalar.h"
#include "crivo/host/sizing.h"
#include "filters.h"
#include "fuzz_body.h"
#include "input.h"
#include "kinds/ribbon/layout.h"
#include "require.h"
#include "ribbon_fit.h"

namespace crivo::testing {
namespace {

/// Looked up after the hashes of the input. They reach the first start, the last start, and some between them.
constexpr std::uint64_t kQuestions[] = {0, ~0ULL, 1, 1ULL << 63, 0x5555555555555555, 0xFEDCBA9876543210};
constexpr std::size_t kMaxBatch = 70;

void ask(const FilterRef& filter, std::span<const std::uint64_t> hashes) {
  View view{filter.shape(), filter.payload().data(), filter.payload().size()};
  for (const Kernels& kernels : available_kernels()) {
    require(difference_in_answers(kernels, asking_ribbon(view.shape), view, hashes).empty(),
            "all kernels answer like scalar");
  }
  // A batch uses the payload's size only to choose one of three ways to read. No input is large enough for the second
  // and the third, so the test forges the size. All three must be safe.
  for (const std::size_t forged : {kRibbonFarBytes, kRibbonFartherBytes}) {
    view.payload_bytes = forged;
    for (const Kernels& kernels : available_kernels()) {
      require(difference_in_answers(kernels, asking_ribbon(view.shape), view, hashes).empty(), "beyond the cache, too");
    }
  }
}

/// Copies the payload to the end of an allocation that is `shift` bytes larger, so that sanitizers detect overreads.
std::optional<unsigned> open_and_ask(const Shape& shape, std::span<const std::byte> payload, std::size_t shift,
                                     std::span<const std::uint64_t> hashes) {
  const auto memory = std::make_unique<std::byte[]>(shift + payload.size());
  if (!payload.empty()) std::memcpy(memory.get() + shift, payload.data(), payload.size());
  const auto filter = FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, {memory.get() + shift, payload.size()});
  if (!filter) return std::nullopt;
  ask(*filter, hashes);
  const Stats stats = filter->stats();
  require(stats.bits_set <= stats.bits && stats.current_fp_rate >= 0 && stats.current_fp_rate <= 1,
          "stats are in their ranges");
  return RibbonHeader(load_le<std::uint64_t>(filter->payload().data())).levels;
}

/// A filter of these hashes, or an error if they have no solution, which is possible because the input, not a hash
/// function, chose them. The kernels look up only the first `batch` hashes.
std::optional<unsigned> build_and_ask(const Shape& shape, const std::vector<std::uint64_t>& hashes, std::size_t batch) {
  FilterSpec spec{.kind = Kind::kRibbon,
                  .capacity = std::max<std::size_t>(1, hashes.size()),
                  .fp_rate = ribbon_fp_rate(shape.k, shape.param % kRibbonShares),
                  .ribbon_width = RibbonForm(shape).width};
  const auto filter = AnyFilter::build(spec, hashes);
  if (!filter) {
    require(filter.error().code == ErrorCode::kBadArgument, "a set without a solution is a bad argument");
    return std::nullopt;
  }
  require(count_found(filter->ref(), hashes) == hashes.size(), "every key is found");
  const auto levels =
      open_and_ask(filter->shape(), filter->payload(), 0, std::span(hashes).first(std::min(batch, hashes.size())));
  require(levels.has_value(), "what was built can be opened");
  return levels;
}

}  // namespace

std::optional<unsigned> fuzz_ribbon(std::span<const std::uint8_t> bytes) {
  Input input(bytes);
  enum Use : std::uint8_t { kAsItIs, kBuilt, kFittedTooSmall };  // other values: fitted
  const unsigned use = input.take_below(8);
  Shape shape{.kind = Kind::kRibbon, .k = input.take<std::uint8_t>(), .param = input.take<std::uint16_t>()};
  const std::size_t batch = input.take_below(kMaxBatch + 1);
  const std::size_t shift = input.take_below(64);
  std::vector<std::uint64_t> hashes = take_hashes(input);
  std::vector<std::byte> payload = ribbon_words(shape, input.left());
  if (use != kAsItIs) fit_ribbon(shape, payload, use == kFittedTooSmall ? 1 : kMinRibbonBlocks);
  if (use == kBuilt) return build_and_ask(shape, hashes, batch);
  for (std::size_t i = 0; hashes.size() < batch; ++i) hashes.push_back(kQuestions[i % std::size(kQuestions)] + i);
  hashes.resize(batch);
  return open_and_ask(shape, payload, shift, hashes);
}

}  // namespace crivo::testing
