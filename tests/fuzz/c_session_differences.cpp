// Compares the difference of two sketches with that of their models. The decoded keys must account for all symbols of
// the difference, even if the symbols are forged.
#include <algorithm>

#include "blob_surgery.h"
#include "c_session_calls.h"
#include "c_session_sketches.h"
#include "crivo/host/bytes.h"
#include "require.h"

namespace crivo::testing {
namespace {

constexpr std::size_t kSymbolsAt = header::kBytes + 8;
constexpr std::size_t kCheckBytes = 8;

const std::byte* symbol(const std::vector<std::uint8_t>& blob, const crivo_sketch_facts& facts, std::uint64_t i) {
  return reinterpret_cast<const std::byte*>(blob.data()) + kSymbolsAt + i * (kCheckBytes + facts.key_bytes);
}

/// The keys of a side, which the interface returns in two forms.
std::vector<std::string> keys_of(const crivo_difference* found, int side, const crivo_sketch_facts& facts) {
  crivo_keys keys{};
  require(checked(crivo_difference_keys, found, side, &keys) == CRIVO_OK, "a side has keys");
  require(keys.width == facts.key_bytes && keys.offsets == nullptr && keys.bytes_size == keys.count * keys.width,
          "keys have the sketch's width");
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < keys.count; ++i) {
    all.emplace_back(static_cast<const char*>(keys.bytes) + i * keys.width, keys.width);
  }
  const std::uint64_t* numbers = nullptr;
  std::uint64_t count = 0;
  const crivo_status status = checked(crivo_difference_numbers, found, side, &numbers, &count);
  require(status == (facts.key_type == 1 ? CRIVO_UNSUPPORTED : CRIVO_OK), "hashes and integers are numbers");
  if (status != CRIVO_OK) return all;
  require(count == keys.count, "as many numbers as keys");
  for (std::uint64_t i = 0; i < count; ++i) {
    require(numbers[i] == load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(all[i].data())), "the same keys");
  }
  return all;
}

/// Whether one key must precede another.
bool is_before(const crivo_sketch_facts& facts, const std::string& one, const std::string& other) {
  if (facts.key_type == 1) return one < other;
  const auto number = [&facts](const std::string& key) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    return load_le<std::uint64_t>(reinterpret_cast<const std::byte*>(key.data())) ^ (facts.key_type == 2 ? kSign : 0);
  };
  return number(one) < number(other);
}

}  // namespace

/// The decoded keys are in ascending order, and are the whole difference of the two sketches.
void SketchSession::check_sides(const Slot& first, const Slot& second, const crivo_difference* found) {
  crivo_sketch_facts facts = first.facts;
  facts.symbols = std::min(first.facts.symbols, second.facts.symbols);
  for (const int no_side : {-1, 2}) {
    crivo_keys keys{};
    require(checked(crivo_difference_keys, found, no_side, &keys) == CRIVO_BAD_ARGUMENT, "there are two sides");
  }
  const Sketch again = made_of(facts, {});
  for (const int side : {0, 1}) {
    const auto keys = keys_of(found, side, facts);
    const auto order = [&facts](const std::string& one, const std::string& other) {
      return is_before(facts, one, other);
    };
    require(std::is_sorted(keys.begin(), keys.end(), order), "keys are in ascending order");
    require(std::adjacent_find(keys.begin(), keys.end()) == keys.end(), "no key is found twice");
    for (const std::string& key : keys) change_by(again.get(), facts, key, side == 1);
  }
  const Blob one = blob_of(first.sketch.get());
  const Blob other = blob_of(second.sketch.get());
  const Blob apart = blob_of(again.get());
  for (std::uint64_t i = 0; i < facts.symbols; ++i) {
    const auto* const a = symbol(one, facts, i);
    const auto* const b = symbol(other, facts, i);
    const auto* const c = symbol(apart, facts, i);
    require(load_le<std::uint64_t>(a) == load_le<std::uint64_t>(b) + load_le<std::uint64_t>(c), "checks add up");
    for (std::size_t at = kCheckBytes; at < kCheckBytes + facts.key_bytes; ++at) {
      require(a[at] == (b[at] ^ c[at]), "keys add up");
    }
  }
}

