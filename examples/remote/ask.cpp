// Asks a filter on a web server: which of the lines of standard input may be in it. README.md says how to try it.
#include <crivo/ordered.h>
#include <crivo/remote_filter.h>
#include <curl/curl.h>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http_ranges.h"

namespace {

constexpr std::size_t kBatch = 10'000;

int fail(const char* url, const crivo::Error& error) {
  std::fprintf(stderr, "crivo_remote_ask: %s: %s\n", url, error.message.c_str());
  return 1;
}

/// A number that is all of the text.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// As `crivo build` and `crivo query` have it: the keys of a range filter are integers.
crivo::Result<std::uint64_t> hash_of(const crivo::RemoteFilter& filter, const std::string& line) {
  if (!filter.kind().can.range) return filter.hash(line);
  if (const auto number = number_in<std::int64_t>(line)) return crivo::ordered(*number);
  return crivo::Error{crivo::ErrorCode::kBadArgument, "key of a range filter must be an integer, got " + line};
}

/// Prints those of the lines that may be in the filter, and leaves none.
crivo::Result<void> ask(crivo::RemoteFilter& filter, std::vector<std::string>& lines) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& line : lines) {
    const auto hash = hash_of(filter, line);
    if (!hash.has_value()) return hash.error();
    hashes.push_back(*hash);
  }
  const auto hits = std::make_unique<bool[]>(hashes.size());
  auto asked = filter.may_contain_hashes(hashes, {hits.get(), hashes.size()});
  for (std::size_t i = 0; asked && i < lines.size(); ++i) {
    if (hits[i]) std::puts(lines[i].c_str());
  }
  lines.clear();
  return asked;
}

}  // namespace

int main(int count, char** words) {
  crivo::RemoteOptions options;
  std::size_t batch = kBatch;
  int at = 1;
  for (; at < count && words[at][0] == '-'; ++at) {
    const std::string_view word = words[at];
    if (word == "--lines") {
      options.verify = false;
    } else if (word == "--one-by-one") {
      batch = 1;
    } else if (word == "--max-memory" && at + 1 < count && number_in<std::uint64_t>(words[at + 1])) {
      options.max_memory = *number_in<std::uint64_t>(words[++at]);
    } else {
      break;
    }
  }
  if (at + 1 != count) {
    std::fputs("usage: crivo_remote_ask [--lines] [--one-by-one] [--max-memory BYTES] URL <KEYS\n", stderr);
    return 2;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  const auto use = std::make_shared<HttpUse>();
  auto filter = crivo::RemoteFilter::open(read_by_http(words[at], use), options);
  if (!filter) return fail(words[at], filter.error());
  std::fprintf(stderr, "%s of %llu bytes, opened by %llu requests for %llu bytes\n",
               std::string(filter->kind().name).c_str(), static_cast<unsigned long long>(filter->payload_bytes()),
               static_cast<unsigned long long>(use->requests), static_cast<unsigned long long>(use->bytes));
  use->requests = use->bytes = 0;
  std::uint64_t keys = 0;
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) {
    ++keys;
    lines.push_back(std::move(line));
    if (lines.size() < batch) continue;
    if (auto asked = ask(*filter, lines); !asked) return fail(words[at], asked.error());
  }
  if (auto asked = ask(*filter, lines); !asked) return fail(words[at], asked.error());
  std::fprintf(stderr, "%llu keys asked by %llu requests for %llu bytes\n", static_cast<unsigned long long>(keys),
               static_cast<unsigned long long>(use->requests), static_cast<unsigned long long>(use->bytes));
}
