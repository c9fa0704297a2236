// The ribbon filter: built once from all its keys. With many keys, it is usually within two percent of the information
// limit. layout.h explains how it works, and lists the papers.
#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "crivo/host/sizing.h"
#include "kinds/checks.h"
#include "kinds/isa.h"
#include "kinds/kind.h"
#include "kinds/ribbon/build.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/layout.h"
#include "kinds/ribbon/payload.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {
namespace {

struct Ribbon {
  static constexpr Kind kKind = Kind::kRibbon;
  static constexpr std::string_view kName = "ribbon";
  static constexpr const char* kUnitName = "number of words";
  static constexpr std::string_view kOption = "width: 64 or 32";
  static unsigned option_of(const Shape& shape) noexcept { return RibbonForm(shape).width; }
  static bool set_option(FilterSpec& spec, std::string_view text) {
    return read_option(spec.ribbon_width, FilterSpec().ribbon_width, text);
  }
  static std::string option_text(const FilterSpec& spec) {
    return spec.ribbon_width == kWideRibbon ? "" : std::to_string(spec.ribbon_width);
  }

  static Result<Shape> plan(const FilterSpec& spec) {
    const unsigned width = spec.ribbon_width;
    const Result<RibbonSize> size = spec.bits_per_key ? size_ribbon_by_bits(spec.capacity, *spec.bits_per_key, width)
                                                      : size_ribbon(spec.capacity, spec.fp_rate, width);
    if (!size) return size.error();
    return Shape{.kind = kKind,
                 .k = static_cast<std::uint8_t>(size->columns),
                 .param = RibbonForm(width, size->columns * std::uint64_t{kRibbonShares} + size->rich_share).param(),
                 .units = size->units,
                 .seed = spec.seed};
  }

  static Result<std::uint64_t> payload_bytes(const Shape& shape) {
    if (shape.k > kMaxRibbonColumns) {
      return corrupt("k must be in [0, ", kMaxRibbonColumns, "], got ", unsigned{shape.k});
    }
    const std::uint64_t share = RibbonForm(shape).share;
    if ((shape.k == 0 && share == 0) || (shape.k == kMaxRibbonColumns && share != 0)) {
      return corrupt("kind parameter must give more than 0 and at most ", kMaxRibbonColumns,
                     " columns with k = ", unsigned{shape.k}, ", got ", unsigned{shape.param});
    }
    return ribbon_payload_bytes(shape);
  }

  static Result<void> validate(const View& view) { return validate_ribbon(view); }
  static void prepare(View& view) noexcept { prepare_ribbon(view); }
  static Probe probe(const Shape& shape) noexcept {
    const RibbonKernels& kernels = kernels_in_use<RibbonKernels>();
    return RibbonForm(shape).width == kWideRibbon ? kernels.ribbon : kernels.narrow_ribbon;
  }

  static bool admit_open(const View& view, ByteGate& gate) { return admit_ribbon_open(view, gate); }
  static bool admit_query(const View& view, std::uint64_t hash, ByteGate& gate) {
    return admit_ribbon_query(view, hash, gate);
  }

  static Stats stats(const View& view) noexcept {
    return stats_of_words(view, rate_of_ribbon(view), RibbonHeader(load_le<std::uint64_t>(view.payload)).keys);
  }

  // The layout of a built ribbon determines its rate. At 10^5 keys, the rate differs from the planned one by 0.1%.
  static double predicted_fp_rate(const View& view, double keys) noexcept {
    if (!(keys > 0)) return 0;
    if (!ribbon_is_empty(view)) return rate_of_ribbon(view);
    const auto planned = static_cast<std::uint64_t>(std::min(std::ceil(keys), 0x1p62));
    return planned_ribbon_rate(planned, ribbon_form_for(planned, RibbonForm(view.shape)));
  }

  static double promised_fp_rate(const View& view) noexcept {
    return ribbon_fp_rate(view.shape.k, static_cast<unsigned>(RibbonForm(view.shape).share));
  }

  static Result<AlignedBytes> build(Shape& shape, std::unique_ptr<HashSource> hashes, std::uint64_t max_bytes,
                                    BuildTask& task) {
    if (hashes->size() == 0) {  // no keys, no levels
      return AlignedBytes(static_cast<std::size_t>(8 * shape.units), task.payload_memory());
    }
    RibbonForm form(shape);
    Result<AlignedBytes> payload =
        build_ribbon(form, std::move(hashes), max_bytes, AlignedBytes(task.payload_memory()), task);
    if (!payload) return payload;
    shape.k = static_cast<std::uint8_t>(form.lean);
    shape.param = form.param();
    shape.units = payload->size() / 8;
    return payload;
  }
};

}  // namespace

constinit const KindRow kRibbon = make_row<Ribbon>();

}  // namespace crivo
