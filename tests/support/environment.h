// Environment variables that a test sets for a limited time.
#pragma once

#include <cstdlib>
#include <string>

namespace crivo::testing {

/// Sets an environment variable, and restores it in the destructor.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::string before_;
};

}  // namespace crivo::testing
