// Maps and exact filters are built from keys with values. The model has the value of each key of a map, and the side of
// each key of an exact filter.
#include <bit>
#include <optional>

#include "c_session.h"

namespace crivo::testing {
namespace {

constexpr const char* kMapKinds[] = {"map", "map", "map:8", "map:1", "map:32", "map:33", "exact", nullptr, "ribbon"};
constexpr const char* kExactKinds[] = {"exact", "exact", "exact", "map", nullptr, "blocked", "exact:1"};

std::uint64_t largest_of(const std::vector<std::uint64_t>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

}  // namespace

/// Two runs of keys, which may overlap: the members and the others of an exact filter, or keys of a map.
class CSession::Pairs {
 public:
  Pairs(Input& input, bool exact) : sides{Run(input), Run(input)}, all(sides[0]) {
    all.append(sides[1]);
    for (const Run& side : sides) {
      const bool is_first = &side == &sides[0];
      const unsigned bits = exact ? 0 : input.take_below(34);
      const std::uint64_t factor = exact ? 0 : 2 * input.take_below(4) + 1;
      for (const unsigned id : side.ids()) {
        values.push_back(exact ? (is_first ? 1 : 0) : bits == 0 ? 0 : (id + 1) * factor * kSpread >> (64 - bits));
      }
    }
  }

  /// The values of the first `count` pairs, or nothing if a key has two values.
  [[nodiscard]] std::optional<Values> model(std::uint64_t count) const {
    Values known;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (known.try_emplace(all.id(i), values[i]).first->second != values[i]) return {};
    }
    return known;
  }

  Run sides[2];
  Run all;                            // both runs, one after the other
  std::vector<std::uint64_t> values;  // one per key of `all`

 private:
  static constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
};

/// Puts a filter of the first `count` pairs into the slot. Without options, the build of valid input must succeed.
void CSession::fill_with_values(Slot& slot, crivo_status status, crivo_filter* made, const Options* options,
                                const Pairs& pairs, std::uint64_t count) {
  require((status == CRIVO_OK) == (made != nullptr), "a filter is made, or there is an error");
  const std::optional<Values> values = pairs.model(count);
  const bool can_be = values && largest_of(pairs.values) <= UINT32_MAX;
  require(options != nullptr || status == (can_be ? CRIVO_OK : CRIVO_BAD_ARGUMENT),
          "the defaults take all keys that have one value each");
  if (made == nullptr) return;
  slot.become(made);
  const crivo_facts known = facts(made);
  require(options == nullptr || known.payload_bytes <= options->max_bytes(), "a filter is no larger than its limit");
  require(known.keys == count, "keys that are added are counted");
  if (count == 0) return;
  require(has_values(known), "a kind without values takes none");
  require(values.has_value(), "a key with two values, or on both sides, is refused");
  slot.values = *values;
  const bool is_map = (known.can & CRIVO_CAN_FIND) != 0;
  for (const auto& [id, value] : slot.values) slot.least[id] = is_map ? 1 : value;
  if (options == nullptr && is_map) {
    require(known.param == std::max(1U, static_cast<unsigned>(std::bit_width(largest_of(pairs.values)))),
            "values have the bits they need");
  }
}

void CSession::build_with_values() {
  Slot& slot = take_slot();
  const bool exact = input_.take_below(2) == 1;
  const bool by_default = input_.take_below(2) == 1;
  const Options drawn(input_, exact ? std::span<const char* const>(kExactKinds) : kMapKinds);
  const Options* const options = by_default ? nullptr : &drawn;
  const crivo_options* const given = by_default ? nullptr : drawn.get();
  const Pairs pairs(input_, exact);
  crivo_filter* made = nullptr;
  crivo_status status = CRIVO_OK;
  if (exact) {
    const crivo_keys members = pairs.sides[0].keys();
    const crivo_keys others = pairs.sides[1].keys();
    status = checked(crivo_build_exact, given, &members, &others, &made);
  } else {
    const crivo_keys keys = pairs.all.keys();
    status = checked(crivo_build_map, given, &keys, pairs.values.data(), &made);
  }
  fill_with_values(slot, status, made, options, pairs, pairs.all.count());
  const std::uint32_t can = exact ? CRIVO_CAN_EXACT : CRIVO_CAN_FIND;
  require(made == nullptr || (facts(made).can & can) != 0, "a function makes what it is named after");
}

void CSession::build_with_values_in_pieces() {
  Slot& slot = take_slot();
  const bool exact = input_.take_below(2) == 1;
  const Options options(input_, exact ? std::span<const char* const>(kExactKinds) : kMapKinds);
  const Pairs pairs(input_, exact);
  const unsigned how = input_.take_below(3);
  crivo_builder* started = nullptr;
  if (checked(crivo_builder_create, options.get(), &started) != CRIVO_OK) return;
  const Builder builder(started);
  std::uint64_t first = 0;
  crivo_status status = CRIVO_OK;
  for (const Run& side : pairs.sides) {
    const std::uint64_t* const values = pairs.values.data() + first;
    const crivo_keys keys = side.keys();
    const auto hashes = side.hashes(options.seed());
    if (how == 0) status = checked(crivo_builder_add_values, started, &keys, values);
    if (how == 1) status = checked(crivo_builder_add_hash_values, started, hashes.data(), values, hashes.size());
    for (std::uint64_t i = 0; how == 2 && status == CRIVO_OK && i < side.count(); ++i) {
      const std::string& added = key(side.id(i));
      status = checked(crivo_builder_add_value, started, added.data(), added.size(), values[i]);
    }
    const std::uint64_t added = crivo_builder_keys(started);
    require(added <= first + side.count(), "a builder counts its keys");
    require((status == CRIVO_OK) == (added == first + side.count()) || side.count() == 0, "all keys, or an error");
    first = added;
    if (status != CRIVO_OK) break;
  }
  crivo_filter* made = nullptr;
  const crivo_status finished = checked(crivo_builder_finish, started, &made);
  fill_with_values(slot, finished, made, &options, pairs, first);
}

void CSession::check_values(const Slot& slot, const crivo_facts& known, const std::array<std::uint8_t, kKeys>& hits) {
  constexpr std::uint64_t kUntouched = 0xA5A5A5A5A5A5A5A5;
  const crivo_filter* const filter = slot.filter.get();
  std::uint64_t value = kUntouched;
  if ((known.can & CRIVO_CAN_FIND) == 0) {
    require(crivo_find_hash(filter, 0, &value, nullptr) == -CRIVO_UNSUPPORTED && value == kUntouched,
            "a kind without values is not asked for them");
    for (const auto& [id, side] : slot.values) require(hits[id] == side, "an exact filter is certain of its universe");
    return;
  }
  std::array<std::uint64_t, kKeys> values{};
  std::array<std::uint8_t, kKeys> found{};
  require(crivo_find_hashes(filter, slot.hashes.data(), kKeys, values.data(), found.data(), nullptr) == CRIVO_OK,
          "a map is asked for values");
  require(found == hits, "a key that is found has a value");
  for (unsigned id = 0; id < kKeys; ++id) {
    require(found[id] == 0 || values[id] >> known.param == 0, "a value has its bits");
    if (id % 32 != 0) continue;
    value = kUntouched;
    require(crivo_find(filter, key(id).data(), key(id).size(), &value, nullptr) == found[id],
            "one is answered like many");
    require(value == (found[id] == 1 ? values[id] : kUntouched), "a value is written where there is one");
  }
  for (const auto& [id, given] : slot.values) require(found[id] == 1 && values[id] == given, "a key has its value");
}

}  // namespace crivo::testing
