// The form of a blob as callers ask for it.
#pragma once

#include <cstdint>
#include <string>

#include "crivo.h"
#include "crivo/blob.h"

namespace crivo::c {

struct Form {
  BlobForm form;
  int level;  // zstd's
};

/// `automatic` is what CRIVO_FORM_AUTO stands for. Errors: kBadArgument.
[[nodiscard]] inline Result<Form> checked_form(int32_t form, int32_t level, BlobForm automatic) {
  if (level == 0) level = kDefaultCompressionLevel;
  if (level < kMinCompressionLevel || level > kMaxCompressionLevel) {
    return Error{ErrorCode::kBadArgument, "level must lie in [1, 22], or be 0, got " + std::to_string(level)};
  }
  switch (form) {
    case CRIVO_FORM_AUTO:
      return Form{automatic, level};
    case CRIVO_FORM_RAW:
      return Form{BlobForm::kRaw, level};
    case CRIVO_FORM_SMALLEST:
      return Form{BlobForm::kSmallest, level};
    case CRIVO_FORM_MAPPABLE:
      return Form{BlobForm::kMappable, level};
    default:
      return Error{
          ErrorCode::kBadArgument,
          "form must be CRIVO_FORM_AUTO (0), _RAW (1), _SMALLEST (2) or _MAPPABLE (3), got " + std::to_string(form)};
  }
}

}  // namespace crivo::c
