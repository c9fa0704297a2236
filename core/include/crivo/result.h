// Result<T>: a value or an error that says what is wrong. The core throws nothing but std::bad_alloc.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

#include "crivo/cxx20.h"

namespace crivo {

enum class ErrorCode {
  kBadArgument,   // a value the caller passed is outside what is allowed
  kCorrupt,       // bytes that are not a well-formed filter
  kIncompatible,  // two filters that cannot be merged
  kUnsupported,   // an operation this kind of filter does not have
  kFull,          // no room for another key; the filter is unchanged
  kNotFound,      // a key to remove that is certainly not there; the filter is unchanged
  kTooLarge,      // more bytes than the caller's limit allows
  kCancelled,     // the caller asked to stop
  kSystem,        // the system refused a file
};

/// Why an operation failed. The message reads "<field> must ..., got ..." and has no trailing newline;
/// hosts put their function's name and ": " in front of it.
struct Error {
  ErrorCode code;
  std::string message;
};

/// A T, or the Error that prevented it. Asking for the wrong one of the two is a bug (asserted).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  T& operator*() & { return *get_value(); }
  const T& operator*() const& { return *const_cast<Result*>(this)->get_value(); }
  T&& operator*() && { return std::move(*get_value()); }
  T* operator->() { return get_value(); }
  const T* operator->() const { return const_cast<Result*>(this)->get_value(); }

  [[nodiscard]] const Error& error() const& {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }

 private:
  T* get_value() {
    assert(has_value());
    return std::get_if<0>(&state_);
  }

  std::variant<T, Error> state_;
};

/// Success, or the Error that prevented it.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return !failed_; }
  explicit operator bool() const noexcept { return has_value(); }
  [[nodiscard]] const Error& error() const& {
    assert(failed_);
    return error_;
  }

 private:
  bool failed_ = false;
  Error error_{};
};

}  // namespace crivo
