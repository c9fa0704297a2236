#include "crivo/result.h"

namespace crivo {

Failure::Failure(const Error& error) : error_(error) {}
Failure::Failure(Error&& error) noexcept : error_(std::move(error)) {}
Failure::Failure(const Failure& other) = default;
Failure::Failure(Failure&& other) noexcept = default;
Failure& Failure::operator=(const Failure& other) = default;
Failure& Failure::operator=(Failure&& other) noexcept = default;
Failure::~Failure() = default;

void BadResult::no_value(const Error& error) { throw BadResult("value of a failed Result was used: " + error.message); }

void BadResult::no_error() { throw BadResult("Result::error called on a value"); }

}  // namespace crivo
