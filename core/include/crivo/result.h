// Result<T>: a value or an error with a message. The core throws only std::bad_alloc (on 32-bit systems also
// std::length_error), exceptions of the caller's own functions, and BadResult for a bug in the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "crivo/cxx20.h"

namespace crivo {

enum class ErrorCode {
  kBadArgument,   // an argument is outside its range
  kCorrupt,       // the bytes are not well-formed, or their file has changed
  kIncompatible,  // the filters, sketches or chunks do not match
  kUnsupported,   // this kind or form of filter lacks the operation
  kFull,          // the filter has no slot for a key; an addition has added the keys before this key
  kNotFound,      // the key to remove is certainly absent, or a chunk is missing; nothing was changed
  kTooLarge,      // more bytes than the caller's limit
  kCancelled,     // the caller stopped the operation
  kSystem,        // a system call failed, usually on a file
};

/// Why an operation failed. The message names the field, usually as "<field> must ..., got ...", and has no trailing
/// newline. Hosts can prepend the name of their function and ": ".
struct Error {
  ErrorCode code;
  std::string message;
  int system_reason = 0;                                 // kSystem: errno, or 0
  std::uint64_t needed_bytes = 0;                        // if a limit on bytes is too low: the lowest sufficient limit
  std::optional<std::uint64_t> key_hash = std::nullopt;  // for a key with two values: its hash
};

template <class T>
class Result;

/// Thrown if the caller accesses the value of a failed Result, or the error of a successful Result. This bug in the
/// caller must not abort the host process: hosts turn exceptions into their own errors.
class BadResult : public std::logic_error {
  using std::logic_error::logic_error;
  [[noreturn]] static void no_value(const Error& error);
  [[noreturn]] static void no_error();
  template <class T>
  friend class Result;
};

// The error of a failed Result. The members are out of line to keep callers small: thousands of call sites return or
// test a Result.
class Failure {
 public:
  explicit Failure(const Error& error);
  explicit Failure(Error&& error) noexcept;
  Failure(const Failure& other);
  Failure(Failure&& other) noexcept;
  Failure& operator=(const Failure& other);
  Failure& operator=(Failure&& other) noexcept;
  ~Failure();
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// Whether T is the type of a query's answer: a number, a bool or an optional.
template <class T>
inline constexpr bool kIsAnswer = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool kIsAnswer<std::optional<T>> = true;

/// A T, or the Error that prevented it. `*` without a T, and error() without an Error, throw BadResult. A Result of a
/// query's answer (kIsAnswer) does not convert to bool, because `if (file.may_contain(key))` would test for success
/// instead of the answer. Test has_value(), then use `*`.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(const Error& error) : state_(std::in_place_index<1>, error) {}
  Result(Error&& error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept requires(!kIsAnswer<T>) { return has_value(); }

  T& operator*() & { return *get_value(); }
  const T& operator*() const& { return *const_cast<Result*>(this)->get_value(); }
  T&& operator*() && { return std::move(*get_value()); }
  T* operator->() { return get_value(); }
  const T* operator->() const { return const_cast<Result*>(this)->get_value(); }

  [[nodiscard]] const Error& error() const& {
    if (has_value()) BadResult::no_error();
    return std::get_if<1>(&state_)->error();
  }
  [[nodiscard]] Error error() && { return std::as_const(*this).error(); }

 private:
  T* get_value() {
    if (!has_value()) BadResult::no_value(error());
    return std::get_if<0>(&state_);
  }

  std::variant<T, Failure> state_;
};

/// Success, or the Error that prevented it.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(const Error& error) : failure_(error) {}
  Result(Error&& error) : failure_(std::move(error)) {}

  [[nodiscard]] bool has_value() const noexcept { return !failure_; }
  explicit operator bool() const noexcept { return has_value(); }
  [[nodiscard]] const Error& error() const& {
    if (!failure_) BadResult::no_error();
    return failure_->error();
  }
  [[nodiscard]] Error error() && { return std::as_const(*this).error(); }

 private:
  std::optional<Failure> failure_;
};

}  // namespace crivo
