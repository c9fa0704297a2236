#include "c_session_draws.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>

#include "require.h"

namespace crivo::testing {
namespace {

constexpr const char* kKinds[] = {
    nullptr,    "classic",   "compressed", "blocked",     "counting", "spectral:4", "spectral",        "spectral:32",
    "scalable", "cuckoo",    "ribbon",     "scalable:16", "",         "spectral:",  "hash_compaction", ":",
    "\xff\x80", "blocked:1", "range",      "range:1024",  "map",      "exact",      "growing",         "window:9/3"};

const char* take_kind(Input& input) {
  const unsigned kind = input.take_below(64);
  return kind < std::size(kKinds) ? kKinds[kind] : kKinds[1 + kind % 11];
}

double take_real(Input& input) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kReals[] = {0.1, 0.01, 0.5, 1e-6, 1e-15, 10, 0, 1, -1, kInfinite, 0.999999, 5e-324, 1000, -0.0};
  const unsigned choice = input.take_below(32);
  if (choice < std::size(kReals)) return kReals[choice];
  if (choice == 31) return std::bit_cast<double>(input.take<std::uint64_t>());
  return choice == 30 ? std::nan("") : 0;
}

}  // namespace

const std::string& key(unsigned id) {
  static const auto keys = [] {
    std::array<std::string, kKeys> all;
    for (unsigned i = 1; i < kKeys; ++i) all[i] = std::string(i % 7 * 6, 'k') + static_cast<char>(i);
    return all;
  }();
  return keys[id];
}

crivo_limits limits_of(std::uint64_t max_bytes) {
  crivo_limits limits{};
  limits.size = sizeof limits;
  limits.max_bytes = max_bytes;
  return limits;
}

Run::Run(Input& input) {
  const unsigned first = input.take<std::uint8_t>();
  const unsigned count = input.take<std::uint8_t>();
  for (unsigned i = 0; i < count; ++i) add((first + 3 * i) % kKeys);
}

void Run::append(const Run& other) {
  for (const unsigned id : other.ids_) add(id);
}

void Run::add(unsigned id) {
  ids_.push_back(id);
  bytes_ += key(id);
  offsets_.push_back(bytes_.size());
}

std::vector<std::uint64_t> Run::hashes(std::uint64_t seed, bool ordered) const {
  std::vector<std::uint64_t> hashes(ids_.size());
  if (ordered) {
    std::ranges::transform(ids_, hashes.begin(),
                           [](unsigned id) { return crivo_ordered_bytes(key(id).data(), key(id).size()); });
    return hashes;
  }
  const crivo_keys given = keys();
  require(crivo_hash_keys(&given, seed, hashes.data(), nullptr) == CRIVO_OK, "sound keys have hashes");
  return hashes;
}

Options::Options(Input& input) : Options(input, take_kind(input)) {}

Options::Options(Input& input, std::span<const char* const> kinds)
    : Options(input, kinds[input.take_below(static_cast<unsigned>(kinds.size()))]) {}

Options::Options(Input& input, const char* kind) {
  crivo_options options{};
  options.size = sizeof options;
  options.kind = kind;
  options.capacity = input.take_below(8) == 0 ? 0 : 1 + input.take<std::uint16_t>() % 700;
  options.max_bytes = kMaxBytes;
  // Mostly by bits per key, because the search for the size of a rate would dominate the time.
  options.bits_per_key = input.take_below(16) == 0 ? 0 : 1 + input.take_below(20);
  if (const unsigned odd = input.take_below(16); odd == 1) {
    options.fp_rate = take_real(input);
    options.bits_per_key *= input.take_below(8) == 0 ? 1 : 0;
  } else if (odd == 2) {
    options.bits_per_key = take_real(input);
  } else if (odd == 3) {
    options.seed = input.take<std::uint64_t>();
  } else if (odd == 4) {
    options.threads = input.take_below(4);
    options.progress = &progress;
    options.progress_data = this;
    calls_left_ = input.take_below(6);
  } else if (odd == 5) {
    options.max_bytes = 1 + input.take<std::uint16_t>();
  } else if (odd == 6) {
    options.capacity = input.take<std::uint64_t>();
    options.reserved = input.take_below(2);
  } else if (odd == 7) {
    options.size = input.take<std::uint16_t>();
    bytes_[input.take<std::uint16_t>() % bytes_.size()] = input.take<std::uint8_t>() & 1;  // may be after the structure
  }
  std::memcpy(bytes_.data(), &options, sizeof options);
}

std::uint64_t Options::max_bytes() const {
  const bool is_seen = get()->size >= offsetof(crivo_options, max_bytes) + sizeof get()->max_bytes;
  return is_seen ? get()->max_bytes : UINT64_MAX;
}

int Options::progress(double done, void* data) {
  auto& self = *static_cast<Options*>(data);
  require(done >= self.done_ && done <= 1, "progress rises to 1");
  require(!self.cancelled_, "a build that was cancelled ends");
  self.done_ = done;
  self.cancelled_ = self.calls_left_-- == 0;
  return self.cancelled_ ? 1 : 0;
}

}  // namespace crivo::testing
