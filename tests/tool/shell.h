// Running the tool in a scratch folder of its own, as a user's shell does.
#pragma once

#include <string_view>

#include "matchers.h"
#include "temp_folder.h"

namespace crivo::testing {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};

class ToolTest : public ::testing::Test {
 protected:
  /// Runs `crivo ARGUMENTS` with this standard input. The arguments are shell text.
  Outcome crivo(const std::string& arguments, std::string_view input = "");
  /// Runs a shell command in the scratch folder.
  Outcome shell(const std::string& command, std::string_view input = "");

  void write(const std::string& name, std::string_view content);
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.file(name); }
  /// How many files lie in the scratch folder.
  [[nodiscard]] std::size_t files() const;

 private:
  TempFolder folder_;
  TempFolder streams_;
};

/// "key 0\nkey 1\n" ... with `count` lines.
[[nodiscard]] std::string numbered_lines(int count, std::string_view prefix = "key ");

}  // namespace crivo::testing
