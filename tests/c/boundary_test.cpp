// How boundary.h converts errors and exceptions to statuses.
#include "boundary.h"

#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "c_filters.h"
#include "crivo/host/text.h"

namespace crivo::testing {
namespace {

std::string message_of(std::string_view text) {
  crivo_error error;
  std::memset(&error, 0x5A, sizeof error);
  EXPECT_EQ(c::fail(&error, CRIVO_FULL, text), CRIVO_FULL);
  EXPECT_EQ(error.status, CRIVO_FULL);
  return error.message;
}

TEST(Boundary, CutsALongMessageBetweenTwoCharacters) {
  constexpr std::size_t kRoom = CRIVO_ERROR_MESSAGE_BYTES - 1;
  EXPECT_EQ(message_of(std::string(kRoom, 'x')), std::string(kRoom, 'x'));
  EXPECT_EQ(message_of(std::string(kRoom + 1, 'x')), std::string(kRoom, 'x'));
  for (const std::string character : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    for (std::size_t before = kRoom - 5; before <= kRoom; ++before) {
      std::string text(before, 'x');
      for (int i = 0; i < 4; ++i) text += character;
      const std::string cut = message_of(text);
      const std::size_t whole = (kRoom - before) / character.size() * character.size();
      EXPECT_EQ(cut, text.substr(0, before + whole)) << before;
    }
  }
}

TEST(Boundary, ThereIsAStatusForEveryErrorAndException) {
  const auto status_of = [](auto&& work) {
    crivo_error error{};
    const crivo_status status = c::guarded(&error, work);
    EXPECT_EQ(error.status, status);
    EXPECT_STRNE(error.message, "");
    return status;
  };
  const std::pair<ErrorCode, crivo_status> codes[] = {{ErrorCode::kBadArgument, CRIVO_BAD_ARGUMENT},
                                                      {ErrorCode::kCorrupt, CRIVO_CORRUPT},
                                                      {ErrorCode::kIncompatible, CRIVO_INCOMPATIBLE},
                                                      {ErrorCode::kUnsupported, CRIVO_UNSUPPORTED},
                                                      {ErrorCode::kFull, CRIVO_FULL},
                                                      {ErrorCode::kNotFound, CRIVO_NOT_FOUND},
                                                      {ErrorCode::kTooLarge, CRIVO_TOO_LARGE},
                                                      {ErrorCode::kCancelled, CRIVO_CANCELLED}};
  for (const auto& each : codes) {
    EXPECT_EQ(status_of([&]() -> Result<void> { return Error{each.first, "x must be y"}; }), each.second);
  }
  EXPECT_EQ(status_of([]() -> Result<void> { throw std::bad_alloc(); }), CRIVO_NO_MEMORY);
  EXPECT_EQ(status_of([]() -> Result<void> { throw std::length_error("vector"); }), CRIVO_NO_MEMORY);
  EXPECT_EQ(status_of([]() -> Result<void> { throw std::system_error(std::make_error_code(std::errc::io_error)); }),
            CRIVO_SYSTEM);
  EXPECT_EQ(errno, EIO);
  EXPECT_EQ(status_of([]() -> Result<void> { throw 7; }), CRIVO_SYSTEM);
  EXPECT_EQ(errno, 0) << "errno must not keep an earlier error";
}

}  // namespace
}  // namespace crivo::testing
