// `./dev bench c`: the cost of a lookup through crivo.h, in libcrivo.a and in libcrivo.so, and of the same lookup in
// C++. All three query the same filter for the same keys, in turn. Prints the medians of the rounds.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "crivo.h"
#include "crivo/blob.h"
#include "crivo/kinds.h"
#include "measure.h"

namespace crivo::bench {
namespace {

/// The functions of one build of the interface, with its own copy of the filter.
struct Library {
  decltype(&crivo_read) read = &crivo_read;
  decltype(&crivo_contains) contains = &crivo_contains;
  decltype(&crivo_contains_keys) contains_keys = &crivo_contains_keys;
  decltype(&crivo_contains_hashes) contains_hashes = &crivo_contains_hashes;
  crivo_filter* filter = nullptr;  // never freed

  void read_filter(const std::vector<std::byte>& blob) {
    crivo_limits limits{};
    limits.size = sizeof limits;
    limits.max_bytes = UINT64_MAX;
    if (read(blob.data(), blob.size(), &limits, &filter, nullptr) != CRIVO_OK) std::abort();
  }
};

Library load(const char* path) {
  void* opened = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  Library library;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(opened, name));
  };
  find(library.read, "crivo_read");
  find(library.contains, "crivo_contains");
  find(library.contains_keys, "crivo_contains_keys");
  find(library.contains_hashes, "crivo_contains_hashes");
  return library;
}

/// Keys of eight to sixteen bytes. The filter has every second key.
struct Keys {
  explicit Keys(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      bytes += "user:" + std::to_string(i * 0x9E3779B97F4A7C15 % 100'000'000'000);
      offsets.push_back(bytes.size());
    }
    for (std::uint64_t i = 0; i < count; ++i) views.push_back(view(i));
    hashes.resize(count);
    hash_keys(views, 0, hashes);
  }
  [[nodiscard]] std::string_view view(std::uint64_t i) const {
    return {bytes.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }
  [[nodiscard]] crivo_keys part(std::uint64_t first, std::uint64_t count) const {
    return {bytes.data(), bytes.size(), offsets.data() + first, 0, count};
  }

  std::string bytes;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::string_view> views;
  std::vector<std::uint64_t> hashes;
};

struct Question {
  std::string name;
  std::function<void()> cpp;
  std::function<void(const Library&)> c;
};

std::vector<Question> questions(const FilterRef& ref, const Keys& keys, bool* hits, std::uint64_t& sum) {
  const std::uint64_t all = keys.views.size();
  std::vector<Question> list;
  list.push_back({"one key",
                  [&, all] {
                    for (std::uint64_t i = 0; i < all; ++i) sum += ref.may_contain(keys.views[i]);
                  },
                  [&, all](const Library& library) {
                    for (std::uint64_t i = 0; i < all; ++i) {
                      const std::string_view key = keys.views[i];
                      sum +=
                          static_cast<std::uint64_t>(library.contains(library.filter, key.data(), key.size(), nullptr));
                    }
                  }});
  for (const std::uint64_t batch : {std::uint64_t{16}, std::uint64_t{1000}, all}) {
    const std::string size = batch == all ? "all" : std::to_string(batch);
    list.push_back({size + " keys",
                    [&, all, batch, hits, views = std::vector<std::string_view>(batch),
                     found = std::vector<std::uint64_t>(batch)]() mutable {
                      for (std::uint64_t i = 0; i + batch <= all; i += batch) {
                        for (std::uint64_t j = 0; j < batch; ++j) views[j] = keys.view(i + j);
                        hash_keys(views, 0, found);
                        ref.may_contain_hashes(found, {hits + i, batch});
                      }
                    },
                    [&, all, batch, hits](const Library& library) {
                      for (std::uint64_t i = 0; i + batch <= all; i += batch) {
                        const crivo_keys part = keys.part(i, batch);
                        auto* at = reinterpret_cast<std::uint8_t*>(hits + i);
                        if (library.contains_keys(library.filter, &part, at, nullptr) != CRIVO_OK) std::abort();
                      }
                    }});
    list.push_back({size + " hashes",
                    [&, all, batch, hits] {
                      for (std::uint64_t i = 0; i + batch <= all; i += batch) {
                        ref.may_contain_hashes(std::span(keys.hashes).subspan(i, batch), {hits + i, batch});
                      }
                    },
                    [&, all, batch, hits](const Library& library) {
                      for (std::uint64_t i = 0; i + batch <= all; i += batch) {
                        auto* at = reinterpret_cast<std::uint8_t*>(hits + i);
                        if (library.contains_hashes(library.filter, &keys.hashes[i], batch, at, nullptr) != CRIVO_OK) {
                          std::abort();
                        }
                      }
                    }});
  }
  return list;
}

void compare(const char* kind, std::uint64_t in_filter, int rounds, std::vector<Library>& libraries) {
  FilterSpec spec;
  if (!choose_kind(spec, kind)) std::abort();
  spec.capacity = in_filter;
  // Few keys are looked up compared with the filter's keys, so that the filter, not the keys, determines the cache use.
  const Keys keys(100'000);
  std::vector<std::uint64_t> added;
  for (std::uint64_t i = 0; i < keys.hashes.size(); i += 2) added.push_back(keys.hashes[i]);
  while (added.size() < in_filter) added.push_back(added.size() * 0x9E3779B97F4A7C15);
  const Result<AnyFilter> filter = AnyFilter::build(spec, added);
  if (!filter) std::abort();
  const auto blob = to_blob(filter->ref(), BlobForm::kRaw);
  for (Library& library : libraries) library.read_filter(*blob);
  const auto hits = std::make_unique<bool[]>(keys.views.size());
  std::uint64_t sum = 0;
  for (const Question& question : questions(filter->ref(), keys, hits.get(), sum)) {
    std::vector<double> cpp;
    std::vector<std::vector<double>> c(libraries.size());
    for (int round = 0; round < rounds; ++round) {
      cpp.push_back(nanoseconds(question.cpp));
      for (std::size_t i = 0; i < libraries.size(); ++i) {
        c[i].push_back(nanoseconds([&] { question.c(libraries[i]); }));
      }
    }
    const auto per_key = static_cast<double>(keys.views.size());
    std::printf("| %s | %llu | %s | %.1f", kind, static_cast<unsigned long long>(in_filter), question.name.c_str(),
                median(cpp) / per_key);
    for (const auto& samples : c)
      std::printf(" | %.1f | %.2f", median(samples) / per_key, median(samples) / median(cpp));
    std::printf(" |\n");
  }
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  int rounds = 31;
  CLI::App app("Questions through crivo.h beside those in C++", "bench_c");
  app.add_option("--rounds", rounds, "of which the medians are shown (default 31)")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  std::printf("| kind | keys in it | question | C++, ns | libcrivo.a, ns | ratio | libcrivo.so, ns | ratio |\n");
  std::printf("|---|---|---|---|---|---|---|---|\n");
  for (const char* kind : {"blocked", "ribbon"}) {
    for (const std::uint64_t keys : {100'000U, 10'000'000U}) {
      std::vector<crivo::bench::Library> libraries = {{}, crivo::bench::load(CRIVO_SHARED_LIBRARY)};
      crivo::bench::compare(kind, keys, rounds, libraries);
    }
  }
}
