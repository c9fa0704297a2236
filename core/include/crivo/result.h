// Result<T>: a value or an error that says what is wrong. The core throws nothing but std::bad_alloc, what the caller's
// own functions throw, and BadResult where the caller has a bug.
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
  kBadArgument,   // a value the caller passed is outside what is allowed
  kCorrupt,       // bytes that are not a well-formed filter
  kIncompatible,  // two filters of different shapes
  kUnsupported,   // an operation this kind of filter does not have
  kFull,          // no room for this key, which was not added; of several, those before it were
  kNotFound,      // a key to remove that is certainly not there; the filter is unchanged
  kTooLarge,      // more bytes than the caller's limit allows
  kCancelled,     // the caller asked to stop
  kSystem,        // the system refused a file
};

/// Why an operation failed. The message names the field, most often as "<field> must ..., got ...", and has no trailing
/// newline; hosts put their function's name and ": " in front of it.
struct Error {
  ErrorCode code;
  std::string message;
  int system_reason = 0;                                 // of kSystem: errno, where there was one
  std::uint64_t needed_bytes = 0;                        // where a limit on bytes is too low: what it must be at least
  std::optional<std::uint64_t> key_hash = std::nullopt;  // of a key with two values: its hash
};

template <class T>
class Result;

/// Thrown where a Result is asked for what it does not have. That is a bug, but it must not end the program that hosts
/// the library: each host has a place where exceptions become its own errors.
class BadResult : public std::logic_error {
  using std::logic_error::logic_error;
  [[noreturn]] static void no_value(const Error& error);
  [[noreturn]] static void no_error();
  template <class T>
  friend class Result;
};

// What every Result of a failure does is in functions of their own, as there are thousands of them: the code of those
// who return an error and look for one stays small.

/// An Error in a Result.
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

/// What a question is answered with: a truth value, a number, or a value that may be none.
template <class T>
inline constexpr bool kIsAnswer = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool kIsAnswer<std::optional<T>> = true;

/// A T, or the Error that prevented it. Asking for the wrong one of the two is a bug (BadResult). A Result of an answer
/// is no condition: `if (file.may_contain(key))` and `if (filter.count(key))` do not compile, since
/// they would ask whether there is an answer, and not for the answer. Ask has_value(), and then `*`.
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
