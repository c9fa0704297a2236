// Decodes a difference by peeling: a symbol with one remaining key yields the key. The key is removed from all its
// symbols, which leaves further symbols with one key (Goodrich & Mitzenmacher 2011; Yang, Gilad & Alizadeh 2024).
//
// A hostile peer can choose symbols such that removing a key from one symbol puts the key into another symbol, forever.
// But in the symbols of two real sets, each symbol yields at most one key: afterwards the symbol is empty, and stays
// empty. So a symbol that yields a second key is an error. This bounds the work: m symbols yield at most m keys, and a
// key is removed in about 2 ln m steps.
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "crivo/sketch.h"
#include "sketch/symbols.h"

namespace crivo {
namespace {

class Peeling {
 public:
  Peeling(const SketchSpec& spec, AlignedBytes symbols)
      : spec_(spec),
        bytes_(std::move(symbols)),
        symbols_(bytes_, spec.key_bytes, 0),
        is_queued_(spec.symbols, 1),
        has_yielded_(spec.symbols, 0) {}

  /// Finds all keys that the symbols yield, and removes them from the symbols.
  Result<void> run() {
    // The last symbols have the fewest keys, so they are examined first.
    waiting_.resize(spec_.symbols);
    std::iota(waiting_.begin(), waiting_.end(), 0);
    while (!waiting_.empty()) {
      const std::uint64_t i = waiting_.back();
      waiting_.pop_back();
      is_queued_[i] = 0;
      if (auto done = peel(i); !done) return done;
    }
    return {};
  }

  /// Every key is in the first symbol, so the first symbol is empty when no key is left.
  [[nodiscard]] bool is_complete() const noexcept { return symbols_.is_empty(0); }

  Result<SetDifference> finish() {
    for (std::uint64_t i = 0; i < spec_.symbols; ++i) {
      if (!symbols_.is_empty(i)) return inconsistent_error("symbol ", i, " has keys that the first one does not have");
    }
    const auto order = [keys = spec_.keys](const SymbolKey& key) {
      constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
      const auto number = load_le<std::uint64_t>(key.data()) ^ (keys == SketchKeys::kIntegers ? kSign : 0);
      return std::pair(keys == SketchKeys::kBytes ? 0 : number, key);
    };
    for (auto& side : found_) std::ranges::sort(side, {}, order);
    const auto has_twice = [](const auto& side) { return std::ranges::adjacent_find(side) != side.end(); };
    std::vector<SymbolKey> in_both;
    std::ranges::set_intersection(found_[0], found_[1], std::back_inserter(in_both), {}, order, order);
    if (has_twice(found_[0]) || has_twice(found_[1]) || !in_both.empty())
      return inconsistent_error("a key is found twice");
    return SetDifference{packed(found_[0]), packed(found_[1])};
  }

 private:
  template <class... Parts>
  static Error inconsistent_error(const Parts&... parts) {
    return corrupt("symbols must be those of two sets, got inconsistent ones: ", parts...);
  }

  Result<void> peel(std::uint64_t i) {
    const std::uint64_t check = symbols_.check(i);
    const SymbolKey key = symbols_.key(i);
    if (check == 0) return {};
    const SymbolTerm term(key, spec_.key_bytes, spec_.seed);
    const bool is_first = check == term.check;
    if (!is_first && check != 0 - term.check) return {};
    if (std::exchange(has_yielded_[i], 1) != 0) return inconsistent_error("symbol ", i, " gives two keys");
    found_[is_first ? 0 : 1].push_back(key);
    return remove_key(term, 0 - check, i);
  }

  /// Removes a key from its symbols, which must include symbol `from`.
  Result<void> remove_key(const SymbolTerm& term, std::uint64_t check, std::uint64_t from) {
    bool is_there = false;
    for (SymbolIndices indices(term.steps); indices.index() < spec_.symbols; indices.advance()) {
      const std::uint64_t i = indices.index();
      symbols_.apply_at(i, term.key, check);
      is_there = is_there || i == from;
      if (i == from || std::exchange(is_queued_[i], 1) != 0) continue;
      waiting_.push_back(i);
    }
    if (!is_there) return inconsistent_error("symbol ", from, " has a key that belongs elsewhere");
    return {};
  }

  [[nodiscard]] SketchedKeys packed(const std::vector<SymbolKey>& keys) const {
    std::vector<std::byte> bytes;
    bytes.reserve(keys.size() * spec_.key_bytes);
    for (const SymbolKey& key : keys) bytes.insert(bytes.end(), key.begin(), key.begin() + spec_.key_bytes);
    return {std::move(bytes), spec_.key_bytes};
  }

  const SketchSpec& spec_;
  AlignedBytes bytes_;
  Symbols symbols_;
  std::vector<std::uint64_t> waiting_;     // symbols to examine, without repetition
  std::vector<std::uint8_t> is_queued_;    // 1 for these symbols
  std::vector<std::uint8_t> has_yielded_;  // 1 for symbols that have yielded a key
  std::vector<SymbolKey> found_[2];
};

}  // namespace

Result<std::optional<SetDifference>> Sketch::decode() const {
  if (spec_.first != 0) return bad_argument("first must be 0 to decode, got ", spec_.first);
  Peeling peeling(spec_, AlignedBytes(payload_.begin() + kFirstBytes, payload_.end()));
  if (auto done = peeling.run(); !done) return done.error();
  if (!peeling.is_complete()) return std::optional<SetDifference>();
  Result<SetDifference> difference = peeling.finish();
  if (!difference) return difference.error();
  return std::optional<SetDifference>(*std::move(difference));
}

}  // namespace crivo
