// The functions of exports.h for filters that lie elsewhere.
#include <charconv>

#include "calls.h"

namespace crivo::js {
namespace {

void append(std::string& text, std::uint64_t number) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// What a question returns that has failed, or misses this: in no template, as there are many questions.
double put_missing(bool fine, const PartialFilter& filter, const MissingRanges& missing) {
  if (!fine) return -1;
  if (filter.is_crowded()) return -2;
  if (missing.empty()) return 0;
  std::string text;  // a file's name has no character that JSON writes otherwise
  const bool put = done([&]() -> Result<void> {
    for (const RemoteRange& range : missing) {
      text += text.empty() ? "[[\"" : ",[\"";
      text += range.file;
      text += "\",";
      append(text, range.offset);
      text += ',';
      append(text, range.bytes);
      text += ']';
    }
    text += ']';
    if (room(text.size()) == 0) throw std::bad_alloc();
    std::memcpy(room_bytes(), text.data(), text.size());
    return {};
  });
  return put ? static_cast<double>(text.size()) : -1;
}

/// Calls ask(hashes, missing) of the keys in the room.
template <class Ask>
Result<void> with_hashes(PartialFilter& filter, std::size_t count, MissingRanges& missing, const Ask& ask) {
  if (auto opened = filter.open(missing); !opened || !missing.empty()) return opened;
  Batch batch(count);
  return ask(batch.hashes(filter.shape().hash_id, filter.shape().seed));
}

}  // namespace

PartialFilter* remote(double max_memory, bool verify) {
  return made<PartialFilter>([&]() -> Result<PartialFilter> {
    return PartialFilter({.max_memory = static_cast<std::uint64_t>(max_memory), .verify = verify});
  });
}

void remote_close(PartialFilter* filter) { delete filter; }

bool remote_has_room(const PartialFilter* filter) { return filter->has_room(); }
void remote_make_room(PartialFilter* filter) { filter->make_room(); }

double remote_open(PartialFilter* filter) {
  MissingRanges missing;
  return put_missing(done([&] { return filter->open(missing); }), *filter, missing);
}

double remote_has_many(PartialFilter* filter, std::size_t count) {
  MissingRanges missing;
  std::array<bool, kBatch> hits;
  const bool fine = done([&] {
    return with_hashes(*filter, count, missing, [&](std::span<const std::uint64_t> hashes) {
      return filter->may_contain_hashes(hashes, hits, missing);
    });
  });
  const double left = put_missing(fine, *filter, missing);
  if (left == 0) std::memcpy(room_bytes(), hits.data(), count);
  return left;
}

double remote_find_many(PartialFilter* filter, std::size_t count) {
  MissingRanges missing;
  std::array<std::uint64_t, kBatch> values;
  std::array<bool, kBatch> found;
  const bool fine = done([&] {
    return with_hashes(*filter, count, missing, [&](std::span<const std::uint64_t> hashes) {
      return filter->find_hashes(hashes, values, found, missing);
    });
  });
  const double left = put_missing(fine, *filter, missing);
  if (left == 0) put_values(std::span(values).first(count), found);
  return left;
}

double remote_has_range(PartialFilter* filter, std::size_t low_bytes, std::size_t high_bytes) {
  MissingRanges missing;
  bool hit = false;
  const bool fine = done([&]() -> Result<void> {
    if (auto opened = filter->open(missing); !opened || !missing.empty()) return opened;
    const std::string_view ends = text_in_room(low_bytes + high_bytes);
    const auto number = [&](std::string_view key) {
      return hash_key(filter->shape().hash_id, key, filter->shape().seed);
    };
    return filter->may_contain_range(number(ends.substr(0, low_bytes)), number(ends.substr(low_bytes)), hit, missing);
  });
  const double left = put_missing(fine, *filter, missing);
  if (left == 0) std::memcpy(room_bytes(), &hit, sizeof hit);
  return left;
}

double remote_count(PartialFilter* filter, std::size_t bytes) {
  MissingRanges missing;
  std::uint64_t count = 0;
  const bool fine = done([&]() -> Result<void> {
    if (auto opened = filter->open(missing); !opened || !missing.empty()) return opened;
    const std::uint64_t hash = hash_key(filter->shape().hash_id, text_in_room(bytes), filter->shape().seed);
    return filter->count_hash(hash, count, missing);
  });
  const double left = put_missing(fine, *filter, missing);
  const auto number = static_cast<double>(count);
  if (left == 0) std::memcpy(room_bytes(), &number, sizeof number);
  return left;
}

bool remote_supply(PartialFilter* filter, std::size_t file_bytes, std::size_t version_bytes, std::size_t found_bytes,
                   double offset, double asked_bytes) {
  return done([&] {
    const std::string_view text = text_in_room(file_bytes + version_bytes);
    const std::byte* found = room_bytes() + text.size();
    RemoteRange range{.file = std::string(text.substr(0, file_bytes)),
                      .offset = static_cast<std::uint64_t>(offset),
                      .bytes = static_cast<std::uint64_t>(asked_bytes)};
    range.version = text.substr(file_bytes);
    range.found.assign(found, found + found_bytes);
    return filter->supply(range);
  });
}

void remote_read_manifest_again(PartialFilter* filter) { filter->read_manifest_again(); }

bool remote_names(const PartialFilter* filter, std::size_t bytes) {
  return filter->names(std::string(text_in_room(bytes)));
}

std::size_t remote_facts(const PartialFilter* filter) {
  return put_facts(filter->kind(), filter->facts(), filter->shape(), filter->payload_bytes());
}

}  // namespace crivo::js
