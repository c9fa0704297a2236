// The functions that read a database, and compare each answer with the model.
#include <algorithm>
#include <iterator>

#include "model.h"

namespace crivo::testing::model {
namespace {

std::string in_quotes(const rocksdb::Slice& text) { return '"' + text.ToString() + '"'; }

[[noreturn]] void fail(const std::string& what, const Reading& reading, std::size_t family) {
  throw Failure(what + " in family " + std::to_string(family) +
                (reading.options.snapshot != nullptr ? ", asked of a snapshot" : ""));
}

/// Half of the keys may be present and the others are absent. Some are next to a present key.
std::string draw_key(const Reading& reading) {
  Random& random = reading.random;
  const std::string key = key_text(random.below(kKeys * 2));
  return spelled(random.percent(10) ? key + "!" : key, *reading.model[0].key_comp().comparator, random);
}

void expect_answer(const Reading& reading, std::size_t family, const std::string& key, const rocksdb::Status& status,
                   const rocksdb::Slice& value, const std::string& how) {
  if (!status.IsNotFound()) check(status, how);
  const Contents& contents = reading.model[family];
  const auto entry = contents.find(key);
  if (entry == contents.end()) {
    if (status.ok()) fail(how + " finds " + in_quotes(key) + ", which is not there,", reading, family);
    return;
  }
  if (status.IsNotFound()) fail("LOST: " + how + " does not find " + in_quotes(key), reading, family);
  if (value == entry->second) return;
  fail(how + " of " + in_quotes(key) + " gives " + in_quotes(value) + " and not " + in_quotes(entry->second), reading,
       family);
}

std::unique_ptr<rocksdb::Iterator> iterate(const Reading& reading, const rocksdb::ReadOptions& options,
                                           std::size_t family) {
  return std::unique_ptr<rocksdb::Iterator>(reading.opened.db->NewIterator(options, reading.opened.families[family]));
}

/// Expects an iterator to be at the model's entry, or at no key if there is no such entry.
void expect_at(const Reading& reading, std::size_t family, const rocksdb::Iterator& iterator, const std::string* key,
               const std::string* value, const std::string& how) {
  if (!iterator.Valid()) {
    check(iterator.status(), how);
    if (key != nullptr) fail("LOST: " + how + " ends before " + in_quotes(*key), reading, family);
    return;
  }
  if (key == nullptr) fail(how + " finds " + in_quotes(iterator.key()) + " after its end", reading, family);
  // If a key has several spellings, RocksDB does not promise which one an iterator returns.
  const auto less = reading.model[family].key_comp();
  if (less(iterator.key().ToString(), *key) || less(*key, iterator.key().ToString())) {
    const std::string where = " comes to " + in_quotes(iterator.key()) + " and not to " + in_quotes(*key);
    fail((reading.model[family].contains(iterator.key().ToString()) ? "LOST: " : "") + how + where, reading, family);
  }
  if (iterator.value() != *value) {
    fail(how + " gives " + in_quotes(iterator.value()) + " for " + in_quotes(*key) + " and not " + in_quotes(*value),
         reading, family);
  }
}

/// Moves the iterator over at most `steps` entries, and expects the entries first to last - 1 of the model.
void expect_forward(const Reading& reading, std::size_t family, rocksdb::Iterator& iterator,
                    Contents::const_iterator first, Contents::const_iterator last, std::size_t steps,
                    const std::string& how) {
  for (; first != last && steps > 0; ++first, --steps, iterator.Next()) {
    expect_at(reading, family, iterator, &first->first, &first->second, how);
  }
  if (steps > 0) expect_at(reading, family, iterator, nullptr, nullptr, how);
}

void expect_backward(const Reading& reading, std::size_t family, rocksdb::Iterator& iterator,
                     Contents::const_iterator first, Contents::const_iterator last, std::size_t steps,
                     const std::string& how) {
  for (; last != first && steps > 0; --steps, iterator.Prev()) {
    --last;
    expect_at(reading, family, iterator, &last->first, &last->second, how);
  }
  if (steps > 0) expect_at(reading, family, iterator, nullptr, nullptr, how);
}

std::size_t count(Contents::const_iterator first, Contents::const_iterator last) {
  return static_cast<std::size_t>(std::distance(first, last));
}

std::size_t draw_family(const Reading& reading) { return reading.random.below(reading.model.size()); }

void get(const Reading& reading, std::size_t family, const std::string& key) {
  rocksdb::PinnableSlice value;
  const auto status = reading.opened.db->Get(reading.options, reading.opened.families[family], key, &value);
  expect_answer(reading, family, key, status, value, "Get");
}

/// MultiGet in one family, or in several if `families` has several numbers.
void multiget(const Reading& reading, const std::vector<std::size_t>& families, const std::vector<std::string>& keys) {
  const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  const auto family_of = [&](std::size_t i) { return families[i % families.size()]; };
  if (families.size() == 1) {
    reading.opened.db->MultiGet(reading.options, reading.opened.families[families[0]], keys.size(), slices.data(),
                                values.data(), statuses.data());
  } else {
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    for (std::size_t i = 0; i < keys.size(); ++i) handles.push_back(reading.opened.families[family_of(i)]);
    reading.opened.db->MultiGet(reading.options, keys.size(), handles.data(), slices.data(), values.data(),
                                statuses.data());
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    expect_answer(reading, family_of(i), keys[i], statuses[i], values[i], "MultiGet");
  }
}

}  // namespace

std::string key_text(std::uint64_t number) {
  const std::string group = key_of(number % (kKeys / 30)).substr(0, 4);
  if (number % 29 == 0) return group.substr(0, 2 + number % 2);  // shorter than every prefix
  return group + key_of(number).substr(0, number % 7);
}

std::string spelled(std::string key, const rocksdb::Comparator& comparator, Random& random) {
  if (!ignores_case(comparator)) return key;
  for (char& c : key) {
    if (c >= 'a' && c <= 'z' && random.percent(50)) c = static_cast<char>(c - 'a' + 'A');
  }
  return key;
}

void read_by_get(const Reading& reading, std::size_t keys) {
  const std::size_t family = draw_family(reading);
  for (std::size_t i = 0; i < keys; ++i) get(reading, family, draw_key(reading));
}

void read_by_multiget(const Reading& reading) {
  std::vector<std::size_t> families(reading.random.percent(50) ? 1 : reading.model.size());
  for (std::size_t& family : families) family = draw_family(reading);
  std::vector<std::string> keys(1 + reading.random.below(70));
  for (std::string& key : keys) key = draw_key(reading);
  multiget(reading, families, keys);
}

void read_by_scan(const Reading& reading) {
  const std::size_t family = draw_family(reading);
  const Contents& contents = reading.model[family];
  rocksdb::ReadOptions options = reading.options;
  options.total_order_seek = true;
  std::string from = draw_key(reading);
  std::string to = draw_key(reading);
  if (contents.key_comp()(to, from)) std::swap(from, to);
  const rocksdb::Slice lower = from;
  const rocksdb::Slice upper = to;
  const bool bounded = reading.random.percent(50);
  if (bounded) {
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
  }
  const auto first = bounded ? contents.lower_bound(from) : contents.begin();
  const auto last = bounded ? contents.lower_bound(to) : contents.end();
  const auto iterator = iterate(reading, options, family);
  if (reading.random.percent(50)) {
    iterator->SeekToFirst();
    expect_forward(reading, family, *iterator, first, last, contents.size() + 1, "a scan");
  } else {
    iterator->SeekToLast();
    expect_backward(reading, family, *iterator, first, last, contents.size() + 1, "a scan backwards");
  }
}

void read_by_seek(const Reading& reading) {
  const std::size_t family = draw_family(reading);
  const Contents& contents = reading.model[family];
  rocksdb::ReadOptions options = reading.options;
  options.total_order_seek = true;
  const auto iterator = iterate(reading, options, family);
  for (int i = 0; i < 30; ++i) {
    const std::string key = draw_key(reading);
    const std::size_t steps = 1 + reading.random.below(4);
    if (reading.random.percent(50)) {
      iterator->Seek(key);
      expect_forward(reading, family, *iterator, contents.lower_bound(key), contents.end(), steps, "Seek " + key);
    } else {
      iterator->SeekForPrev(key);
      expect_backward(reading, family, *iterator, contents.begin(), contents.upper_bound(key), steps,
                      "SeekForPrev " + key);
    }
  }
}

// RocksDB promises only the keys with the same prefix, and queries the filter for the prefix. The keys after them are
// undefined, unless prefix_same_as_start ends the iteration. With this option, RocksDB transforms every key that it
// reads, so no key may be too short for the extractor. A capped prefix accepts every key.
void read_by_prefix(const Reading& reading) {
  const std::size_t family = draw_family(reading);
  const auto extractor = reading.opened.db->GetOptions(reading.opened.families[family]).prefix_extractor;
  if (extractor == nullptr) return;
  if (ignores_case(*reading.model[family].key_comp().comparator)) return;  // RocksDB compares prefixes byte by byte
  const Contents& contents = reading.model[family];
  rocksdb::ReadOptions options = reading.options;
  options.prefix_same_as_start = extractor->InDomain("") && reading.random.percent(50);
  for (int i = 0; i < 30; ++i) {
    const std::string key = draw_key(reading);
    if (!extractor->InDomain(key)) continue;
    const std::string prefix = extractor->Transform(key).ToString();
    const auto same = [&](const rocksdb::Slice& other) {
      return extractor->InDomain(other) && extractor->Transform(other) == prefix;
    };
    const auto iterator = iterate(reading, options, family);
    auto first = contents.lower_bound(key);
    auto last = first;
    const bool forward = reading.random.percent(50);
    const std::string how = std::string("prefix ") + (forward ? "Seek " : "SeekForPrev ") + key;
    if (forward) {
      while (last != contents.end() && same(last->first)) ++last;
      iterator->Seek(key);
      expect_forward(reading, family, *iterator, first, last, count(first, last), how);
    } else {
      first = last = contents.upper_bound(key);
      while (first != contents.begin() && same(std::prev(first)->first)) --first;
      iterator->SeekForPrev(key);
      expect_backward(reading, family, *iterator, first, last, count(first, last), how);
    }
    if (options.prefix_same_as_start || (iterator->Valid() && same(iterator->key()))) {
      expect_at(reading, family, *iterator, nullptr, nullptr, how);
    }
    check(iterator->status(), how);
  }
}

void read_everything(const Reading& reading) {
  for (std::size_t family = 0; family < reading.model.size(); ++family) {
    const Contents& contents = reading.model[family];
    std::vector<std::string> keys;
    for (const auto& [key, value] : contents) keys.push_back(key);
    for (std::uint64_t i = 0; i < 300; ++i) keys.push_back(key_text(kKeys + reading.random.below(kKeys)));
    const std::size_t batch = 1 + reading.random.below(60);
    for (std::size_t begin = 0; begin < keys.size(); begin += batch) {
      const auto part = std::span(keys).subspan(begin, std::min(batch, keys.size() - begin));
      multiget(reading, {family}, {part.begin(), part.end()});
      get(reading, family, part.front());
    }
    rocksdb::ReadOptions options = reading.options;
    options.total_order_seek = true;
    const auto iterator = iterate(reading, options, family);
    iterator->SeekToFirst();
    expect_forward(reading, family, *iterator, contents.begin(), contents.end(), contents.size() + 1, "a full scan");
  }
}

void read_somehow(const Reading& reading) {
  switch (reading.random.below(6)) {
    case 0:
      return read_by_get(reading, 100);
    case 1:
      return read_by_multiget(reading);
    case 2:
      return read_by_scan(reading);
    case 3:
      return read_by_seek(reading);
    case 4:
      return read_by_scan_filter(reading);
    default:
      return read_by_prefix(reading);
  }
}

}  // namespace crivo::testing::model
