// The form of a blob, as a caller's argument.
#pragma once

#include <cstdint>
#include <string>

#include "crivo.h"
#include "crivo/blob.h"
#include "crivo/host/unwrap.h"

namespace crivo::c {

struct Form {
  BlobForm form;
  int level;  // of zstd
};

/// `automatic` is the meaning of CRIVO_FORM_AUTO. Throws Refused for an invalid form or level.
[[nodiscard]] inline Form checked_form(int32_t form, int32_t level, BlobForm automatic) {
  if (level == 0) level = kDefaultCompressionLevel;
  if (level < kMinCompressionLevel || level > kMaxCompressionLevel) {
    throw Refused("level must be in [1, 22], or be 0, got " + std::to_string(level));
  }
  switch (form) {
    case CRIVO_FORM_AUTO:
      return {automatic, level};
    case CRIVO_FORM_RAW:
      return {BlobForm::kRaw, level};
    case CRIVO_FORM_SMALLEST:
      return {BlobForm::kSmallest, level};
    case CRIVO_FORM_MAPPABLE:
      return {BlobForm::kMappable, level};
    default:
      throw Refused("form must be CRIVO_FORM_AUTO (0), _RAW (1), _SMALLEST (2) or _MAPPABLE (3), got " +
                    std::to_string(form));
  }
}

}  // namespace crivo::c
