// crivo rocksdb run: runs a RocksDB program with Crivo's filters, although the program was not written for them.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "options/settings_parser.h"
#include "tool/commands.h"
#include "tool/database.h"

namespace crivo::tool {
namespace {

namespace fs = std::filesystem;

// The exit codes of env(1) and shells.
constexpr int kNotRunnable = 126;
constexpr int kNotFound = 127;

struct RunOptions {
  std::vector<std::string> program;
  std::string policy = "crivo.Auto:10";
  bool replace = false;
  bool prefixes = false;
  bool check = false;
};

/// The file that contains a function of this process.
fs::path file_of(const void* function) {
  Dl_info info{};
  return ::dladdr(function, &info) != 0 ? fs::canonical(info.dli_fname) : fs::path();
}

/// The library for LD_PRELOAD, in the folder of the plugin that this program is linked to.
std::string preloaded_library() {
  const fs::path found =
      file_of(::dlsym(RTLD_DEFAULT, "crivo_rocksdb_counters")).parent_path() / "libcrivo_rocksdb_preload.so";
  if (!fs::exists(found))
    throw Refused("libcrivo_rocksdb_preload.so must be in the folder of libcrivo_rocksdb.so, got none");
  if (found.string().find_first_of(": ") != std::string::npos) {
    throw Refused(
        "the folder of libcrivo_rocksdb_preload.so must have no space or colon in its name, because LD_PRELOAD "
        "splits there, got " +
        found.string());
  }
  return found.string();
}

bool can_run(const fs::path& file) { return fs::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0; }

/// The program that execvp would start; empty if there is none.
fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return can_run(name) ? fs::absolute(name) : fs::path();
  const char* const folders = std::getenv("PATH");
  std::string_view rest = folders != nullptr ? folders : "/usr/bin:/bin";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (fs::path file = fs::absolute(fs::path(folder) / name); can_run(file)) return file;
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
  }
  return {};
}

/// The librocksdb that the program is linked to, from ldd, which does not run the program; empty if there is none.
fs::path librocksdb_of(const fs::path& program) {
  std::string quoted = "'";
  for (const char c : program.string()) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  FILE* const output = ::popen(("ldd " + quoted + "' 2>/dev/null").c_str(), "r");
  if (output == nullptr) throw Refused("ldd must run, got: " + std::string(std::strerror(errno)));
  std::string lines;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) lines += static_cast<char>(c);
  const int status = ::pclose(output);  // ldd exits with 1 if there is nothing to load, as for a script
  if (!WIFEXITED(status) || WEXITSTATUS(status) >= kNotRunnable) throw Refused("ldd must run, got an error");
  const std::size_t at = lines.find("\tlibrocksdb.so");
  if (at == std::string::npos) return {};
  const std::string_view line = std::string_view(lines).substr(at + 1, lines.find('\n', at) - at - 1);
  const std::size_t arrow = line.find("=> ");
  return arrow == std::string_view::npos ? fs::path(line)
                                         : fs::path(line.substr(arrow + 3, line.find(" (") - arrow - 3));
}

/// Prints what a run would do. Returns kNo if it would do nothing.
ExitCode print_what_would_happen(const RunOptions& options) {
  const fs::path program = find_program(options.program.front());
  if (program.empty()) throw Refused("PROGRAM must be executable, got " + options.program.front());
  const fs::path linked = librocksdb_of(program);
  const char* const name = program.c_str();
  if (linked.empty()) {
    std::printf(
        "%s: not linked to librocksdb. If RocksDB is linked statically, the program gets no filters; if a script or "
        "module loads librocksdb later, it gets them\n",
        name);
    return kNo;
  }
  const fs::path ours = file_of(reinterpret_cast<const void*>(&rocksdb::GetRocksVersionAsString));
  std::error_code ignored;
  if (!fs::equivalent(linked, ours, ignored)) {
    std::printf("%s: no filters: its librocksdb must be %s, got %s\n", name, ours.c_str(), linked.c_str());
    return kNo;
  }
  std::printf(
      "%s: column families without a filter policy get %s, except those with a %scomparator of the program's own, "
      "which LOG names%s\n",
      name, options.policy.c_str(), options.prefixes ? "" : "prefix extractor or a ",
      options.replace ? "; RocksDB's own filters are replaced, with or without a prefix extractor" : "");
  return kYes;
}

ExitCode run(const RunOptions& options) {
  const auto policy = parse_policy(options.policy);
  if (!plugin::is_crivo_policy(*policy)) {
    throw Refused("--policy must be one of Crivo's, such as crivo.Auto:10, got " + options.policy);
  }
  std::string libraries = preloaded_library();
  if (options.check) return print_what_would_happen(options);
  if (const char* const others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0') {
    libraries += std::string(":") + others;
  }
  ::setenv("LD_PRELOAD", libraries.c_str(), 1);
  ::setenv("CRIVO_ROCKSDB", options.policy.c_str(), 1);
  if (options.replace) ::setenv("CRIVO_ROCKSDB_REPLACE", "1", 1);
  if (options.prefixes) ::setenv("CRIVO_ROCKSDB_PREFIXES", "1", 1);
  std::vector<std::string> words = options.program;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  const int failure = errno;
  std::fprintf(stderr, "crivo rocksdb run: PROGRAM must be executable, got %s: %s\n", words.front().c_str(),
               std::strerror(failure));
  return static_cast<ExitCode>(failure == ENOENT ? kNotFound : kNotRunnable);
}

}  // namespace

void add_sst_run(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "run", "Run a RocksDB program with Crivo's filters, without changing it", run);
  add_option(command, "PROGRAM", options.program, "The program and its arguments, after --")
      ->required()
      ->expected(1, -1);
  add_option(command, "--policy", options.policy, "Filter policy, as in an option string", "POLICY")
      ->default_str("crivo.Auto:10");
  command.add_flag(
      "--replace", options.replace,
      "Also replace RocksDB's own filters that the program configures, even with a prefix extractor; a policy "
      "that writes no filters stays");
  command.add_flag(
      "--prefixes", options.prefixes,
      "Also for column families with a prefix extractor and no policy: seeks may then omit keys of other prefixes, as "
      "with any filters");
  command.add_flag("--check", options.check, "Print what would happen, without running; exit code 1 if nothing would");
  command.footer(
      "It sets LD_PRELOAD, CRIVO_ROCKSDB, CRIVO_ROCKSDB_REPLACE and CRIVO_ROCKSDB_PREFIXES. A column family gets no "
      "filters if it has a prefix extractor and no policy, unless --prefixes is given, or if its comparator may treat "
      "different bytes as equal and the policy has no key_transform; the database's LOG says so. A program that "
      "reads its OPTIONS file keeps the policy of the first run. The exit code is that of the program; 127 if there is "
      "none of "
      "this name, and 126 if it cannot be run.");
}

}  // namespace crivo::tool
