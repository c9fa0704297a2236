#include "format/part_cache.h"

#include <algorithm>

#include "base/error_text.h"
#include "format/manifest.h"

namespace crivo {

void PartCache::take(const Manifest& manifest) {
  parts_.resize(manifest.parts.size());
  here_.reserve(parts_.size());
  for (std::size_t i = here_.size(); i-- > 0;) {
    const std::uint32_t number = here_[i];
    if (parts_[number]->checksum != manifest.parts[number].checksum) evict(number);
  }
}

PartialFile& PartCache::use(const Manifest& manifest, std::uint32_t number) {
  std::unique_ptr<Entry>& part = parts_[number];
  if (part == nullptr) {
    const Part& named = manifest.parts[number];
    part = std::make_unique<Entry>(Entry{PartialFile(named.bytes, verify_, max_whole_bytes_), named.checksum});
    part->place = here_.size();
    here_.push_back(number);
    count(*part);
  }
  part->used = ++asked_;
  return part->file;
}

Result<void> PartCache::open(const Manifest& manifest, std::uint32_t number, MissingBytes& missing) {
  PartialFile& file = use(manifest, number);
  Result<void> done = file.open(missing);
  if (done && missing.empty() && !parts_[number]->is_checked) {
    if (file.manifest().empty()) {
      const FilterRef& ref = file.ref();
      done = check_part(manifest, number, ref.shape(), ref.kind(), file.file_bytes(), file.checksum());
    } else {
      done = corrupt("part must be a filter, got the manifest of one in parts");
    }
    parts_[number]->is_checked = done.has_value();
  }
  if (done) {
    count(*parts_[number]);
  } else {
    evict(number);
  }
  return done;
}

Result<void> PartCache::supply(std::uint32_t number, const ByteRange& asked, std::span<const std::byte> bytes) {
  if (parts_[number] == nullptr) return {};
  Result<void> done = parts_[number]->file.supply(asked, bytes, "the only one");
  if (done) {
    count(*parts_[number]);
  } else {
    evict(number);
  }
  return done;
}

void PartCache::evict(std::uint32_t number) noexcept {
  memory_bytes_ -= parts_[number]->counted;
  const std::size_t place = parts_[number]->place;
  parts_[here_.back()]->place = place;
  here_[place] = here_.back();
  here_.pop_back();
  parts_[number].reset();
}

void PartCache::make_room(std::uint64_t most_bytes) {
  if (has_room(most_bytes)) return;
  std::vector<std::uint32_t> oldest = here_;
  std::ranges::sort(oldest, {}, [this](std::uint32_t number) { return parts_[number]->used; });
  for (const std::uint32_t number : oldest) {
    if (memory_bytes_ <= most_bytes / 4 || (here_.size() == 1 && has_room(most_bytes))) return;
    evict(number);
  }
}

void PartCache::count(Entry& part) noexcept {
  memory_bytes_ -= part.counted;
  part.counted = sizeof(Entry) + part.file.memory_bytes() + part.file.map_bytes();
  memory_bytes_ += part.counted;
}

}  // namespace crivo
