// Crivo's filters and the exact set, as contestants.
#include <cstdio>
#include <stdexcept>
#include <unordered_set>

#include "contestant.h"
#include "crivo/filter.h"
#include "filter/view_of.h"
#include "kernels.h"
#include "kinds/ribbon/layout.h"

namespace crivo::bench {
namespace {

template <class T>
T or_throw(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

/// Fills `hashes` with the hashes of the keys from number `from` on.
void hash_from(const KeyList& keys, std::uint64_t from, std::span<std::uint64_t> hashes) {
  std::array<std::string_view, kBatch> views;
  for (; !hashes.empty(); from += kBatch) {
    const std::size_t count = std::min(kBatch, hashes.size());
    for (std::size_t i = 0; i < count; ++i) views[i] = keys[from + i];
    hash_keys({views.data(), count}, 0, hashes.first(count));
    hashes = hashes.subspan(count);
  }
}

class Ours final : public ContestantLoops<Ours> {
 public:
  Ours(std::string name, FilterSpec spec) : name_(std::move(name)), spec_(spec) {}

  std::string name() const override { return name_; }
  void build(const KeyList& keys) override {
    spec_.capacity = keys.size();
    filter_.reset();
    // A kind that is built once needs all hashes. Other kinds get the keys in batches.
    filter_ = std::make_unique<AnyFilter>(built_once() ? build_once(keys) : add_in_batches(keys));
    ref_ = std::make_unique<FilterRef>(filter_->ref());
  }
  double bits() const override { return 8.0 * static_cast<double>(filter_->payload().size()); }

  const FilterRef& ref() const { return *ref_; }

  bool contains(std::string_view key) const { return ref_->may_contain(key); }
  void contains_batch(const std::string_view* keys, std::size_t count, bool* hits) const {
    ref_->may_contain_keys({keys, count}, {hits, count});
  }

 private:
  bool built_once() const {
    for (const KindInfo& info : kinds()) {
      if (info.kind == spec_.kind) return !info.can.add;
    }
    return false;
  }
  AnyFilter build_once(const KeyList& keys) const {
    std::vector<std::uint64_t> hashes(keys.size());
    hash_from(keys, 0, hashes);
    return or_throw(AnyFilter::build(spec_, std::move(hashes)));
  }
  AnyFilter add_in_batches(const KeyList& keys) const {
    constexpr std::uint64_t kAtOnce = 1024;
    AnyFilter filter = or_throw(AnyFilter::create(spec_));
    std::uint64_t hashes[kAtOnce];
    for (std::uint64_t from = 0; from < keys.size(); from += kAtOnce) {
      const std::span<std::uint64_t> some = std::span(hashes).first(std::min(kAtOnce, keys.size() - from));
      hash_from(keys, from, some);
      if (auto added = filter.add_hashes(some); !added) throw std::runtime_error(added.error().message);
    }
    return filter;
  }

  std::string name_;
  FilterSpec spec_;
  std::unique_ptr<AnyFilter> filter_;
  std::unique_ptr<FilterRef> ref_;
};

/// A blocked filter or a ribbon, queried by the kernels of one instruction set instead of the best one.
class OnIsa final : public ContestantLoops<OnIsa> {
 public:
  OnIsa(std::unique_ptr<Ours> filter, const Kernels& kernels) : filter_(std::move(filter)), kernels_(kernels) {}

  std::string name() const override { return filter_->name() + " " + std::string(kernels_.isa); }
  void build(const KeyList& keys) override {
    filter_->build(keys);
    view_ = ViewOf::filter(filter_->ref());
    const Probe& ribbon = RibbonForm(view_.shape).width == kWideRibbon ? kernels_.ribbon : kernels_.narrow_ribbon;
    probe_ = view_.shape.kind == Kind::kRibbon ? ribbon : kernels_.blocked;
  }
  double bits() const override { return filter_->bits(); }

  bool contains(std::string_view key) const { return probe_.contains_key(view_, key); }
  void contains_batch(const std::string_view* keys, std::size_t count, bool* hits) const {
    std::uint64_t hashes[kBatch];
    hash_keys({keys, count}, 0, {hashes, count});
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
  void build(const KeyList& keys) override {
    std::uint64_t hashes[kBatch];
    for (std::uint64_t from = 0; from < keys.size(); from += kBatch) hash_from(keys, from, hashes);
  }
  double bits() const override { return 0; }
  bool contains(std::string_view key) const { return hash_key(key, 0) == 0; }
  void contains_batch(const std::string_view* keys, std::size_t count, bool* hits) const {
    std::uint64_t hashes[kBatch];
    hash_keys({keys, count}, 0, {hashes, count});
    for (std::size_t i = 0; i < count; ++i) hits[i] = hashes[i] == 0;
  }
};

class HashSet final : public ContestantLoops<HashSet> {
 public:
  std::string name() const override { return "std::unordered_set"; }
  void build(const KeyList& keys) override {
    set_ = {};
    set_.reserve(keys.size());
    for (std::uint64_t i = 0; i < keys.size(); ++i) set_.emplace(keys[i]);
  }
  // libstdc++ allocates per key a pointer in the bucket array, and a node with a pointer, the hash and the string.
  // malloc rounds the node up to 16 bytes.
  double bits() const override {
    return 8.0 * static_cast<double>(set_.bucket_count() * sizeof(void*) + set_.size() * (sizeof(std::string) + 32));
  }
  bool contains(std::string_view key) const { return set_.contains(std::string(key)); }
  void contains_batch(const std::string_view* keys, std::size_t count, bool* hits) const {
    for (std::size_t i = 0; i < count; ++i) hits[i] = contains(keys[i]);
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
