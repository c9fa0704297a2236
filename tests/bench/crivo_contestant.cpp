// Our own filters, and the exact set, as contestants.
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <unordered_set>

#include "contestant.h"
#include "crivo/filter.h"
#include "filter/view_of.h"
#include "simd/kernels.h"

namespace crivo::bench {
namespace {

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

/// At most kBatch keys at a time.
void hash_batch(const Key* keys, std::size_t count, std::uint64_t* hashes) {
  std::string_view views[kBatch];
  for (std::size_t i = 0; i < count; ++i) views[i] = keys[i].view();
  hash_keys({views, count}, 0, {hashes, count});
}

/// The hashes of the keys from this number on, as many as fit, at most kBatch.
void hash_numbers(std::uint64_t from, std::span<std::uint64_t> hashes) {
  const std::size_t count = std::min(kBatch, hashes.size());
  std::array<Key, kBatch> keys;
  for (std::size_t i = 0; i < count; ++i) keys[i] = Key(from + i);
  hash_batch(keys.data(), count, hashes.data());
}

class Ours final : public ContestantLoops<Ours> {
 public:
  Ours(std::string name, FilterSpec spec) : name_(std::move(name)), spec_(spec) {}

  std::string name() const override { return name_; }
  void build(std::uint64_t keys) override {
    spec_.capacity = keys;
    filter_.reset();
    // A kind that is built once wants all hashes; the others are fed as keys arrive.
    filter_ = std::make_unique<AnyFilter>(built_once() ? build_once(keys) : add_in_batches(keys));
    ref_ = std::make_unique<FilterRef>(filter_->ref());
  }
  double bits() const override { return 8.0 * static_cast<double>(filter_->payload().size()); }

  const FilterRef& ref() const { return *ref_; }

  bool contains(std::string_view key) const { return ref_->may_contain(key); }
  void contains_batch(const Key* keys, std::size_t count, bool* hits) const {
    std::string_view views[kBatch];
    for (std::size_t i = 0; i < count; ++i) views[i] = keys[i].view();
    ref_->may_contain_keys({views, count}, {hits, count});
  }

 private:
  bool built_once() const {
    for (const KindInfo& info : kinds()) {
      if (info.kind == spec_.kind) return !info.can.add;
    }
    return false;
  }
  AnyFilter build_once(std::uint64_t keys) const {
    std::vector<std::uint64_t> hashes(keys);
    for (std::uint64_t from = 0; from < keys; from += kBatch) hash_numbers(from, std::span(hashes).subspan(from));
    return or_throw(AnyFilter::build(spec_, std::move(hashes)));
  }
  AnyFilter add_in_batches(std::uint64_t keys) const {
    constexpr std::uint64_t kAtOnce = 1024;
    AnyFilter filter = or_throw(AnyFilter::create(spec_));
    std::uint64_t hashes[kAtOnce];
    for (std::uint64_t from = 0; from < keys; from += kAtOnce) {
      const std::span<std::uint64_t> some = std::span(hashes).first(std::min(kAtOnce, keys - from));
      for (std::uint64_t i = 0; i < some.size(); i += kBatch) hash_numbers(from + i, some.subspan(i));
      if (auto added = filter.add_hashes(some); !added) throw std::runtime_error(added.error().message);
    }
    return filter;
  }

  std::string name_;
  FilterSpec spec_;
  std::unique_ptr<AnyFilter> filter_;
  std::unique_ptr<FilterRef> ref_;
};

/// A blocked filter or a ribbon that is asked by the kernels of one instruction set, instead of the best one.
class OnIsa final : public ContestantLoops<OnIsa> {
 public:
  OnIsa(std::unique_ptr<Ours> filter, const Kernels& kernels) : filter_(std::move(filter)), kernels_(kernels) {}

  std::string name() const override { return filter_->name() + " " + std::string(kernels_.isa); }
  void build(std::uint64_t keys) override {
    filter_->build(keys);
    view_ = ViewOf::filter(filter_->ref());
    probe_ = view_.shape.kind == Kind::kRibbon ? kernels_.ribbon : kernels_.blocked;
  }
  double bits() const override { return filter_->bits(); }

  bool contains(std::string_view key) const { return probe_.contains_key(view_, key); }
  void contains_batch(const Key* keys, std::size_t count, bool* hits) const {
    std::uint64_t hashes[kBatch];
    hash_batch(keys, count, hashes);
    probe_.contains_batch(view_, hashes, count, hits);
  }

 private:
  std::unique_ptr<Ours> filter_;
  const Kernels& kernels_;
  View view_;
  Probe probe_{};
};

class HashOnly final : public ContestantLoops<HashOnly> {
 public:
  std::string name() const override { return kHashOnly; }
  void build(std::uint64_t keys) override {
    std::uint64_t hashes[kBatch];
    for (std::uint64_t from = 0; from < keys; from += kBatch) hash_numbers(from, hashes);
  }
  double bits() const override { return 0; }
  bool contains(std::string_view key) const { return hash_key(key, 0) == 0; }
  void contains_batch(const Key* keys, std::size_t count, bool* hits) const {
    std::uint64_t hashes[kBatch];
    hash_batch(keys, count, hashes);
    for (std::size_t i = 0; i < count; ++i) hits[i] = hashes[i] == 0;
  }
};

class HashSet final : public ContestantLoops<HashSet> {
 public:
  std::string name() const override { return "std::unordered_set"; }
  void build(std::uint64_t keys) override {
    set_ = {};
    set_.reserve(keys);
    for (std::uint64_t i = 0; i < keys; ++i) set_.emplace(Key(i).view());
  }
  // What libstdc++ allocates per key: a pointer in the bucket array, and a node with a pointer, the hash and the
  // string, which malloc rounds up to 16 bytes.
  double bits() const override {
    return 8.0 * static_cast<double>(set_.bucket_count() * sizeof(void*) + set_.size() * (sizeof(std::string) + 32));
  }
  bool contains(std::string_view key) const { return set_.contains(std::string(key)); }
  void contains_batch(const Key* keys, std::size_t count, bool* hits) const {
    for (std::size_t i = 0; i < count; ++i) hits[i] = contains(keys[i].view());
  }

 private:
  std::unordered_set<std::string> set_;
};

std::unique_ptr<Ours> make(std::string name, const std::string& kind, FilterSpec spec) {
  if (auto chosen = choose_kind(spec, kind); !chosen) throw std::runtime_error(chosen.error().message);
  return std::make_unique<Ours>(std::move(name), spec);
}

std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

std::unique_ptr<Ours> make_by_rate(const std::string& kind, double fp_rate) {
  return make("crivo " + kind + " " + short_number(100 * fp_rate) + "%", kind, {.fp_rate = fp_rate});
}

}  // namespace

std::unique_ptr<Contestant> make_crivo(const std::string& kind, double fp_rate) { return make_by_rate(kind, fp_rate); }

std::unique_ptr<Contestant> make_crivo_on(const std::string& isa, const std::string& kind, double fp_rate) {
  for (const Kernels& kernels : available_kernels()) {
    if (kernels.isa == isa) return std::make_unique<OnIsa>(make_by_rate(kind, fp_rate), kernels);
  }
  return nullptr;
}

std::unique_ptr<Contestant> make_crivo_bits(const std::string& kind, double bits_per_key) {
  return make("crivo " + kind + " " + short_number(bits_per_key), kind, {.bits_per_key = bits_per_key});
}

std::unique_ptr<Contestant> make_hash_only() { return std::make_unique<HashOnly>(); }

std::unique_ptr<Contestant> make_hash_set() { return std::make_unique<HashSet>(); }

}  // namespace crivo::bench
