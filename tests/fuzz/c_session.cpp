#include "c_session.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "crivo/host/text.h"
#include "require.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kMaxBytes = 1 << 16;
constexpr const char* kKinds[] = {nullptr,    "classic",     "compressed",      "blocked", "counting", "spectral:4",
                                  "spectral", "spectral:32", "scalable",        "cuckoo",  "ribbon",   "scalable:16",
                                  "",         "spectral:",   "hash_compaction", ":",       "\xff\x80", "blocked:1",
                                  "range",    "range:1024"};

bool is_ordered(const char* kind) { return kind != nullptr && std::string_view(kind).starts_with("range"); }

double take_real(Input& input) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kReals[] = {0.1, 0.01, 0.5, 1e-6, 1e-15, 10, 0, 1, -1, kInfinite, 0.999999, 5e-324, 1000, -0.0};
  const unsigned choice = input.take_below(32);
  if (choice < std::size(kReals)) return kReals[choice];
  if (choice == 31) return std::bit_cast<double>(input.take<std::uint64_t>());
  return choice == 30 ? std::nan("") : 0;
}

/// The most that a kind counts up to: it says this for more.
std::uint64_t most_counted(const crivo_facts& facts) {
  const std::string_view kind = facts.kind;
  if (kind == "counting") return 15;
  if (kind == "cuckoo") return 8;
  return facts.param == 32 ? UINT32_MAX : (std::uint64_t{1} << facts.param) - 1;
}

bool adds(const crivo_filter* filter) {
  crivo_facts facts{};
  facts.size = sizeof facts;
  require(crivo_get_facts(filter, &facts, nullptr) == CRIVO_OK, "a filter has facts");
  return (facts.can & CRIVO_CAN_ADD) != 0 && facts.read_only == 0;
}

}  // namespace

void require_status(crivo_status status, const crivo_error& error) {
  if (status == CRIVO_OK) return;
  require(status >= CRIVO_BAD_ARGUMENT && status <= CRIVO_CANCELLED, "a failure has a status that fits");
  require(error.status == status, "the error has the status that is returned");
  const void* end = std::memchr(error.message, '\0', sizeof error.message);
  require(end != nullptr && error.message[0] != '\0', "a failure has a message that ends");
  std::string_view text = error.message;
  while (!text.empty()) {
    const std::size_t bytes = utf8_character_bytes(text);
    require(bytes != 0, "a message is UTF-8");
    text.remove_prefix(bytes);
  }
}

class CSession::Options {
 public:
  explicit Options(Input& input) {
    crivo_options options{};
    options.size = sizeof options;
    const unsigned kind = input.take_below(64);
    options.kind = kind < std::size(kKinds) ? kKinds[kind] : kKinds[1 + kind % 11];
    options.capacity = input.take_below(8) == 0 ? 0 : 1 + input.take<std::uint16_t>() % 700;
    options.max_bytes = kMaxBytes;
    // Mostly by its bits: the search for a size by a rate would take most of the time.
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
      bytes_[input.take<std::uint16_t>() % bytes_.size()] = input.take<std::uint8_t>() & 1;  // perhaps behind it
    }
    std::memcpy(bytes_.data(), &options, sizeof options);
  }
  Options(const Options&) = delete;
  Options& operator=(const Options&) = delete;

  [[nodiscard]] const crivo_options* get() const { return reinterpret_cast<const crivo_options*>(bytes_.data()); }
  [[nodiscard]] std::uint64_t seed() const { return get()->seed; }
  [[nodiscard]] bool ordered() const { return is_ordered(get()->kind); }

 private:
  static int progress(double done, void* data) {
    auto& self = *static_cast<Options*>(data);
    require(done >= self.done_ && done <= 1, "progress rises to 1");
    require(!self.cancelled_, "a build that was cancelled ends");
    self.done_ = done;
    self.cancelled_ = self.calls_left_-- == 0;
    return self.cancelled_ ? 1 : 0;
  }

  alignas(crivo_options) std::array<unsigned char, 4096> bytes_{};  // a `size` beyond this is refused
  unsigned calls_left_ = 0;
  double done_ = 0;
  bool cancelled_ = false;
};

class CSession::Run {
 public:
  explicit Run(Input& input) : first_(input.take<std::uint8_t>()), count_(input.take<std::uint8_t>()) {
    offsets_.push_back(0);
    for (std::uint64_t i = 0; i < count_; ++i) {
      bytes_ += key(id(i));
      offsets_.push_back(bytes_.size());
    }
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] unsigned id(std::uint64_t i) const { return static_cast<unsigned>((first_ + i * 3) % kKeys); }
  [[nodiscard]] crivo_keys keys() const { return {bytes_.data(), bytes_.size(), offsets_.data(), 0, count_}; }
  [[nodiscard]] std::vector<std::uint64_t> hashes(std::uint64_t seed, bool ordered) const {
    std::vector<std::uint64_t> hashes(count_);
    if (ordered) {
      for (std::uint64_t i = 0; i < count_; ++i) hashes[i] = crivo_ordered_bytes(key(id(i)).data(), key(id(i)).size());
      return hashes;
    }
    const crivo_keys given = keys();
    require(crivo_hash_keys(&given, seed, hashes.data(), nullptr) == CRIVO_OK, "sound keys have hashes");
    return hashes;
  }

 private:
  std::uint64_t first_;
  std::uint64_t count_;
  std::string bytes_;
  std::vector<std::uint64_t> offsets_;
};

const std::string& CSession::key(unsigned id) {
  static const auto keys = [] {
    std::array<std::string, kKeys> all;
    for (unsigned i = 1; i < kKeys; ++i) all[i] = std::string(i % 7 * 6, 'k') + static_cast<char>(i);
    return all;
  }();
  return keys[id];
}

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

/// Puts a filter that was made of these keys into the slot.
void CSession::fill(Slot& slot, crivo_status status, crivo_filter* made, const Run& run) {
  require((status == CRIVO_OK) == (made != nullptr), "a filter is made, or there is an error");
  if (made == nullptr) return;
  slot.become(made);
  for (std::uint64_t i = 0; i < run.count(); ++i) ++slot.least[run.id(i)];
}

void CSession::create() {
  Slot& slot = take_slot();
  const Options options(input_);
  crivo_filter* made = nullptr;
  const crivo_status status = checked(crivo_create, options.get(), &made);
  Input nothing({});
  fill(slot, status, made, Run(nothing));
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
  fill(slot, status, made, run);
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
    fill(slot, status, made, run);
  } else {
    crivo_free(made);
  }
  require(crivo_builder_finish(started, &made, nullptr) == CRIVO_BAD_ARGUMENT, "a builder is finished once");
}

/// The keys of the run that are new in the filter, by what it says; if all went well, that must be all.
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
  require(run.count() == 0 || adds(slot.filter.get()) || status == CRIVO_UNSUPPORTED, "a kind that cannot says so");
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
  // A false hit must not be removed: that is the caller's promise.
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
  const crivo_status status = crivo_clear(slot.filter.get(), nullptr);
  require(status == (adds(slot.filter.get()) ? CRIVO_OK : CRIVO_UNSUPPORTED), "a filter that adds can be cleared");
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
  to.become(made, from.least);
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
}

void CSession::check() {
  for (Slot& slot : slots_) {
    if (std::exchange(slot.touched, false)) check_slot(slot);
  }
}

void CSession::check_all() {
  for (Slot& slot : slots_) check_slot(slot);
}

}  // namespace crivo::testing
