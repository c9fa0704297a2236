// What an input of fuzz_c draws for its calls: keys, and options with any field invalid.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo.h"
#include "input.h"

namespace crivo::testing {

struct Free {
  void operator()(crivo_filter* filter) const noexcept { crivo_free(filter); }
  void operator()(crivo_builder* builder) const noexcept { crivo_builder_free(builder); }
  void operator()(crivo_sketch* sketch) const noexcept { crivo_sketch_free(sketch); }
  void operator()(crivo_difference* difference) const noexcept { crivo_difference_free(difference); }
};

/// The maximum size of a filter or a sketch, unless an input draws another limit.
inline constexpr std::uint64_t kMaxBytes = 1 << 16;

inline constexpr unsigned kKeys = 256;  // the number of different keys
[[nodiscard]] const std::string& key(unsigned id);

/// Whether the kind's keys are ordered numbers.
[[nodiscard]] inline bool is_ordered(const char* kind) {
  return kind != nullptr && std::string_view(kind).starts_with("range");
}

[[nodiscard]] crivo_limits limits_of(std::uint64_t max_bytes);

/// Keys, in one of the layouts of crivo_keys.
class Run {
 public:
  /// Draws different keys.
  explicit Run(Input& input);
  void append(const Run& other);

  [[nodiscard]] std::uint64_t count() const { return ids_.size(); }
  [[nodiscard]] unsigned id(std::uint64_t i) const { return ids_[i]; }
  [[nodiscard]] const std::vector<unsigned>& ids() const { return ids_; }
  [[nodiscard]] crivo_keys keys() const { return {bytes_.data(), bytes_.size(), offsets_.data(), 0, ids_.size()}; }
  [[nodiscard]] std::vector<std::uint64_t> hashes(std::uint64_t seed, bool ordered = false) const;

 private:
  void add(unsigned id);

  std::vector<unsigned> ids_;
  std::string bytes_;
  std::vector<std::uint64_t> offsets_{0};
};

/// Options with any field invalid, followed by zeros that a later version may read.
class Options {
 public:
  /// Draws a valid or invalid kind.
  explicit Options(Input& input);
  /// Draws one of these kinds.
  Options(Input& input, std::span<const char* const> kinds);
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  [[nodiscard]] const crivo_options* get() const { return reinterpret_cast<const crivo_options*>(bytes_.data()); }
  [[nodiscard]] std::uint64_t seed() const { return get()->seed; }
  [[nodiscard]] bool ordered() const { return is_ordered(get()->kind); }
  /// The limit that the library reads.
  [[nodiscard]] std::uint64_t max_bytes() const;

 private:
  Options(Input& input, const char* kind);
  static int progress(double done, void* data);

  alignas(crivo_options) std::array<unsigned char, 4096> bytes_{};  // a larger `size` is rejected
  unsigned calls_left_ = 0;
  double done_ = 0;
  bool cancelled_ = false;
};

}  // namespace crivo::testing
