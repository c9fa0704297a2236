#include "values/call.h"

#include <exception>
#include <string>

namespace crivo::sqlite {
namespace {

void set_error(sqlite3_context* context, const std::string& message, int code = SQLITE_ERROR) {
  const auto* registration = static_cast<const Registration*>(sqlite3_user_data(context));
  const std::string text = std::string(registration->function) + ": " + message;
  sqlite3_result_error(context, text.c_str(), -1);
  if (code != SQLITE_ERROR) sqlite3_result_error_code(context, code);
}

}  // namespace

void report_exception(sqlite3_context* context) noexcept {
  try {
    try {
      throw;
    } catch (const SqlError& error) {
      set_error(context, error.message, error.code);
    } catch (const std::bad_alloc&) {
      sqlite3_result_error_nomem(context);
    } catch (const std::exception& error) {
      set_error(context, error.what());
    }
  } catch (...) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace crivo::sqlite
