// Runs the tool in a scratch folder, as a user's shell does.
#pragma once

#include <string_view>

#include "matchers.h"
#include "temp_folder.h"

namespace crivo::testing {

/// The tool's path, for shell commands.
extern const char* const kTool;

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
};
void PrintTo(const Outcome& outcome, std::ostream* out);

/// Matchers of an outcome, for EXPECT_THAT(crivo("query f key"), ...). 2 is the exit code of every error.
using TextMatcher = ::testing::Matcher<const std::string&>;
using OutcomeMatcher = ::testing::Matcher<const Outcome&>;
[[nodiscard]] OutcomeMatcher Exits(const ::testing::Matcher<int>& code, const TextMatcher& err = _,
                                   const TextMatcher& out = _);
[[nodiscard]] inline OutcomeMatcher Succeeds(const TextMatcher& err = _) { return Exits(0, err); }
[[nodiscard]] inline OutcomeMatcher Says(const TextMatcher& out) { return Exits(0, _, out); }
[[nodiscard]] inline OutcomeMatcher Fails(const TextMatcher& err) { return Exits(2, err); }

class ToolTest : public ::testing::Test {
 protected:
  /// Runs `crivo ARGUMENTS` with this standard input. The arguments are shell text.
  Outcome crivo(const std::string& arguments, std::string_view input = "");
  /// Runs a shell command in the scratch folder.
  Outcome shell(const std::string& command, std::string_view input = "");

  void write(const std::string& name, std::string_view content);
  [[nodiscard]] std::string read(const std::string& name) const;
  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.file(name); }
  /// The number of files in the scratch folder.
  [[nodiscard]] std::size_t files() const;

 private:
  TempFolder folder_;
  TempFolder streams_;
};

/// "key 0\nkey 1\n" ... with `count` lines.
[[nodiscard]] std::string numbered_lines(int count, std::string_view prefix = "key ");

}  // namespace crivo::testing
