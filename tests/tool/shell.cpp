// Runs the tool; see shell.h.
#include "shell.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace crivo::testing {
namespace {

namespace fs = std::filesystem;

void write_whole(const fs::path& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const char* const kTool = "'" CRIVO_TOOL "' ";

void PrintTo(const Outcome& outcome, std::ostream* out) {
  *out << "exit code " << outcome.exit_code << "\nstandard output: " << outcome.out
       << "\nstandard error: " << outcome.err;
}

OutcomeMatcher Exits(const ::testing::Matcher<int>& code, const TextMatcher& err, const TextMatcher& out) {
  return AllOf(Field("exit_code", &Outcome::exit_code, code), Field("err", &Outcome::err, err),
               Field("out", &Outcome::out, out));
}

Outcome ToolTest::crivo(const std::string& arguments, std::string_view input) {
  return shell(kTool + arguments, input);
}

Outcome ToolTest::shell(const std::string& command, std::string_view input) {
  write_whole(streams_.file("in"), input);
  const std::string streams = streams_.path();
  const std::string line = "cd '" + folder_.path() + "' && { " + command + "\n} <'" + streams + "/in' >'" + streams +
                           "/out' 2>'" + streams + "/err'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_whole(streams_.file("out")),
          read_whole(streams_.file("err"))};
}

void ToolTest::write(const std::string& name, std::string_view content) { write_whole(path(name), content); }

std::string ToolTest::read(const std::string& name) const { return read_whole(path(name)); }

std::size_t ToolTest::files() const {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
}

std::string numbered_lines(int count, std::string_view prefix) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines.append(prefix).append(std::to_string(i)).append("\n");
  return lines;
}

}  // namespace crivo::testing
