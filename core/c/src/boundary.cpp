#include "boundary.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>

namespace crivo::c {
namespace {

/// Indexed by ErrorCode.
constexpr crivo_status kStatuses[] = {CRIVO_BAD_ARGUMENT, CRIVO_CORRUPT,   CRIVO_INCOMPATIBLE,
                                      CRIVO_UNSUPPORTED,  CRIVO_FULL,      CRIVO_NOT_FOUND,
                                      CRIVO_TOO_LARGE,    CRIVO_CANCELLED, CRIVO_SYSTEM};
static_assert(std::size(kStatuses) == static_cast<std::size_t>(ErrorCode::kSystem) + 1);

/// The length of the longest prefix that has at most `most` bytes and ends with a whole UTF-8 character.
std::size_t whole_characters(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text.size();
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return end;
}

}  // namespace

crivo_status fail(crivo_error* error, crivo_status status, std::string_view message, int system_reason) noexcept {
  if (status == CRIVO_SYSTEM) errno = system_reason;
  if (error == nullptr || reinterpret_cast<std::uintptr_t>(error) % alignof(crivo_error) != 0) return status;
  const std::size_t bytes = whole_characters(message, sizeof error->message - 1);
  error->status = status;
  std::memcpy(error->message, message.data(), bytes);
  error->message[bytes] = '\0';
  return status;
}

crivo_status fail(crivo_error* error, const Error& cause) noexcept {
  return fail(error, kStatuses[static_cast<std::size_t>(cause.code)], cause.message, cause.system_reason);
}

crivo_status fail_with_exception(crivo_error* error) noexcept {
  try {
    throw;
  } catch (const Refused& refused) {
    return fail(error, refused.error);
  } catch (const std::bad_alloc&) {
    return fail(error, CRIVO_NO_MEMORY, "out of memory");
  } catch (const std::length_error&) {  // a container larger than the address space
    return fail(error, CRIVO_NO_MEMORY, "out of memory");
  } catch (const std::system_error& thrown) {
    return fail(error, CRIVO_SYSTEM, thrown.what(), thrown.code().value());
  } catch (const std::exception& thrown) {
    return fail(error, CRIVO_SYSTEM, thrown.what());
  } catch (...) {
    return fail(error, CRIVO_SYSTEM, "unknown failure");
  }
}

}  // namespace crivo::c
