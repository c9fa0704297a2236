#include "c_session_calls.h"

#include <cstring>
#include <string_view>

#include "crivo/host/text.h"

namespace crivo::testing {

void require_status(crivo_status status, const crivo_error& error) {
  if (status == CRIVO_OK) return;
  require(status >= CRIVO_BAD_ARGUMENT && status <= CRIVO_CANCELLED, "a failure has a status that fits");
  require(error.status == status, "the error has the status that is returned");
  const void* end = std::memchr(error.message, '\0', sizeof error.message);
  require(end != nullptr && error.message[0] != '\0', "a failure has a message that ends");
  std::string_view text = error.message;
  while (!text.empty()) {
    const std::size_t bytes = utf8_character_bytes(text);
    require(bytes != 0, "a message is UTF-8");
    text.remove_prefix(bytes);
  }
}

}  // namespace crivo::testing
