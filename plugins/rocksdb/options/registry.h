// Functions that a program registers by name, for options.
#pragma once

#include <rocksdb/status.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "crivo/result.h"
#include "crivo/rocksdb.h"

namespace crivo::plugin {

/// The error for a field with a wrong value; an empty `got` reads as "nothing".
[[nodiscard]] inline Error bad_value(std::string_view field, std::string_view must, std::string_view got) {
  return {ErrorCode::kBadArgument,
          std::string(field) + " must " + std::string(must) + ", got " + std::string(got.empty() ? "nothing" : got)};
}

/// Thread-safe. Entries are never removed or moved.
template <typename T>
class Registry {
 public:
  /// The process-wide registry. Never destroyed, because databases may outlive this library's static objects.
  static Registry& of_process() {
    static auto* const one = new Registry;
    return *one;
  }
  /// The entry of this name; null if there is none.
  const T* find(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(name);
    return found != all_.end() ? &found->second : nullptr;
  }
  /// The entry of this name, and whether it was inserted. An existing entry is not replaced.
  std::pair<const T*, bool> put(std::string_view name, T value) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = all_.try_emplace(std::string(name), std::move(value));
    return {&at->second, is_new};
  }
  /// Registers a program's function under a name of at most `most` bytes. `what` names the kind of function in
  /// messages. Errors: InvalidArgument if the name is invalid or already registered, or if the function is empty.
  template <typename Function>
  rocksdb::Status add(std::string_view what, std::string_view name, std::size_t most, Function function) {
    const auto refuse = [](std::string_view field, std::string_view must, std::string_view got) {
      return rocksdb::Status::InvalidArgument("crivo: " + bad_value(field, must, got).message);
    };
    const auto is_allowed = [](char byte) {
      return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
             byte == '_' || byte == '-' || byte == '.';
    };
    if (name.empty() || name.size() > most || !std::ranges::all_of(name, is_allowed)) {
      return refuse("name", "be 1 to " + std::to_string(most) + " letters, digits or characters of _-.", name);
    }
    if (!function) return refuse(what, "be a function", "");
    return put(name, named(name, std::move(function))).second ? rocksdb::Status::OK()
                                                              : refuse("name", "not be registered before", name);
  }

 private:
  template <typename Function>
  static T named(std::string_view name, Function function) {
    if constexpr (std::is_same_v<T, Function>) {
      return function;
    } else {
      return T{std::string(name), std::move(function)};
    }
  }

  std::mutex mutex_;
  std::map<std::string, T, std::less<>> all_;
};

}  // namespace crivo::plugin
