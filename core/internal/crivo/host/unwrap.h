// Turns errors into exceptions, for hosts that propagate errors as exceptions.
#pragma once

#include <string>
#include <type_traits>
#include <utility>

#include "crivo/result.h"

namespace crivo {

/// An Error as an exception. Must not escape a callback passed to the core.
struct Refused {
  explicit Refused(Error why) : error(std::move(why)) {}
  explicit Refused(std::string message) : error{ErrorCode::kBadArgument, std::move(message)} {}

  Error error;
};

/// The value of a Result. Throws Refused for an error.
template <class T>
T unwrap(Result<T> result) {
  if (!result.has_value()) throw Refused(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace crivo
