// The boundary between C and C++: no exception leaves a C function, and every error becomes a status with a message.
#pragma once

#include <string_view>

#include "crivo.h"
#include "crivo/host/unwrap.h"
#include "crivo/result.h"

namespace crivo::c {

/// Writes status and message to `error`, unless `error` is null, and returns the status. For CRIVO_SYSTEM, sets errno
/// to the reason, or 0.
crivo_status fail(crivo_error* error, crivo_status status, std::string_view message, int system_reason = 0) noexcept;
crivo_status fail(crivo_error* error, const Error& cause) noexcept;
/// The same for the exception that is being handled.
crivo_status fail_with_exception(crivo_error* error) noexcept;

/// Runs `Result<void> work()`, which throws rare errors, such as wrong arguments, and returns frequent errors, such as
/// "not found". Converts both to a status.
template <class Work>
crivo_status guarded(crivo_error* error, Work&& work) noexcept {
  try {
    const Result<void> done = work();
    return done ? CRIVO_OK : fail(error, done.error());
  } catch (...) {
    return fail_with_exception(error);
  }
}

}  // namespace crivo::c