/// The decoded keys are the difference of the models. Decoding succeeds if and only if the keys can be removed one by
/// one, each being alone in some symbol when its turn comes. The function simulates this with each key's sketch.
void SketchSession::check_against_models(const Slot& first, const Slot& second, const crivo_difference* found) {
  constexpr std::size_t kMaxPeeled = 40;  // more keys would need too much time
  crivo_sketch_facts facts = first.facts;
  facts.symbols = std::min(first.facts.symbols, second.facts.symbols);
  std::vector<unsigned> apart;
  for (unsigned id = 0; id < kKeys; ++id) {
    const std::int64_t copies = first.counts[id] - second.counts[id];
    if (copies != 0) apart.push_back(id);
    if (copies > 1 || copies < -1) return require(found == nullptr, "a key with two copies prevents that any is found");
  }
  if (found != nullptr) {
    for (const int side : {0, 1}) {
      std::vector<std::string> expected;
      for (const unsigned id : apart) {
        if (first.counts[id] - second.counts[id] == (side == 0 ? 1 : -1)) expected.push_back(key_in(facts, id));
      }
      std::vector<std::string> keys = keys_of(found, side, facts);
      std::sort(keys.begin(), keys.end());
      std::sort(expected.begin(), expected.end());
      require(keys == expected, "the keys are those of one set alone");
    }
  }
  if (apart.size() > kMaxPeeled) return;
  std::vector<std::vector<unsigned>> in_symbol(facts.symbols);
  for (const unsigned id : apart) {
    Counts alone{};
    alone[id] = 1;
    const Blob blob = blob_of(made_of(facts, alone).get());
    for (std::uint64_t i = 0; i < facts.symbols; ++i) {
      if (load_le<std::uint64_t>(symbol(blob, facts, i)) != 0) in_symbol[i].push_back(id);
    }
  }
  const auto has_one = [](const std::vector<unsigned>& ids) { return ids.size() == 1; };
  std::size_t left = apart.size();
  for (;; --left) {
    const auto alone = std::find_if(in_symbol.begin(), in_symbol.end(), has_one);
    if (alone == in_symbol.end()) break;
    const unsigned id = alone->front();
    for (auto& ids : in_symbol) std::erase(ids, id);
  }
  require((left == 0) == (found != nullptr), "what can be told apart is found, and nothing else");
}

bool SketchSession::is_decoded_alone(const Slot& slot) {
  if (slot.facts.first != 0) return false;
  crivo_difference* found = nullptr;
  const Sketch nobody = made_of(slot.facts, {});
  require(crivo_find_difference(slot.sketch.get(), nobody.get(), &found, nullptr) == CRIVO_OK, "sets differ");
  return Difference(found) != nullptr;
}

void SketchSession::find_difference(const Slot& first, const Slot& second) {
  char untouched = 0;
  auto* const before = reinterpret_cast<crivo_difference*>(&untouched);
  crivo_difference* made = before;
  const crivo_status status = checked(crivo_find_difference, first.sketch.get(), second.sketch.get(), &made);
  require((status == CRIVO_OK) == (made != before), "a difference is written where there is no error");
  if (first.sketch == nullptr || second.sketch == nullptr) {
    return require(status == CRIVO_BAD_ARGUMENT, "no sketch has no difference");
  }
  const bool fits = have_same_keys(first.facts, second.facts) && first.facts.first == second.facts.first;
  const crivo_status expected = !fits ? CRIVO_INCOMPATIBLE : first.facts.first != 0 ? CRIVO_BAD_ARGUMENT : CRIVO_OK;
  const bool are_known = first.is_known && second.is_known;
  require(status == expected || (!are_known && expected == CRIVO_OK && status == CRIVO_CORRUPT),
          "two sets have a difference");
  if (status != CRIVO_OK) return;
  const Difference found(made);
  if (made != nullptr) check_sides(first, second, made);
  if (are_known) check_against_models(first, second, made);
}

void SketchSession::find_difference() {
  const Slot& first = take_slot();
  const Slot& second = take_slot();
  find_difference(first, second);
}

}  // namespace crivo::testing
