#include "c_session.h"

#include <string_view>
#include <utility>

#include "require.h"

namespace crivo::testing {
namespace {

/// The largest count of a kind. The filter returns it for higher counts too.
std::uint64_t most_counted(const crivo_facts& facts) {
  const std::string_view kind = facts.kind;
  if (kind == "counting") return 15;
  if (kind == "cuckoo") return 8;
  if (kind == "growing") return UINT64_MAX;
  return facts.param == 32 ? UINT32_MAX : (std::uint64_t{1} << facts.param) - 1;
}

bool adds(const crivo_facts& facts) { return (facts.can & CRIVO_CAN_ADD) != 0 && facts.read_only == 0; }

}  // namespace

CSession::Blob CSession::raw_blob(const crivo_filter* filter) {
  Blob blob(crivo_blob_bound(filter));
  std::uint64_t written = 0;
  require(crivo_write(filter, CRIVO_FORM_RAW, 0, blob.data(), blob.size(), &written, nullptr) == CRIVO_OK,
          "a filter can be written");
  blob.resize(written);
  return blob;
}

crivo_facts CSession::facts(const crivo_filter* filter) {
  crivo_facts facts{};
  facts.size = sizeof facts;
  require(crivo_get_facts(filter, &facts, nullptr) == CRIVO_OK, "a filter has facts");
  return facts;
}

/// Puts a filter with these keys into the slot.
void CSession::fill(Slot& slot, crivo_status status, crivo_filter* made, const Options& options, const Run& run) {
  require((status == CRIVO_OK) == (made != nullptr), "a filter is made, or there is an error");
  if (made == nullptr) return;
  const crivo_facts known = facts(made);
  require(known.payload_bytes <= options.max_bytes(), "a filter is no larger than its limit");
  require(run.count() == 0 || !has_values(known), "keys without values make no map");
  slot.become(made);
  for (std::uint64_t i = 0; i < run.count(); ++i) ++slot.least[run.id(i)];
}

void CSession::create() {
  Slot& slot = take_slot();
  const Options options(input_);
  crivo_filter* made = nullptr;
  const crivo_status status = checked(crivo_create, options.get(), &made);
  Input nothing({});
  fill(slot, status, made, options, Run(nothing));
}

void CSession::build() {
  Slot& slot = take_slot();
  const Options options(input_);
  const Run run(input_);
  crivo_filter* made = nullptr;
  const crivo_keys keys = run.keys();
  const bool by_hash = input_.take_below(2) == 1;
  const auto hashes = run.hashes(options.seed(), options.ordered());
  const crivo_status status = by_hash
                                  ? checked(crivo_build_from_hashes, options.get(), hashes.data(), hashes.size(), &made)
                                  : checked(crivo_build, options.get(), &keys, &made);
  fill(slot, status, made, options, run);
}

void CSession::build_in_pieces() {
  Slot& slot = take_slot();
  const Options options(input_);
  const Run run(input_);
  crivo_builder* started = nullptr;
  crivo_status status = checked(crivo_builder_create, options.get(), &started);
  if (status != CRIVO_OK) return;
  const Builder builder(started);
  for (std::uint64_t i = 0; i < run.count() && status == CRIVO_OK; ++i) {
    const std::string& added = key(run.id(i));
    status = checked(crivo_builder_add, started, added.data(), added.size());
    require(crivo_builder_keys(started) == i + (status == CRIVO_OK ? 1 : 0), "a builder counts its keys");
  }
  const bool all = status == CRIVO_OK;
  crivo_filter* made = nullptr;
  status = checked(crivo_builder_finish, started, &made);
  if (all) {
    fill(slot, status, made, options, run);
  } else {
    crivo_free(made);
  }
  require(crivo_builder_finish(started, &made, nullptr) == CRIVO_BAD_ARGUMENT, "a builder is finished once");
}

/// Notes the keys of the run that the filter counted as added. After a success, these must be all keys.
void CSession::note_added(Slot& slot, const Run& run, std::uint64_t keys_before, crivo_status status) {
  const std::uint64_t keys = facts(slot.filter.get()).keys;
  require(keys >= keys_before && keys - keys_before <= run.count(), "keys that are added are counted");
  const std::uint64_t added = keys - keys_before;
  require(status != CRIVO_OK || added == run.count() || keys == UINT64_MAX, "all keys are added, or there is an error");
  for (std::uint64_t i = 0; i < added; ++i) ++slot.least[run.id(i)];
}

void CSession::add_keys() {
  Slot& slot = take_slot();
  const Run run(input_);
  if (slot.filter == nullptr) return;
  const crivo_facts before = facts(slot.filter.get());
  const crivo_keys keys = run.keys();
  const auto hashes = run.hashes(before.seed, is_ordered(before.kind));
  const crivo_status status = input_.take_below(2) == 1
                                  ? checked(crivo_add_hashes, slot.filter.get(), hashes.data(), hashes.size())
                                  : checked(crivo_add_keys, slot.filter.get(), &keys);
  require(run.count() == 0 || adds(facts(slot.filter.get())) || status == CRIVO_UNSUPPORTED,
          "a kind that cannot says so");
  note_added(slot, run, before.keys, status);
}

void CSession::add_one() {
  Slot& slot = take_slot();
  const unsigned id = input_.take_below(kKeys);
  if (slot.filter == nullptr) return;
  if (checked(crivo_add, slot.filter.get(), key(id).data(), key(id).size()) == CRIVO_OK) ++slot.least[id];
}

void CSession::add_times() {
  Slot& slot = take_slot();
  const unsigned id = input_.take_below(kKeys);
  const std::uint64_t times = input_.take_below(4) == 0 ? input_.take<std::uint64_t>() : input_.take_below(20);
  if (slot.filter == nullptr) return;
  const std::uint64_t before = facts(slot.filter.get()).keys;
  checked(crivo_add_times, slot.filter.get(), key(id).data(), key(id).size(), times);
  const std::uint64_t added = facts(slot.filter.get()).keys - before;
  require(added <= times, "no more than the times are added");
  slot.least[id] += std::min<std::uint64_t>(added, UINT32_MAX);
}

void CSession::remove() {
  Slot& slot = take_slot();
  const unsigned id = input_.take_below(kKeys);
  if (slot.filter == nullptr) return;
  // A false positive must not be removed. The caller must ensure this.
  const bool absent = crivo_contains(slot.filter.get(), key(id).data(), key(id).size(), nullptr) == 0;
  if (!absent && slot.least[id] == 0) return;
  const bool can = (facts(slot.filter.get()).can & CRIVO_CAN_REMOVE) != 0 && facts(slot.filter.get()).read_only == 0;
  const crivo_status status = checked(crivo_remove, slot.filter.get(), key(id).data(), key(id).size());
  require(status == (!can ? CRIVO_UNSUPPORTED : absent ? CRIVO_NOT_FOUND : CRIVO_OK), "a key that is there is removed");
  if (status == CRIVO_OK) --slot.least[id];
}

void CSession::clear() {
  Slot& slot = take_slot();
  if (slot.filter == nullptr || input_.take_below(4) != 0) return;
  if (input_.take_below(2) != 0) {
    const crivo_status set =
        crivo_advance(slot.filter.get(), static_cast<std::int64_t>(input_.take<std::uint64_t>() >> 16), nullptr);
    require(set == CRIVO_OK || set == CRIVO_UNSUPPORTED || set == CRIVO_BAD_ARGUMENT,
            "a clock is set, or there is none");
    if (set == CRIVO_OK) slot.least = {};
    return;
  }
  const crivo_status status = crivo_clear(slot.filter.get(), nullptr);
  require(status == (adds(facts(slot.filter.get())) ? CRIVO_OK : CRIVO_UNSUPPORTED),
          "a filter that adds can be cleared");
  if (status == CRIVO_OK) slot.least = {};
}

void CSession::merge(crivo_status (*how)(crivo_filter*, const crivo_filter*, crivo_error*)) {
  Slot& into = take_slot();
  const Slot& from = take_slot();
  const Blob before = into.filter != nullptr ? raw_blob(into.filter.get()) : Blob();
  const crivo_status status = checked(how, into.filter.get(), from.filter.get());
  if (into.filter == nullptr) return require(status == CRIVO_BAD_ARGUMENT, "no filter cannot be changed");
  if (status != CRIVO_OK) return require(raw_blob(into.filter.get()) == before, "a failure changes nothing");
  const Model other = from.least;
  for (unsigned id = 0; id < kKeys; ++id) {
    into.least[id] = how == &crivo_unite ? into.least[id] + other[id] : std::min(into.least[id], other[id]);
  }
}

void CSession::compare() {
  const Slot& first = take_slot();
  const Slot& second = take_slot();
  crivo_similarity alike{};
  alike.size = sizeof alike;
  if (checked(crivo_compare, first.filter.get(), second.filter.get(), &alike) != CRIVO_OK) return;
  require(alike.first >= 0 && alike.second >= 0 && alike.united >= 0 && alike.common >= 0, "estimates are numbers");
  require(!(alike.jaccard < 0) && !(alike.jaccard > 1), "the share lies in [0, 1] or is NaN");
}

void CSession::copy() {
  Slot& to = take_slot();
  const Slot& from = take_slot();
  const bool without_counts = input_.take_below(2) == 1;
  crivo_filter* made = nullptr;
  const auto how = without_counts ? &crivo_drop_counts : &crivo_copy;
  if (checked(how, from.filter.get(), &made) != CRIVO_OK) return;
  if (!without_counts) require(raw_blob(made) == raw_blob(from.filter.get()), "a copy is the same filter");
  to.become(made, from.least, from.values);
}

void CSession::check_slot(Slot& slot) {
  const crivo_filter* filter = slot.filter.get();
  if (filter == nullptr) return;
  const crivo_facts known = facts(filter);
  std::array<std::uint8_t, kKeys> hits{};
  if (slot.hashes[1] == 0) {
    for (unsigned id = 0; id < kKeys; ++id) {
      slot.hashes[id] = is_ordered(known.kind) ? crivo_ordered_bytes(key(id).data(), key(id).size())
                                               : crivo_hash_key(key(id).data(), key(id).size(), known.seed);
    }
  }
  require(crivo_contains_hashes(filter, slot.hashes.data(), kKeys, hits.data(), nullptr) == CRIVO_OK,
          "hashes are asked");
  for (unsigned id = 0; id < kKeys; ++id) {
    require(hits[id] == 1 || (hits[id] == 0 && slot.least[id] == 0), "a key that was added is found");
    if (id % 32 != 0) continue;
    require(crivo_contains(filter, key(id).data(), key(id).size(), nullptr) == hits[id], "one is answered like many");
    const std::uint64_t high = crivo_last_ordered_bytes(key(id).data(), key(id).size());
    const std::int32_t in_range = crivo_contains_range(filter, slot.hashes[id], high, nullptr);
    if ((known.can & CRIVO_CAN_RANGE) == 0) {
      require(in_range == -CRIVO_UNSUPPORTED, "other kinds know no ranges");
    } else {
      require(in_range == 1 || (in_range == 0 && hits[id] == 0), "a key that is found is found in its range");
    }
    std::uint64_t count = 0;
    if (crivo_count(filter, key(id).data(), key(id).size(), &count, nullptr) != CRIVO_OK) continue;
    require(count >= std::min(slot.least[id], most_counted(known)), "a count is never too small");
  }
  check_values(slot, known, hits);
}

void CSession::check() {
  for (Slot& slot : slots_) {
    if (std::exchange(slot.touched, false)) check_slot(slot);
  }
  sketches_.check();
}

void CSession::check_all() {
  for (Slot& slot : slots_) check_slot(slot);
}

}  // namespace crivo::testing
