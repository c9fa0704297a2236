// crivo info: what a filter tells about itself, by the names that SQL's bloom_info uses.
#include <charconv>
#include <cstdio>
#include <memory>

#include "command.h"
#include "file.h"
#include "filter_file.h"

namespace crivo::tool {
namespace {

struct InfoRow {
  const char* name;
  std::string value;
  bool is_text = false;
};

template <class Number>
std::string shown(Number number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

std::vector<InfoRow> describe(const OpenedBlob& blob) {
  const FilterRef& filter = blob.ref();
  const Facts& facts = filter.facts();
  const Stats stats = filter.stats();
  return {
      {"kind", std::string(filter.kind().name), true},
      {"capacity", shown(facts.capacity)},
      {"fpr", shown(facts.fp_rate)},
      {"keys", shown(facts.keys)},
      {"bits", shown(stats.bits)},
      {"k", shown(unsigned{filter.shape().probes})},
      {"fill", shown(static_cast<double>(stats.bits_set) / static_cast<double>(stats.bits))},
      {"predicted_fpr", shown(filter.predicted_fp_rate(static_cast<double>(facts.capacity)))},
      {"seed", shown(static_cast<std::int64_t>(filter.shape().seed))},
      {"codec", std::string(codec_name(blob.codec())), true},
      {"raw_bytes", shown(filter.payload().size())},
      {"blob_bytes", shown(blob.blob_bytes())},
  };
}

void print_json(const std::vector<InfoRow>& rows) {
  const char* separator = "{";
  for (const InfoRow& row : rows) {
    const char* quote = row.is_text ? "\"" : "";  // no name of ours needs escaping
    std::printf("%s\"%s\":%s%s%s", separator, row.name, quote, row.value.c_str(), quote);
    separator = ",";
  }
  std::puts("}");
}

Result<ExitCode> info(const FilterArgument& filter, bool json) {
  const Result<LoadedFilter> loaded = load_filter(filter);
  if (!loaded) return loaded.error();
  const std::vector<InfoRow> rows = describe(loaded->blob);
  if (json) {
    print_json(rows);
  } else {
    for (const InfoRow& row : rows) std::printf("%-14s %s\n", row.name, row.value.c_str());
  }
  if (std::fflush(stdout) != 0) return file_error("output must be writable", "standard output");
  return kYes;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("info", "Print what a filter tells about itself");
  struct InfoOptions {
    FilterArgument filter;
    bool json = false;
  };
  const auto options = std::make_shared<InfoOptions>();
  add_filter_argument(*command, options->filter);
  command->add_flag("--json", options->json, "As a JSON object, like SQL's bloom_info");
  command->callback([options, &action] { action = [options] { return info(options->filter, options->json); }; });
}

}  // namespace crivo::tool
