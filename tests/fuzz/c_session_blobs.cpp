// Filters are written, saved, read again, damaged, and described in structures of any size.
#include "blob_surgery.h"
#include "c_session.h"
#include "memory_file.h"
#include "require.h"

namespace crivo::testing {
void CSession::write_and_read() {
  const Slot& from = take_slot();
  Slot& to = take_slot();
  const auto form = static_cast<std::int32_t>(input_.take_below(5)) - (input_.take_below(32) == 0 ? 2 : 0);
  const auto level = static_cast<std::int32_t>(input_.take_below(26)) - 1;
  const unsigned room = input_.take_below(4);
  const bool borrows = input_.take_below(2) == 1;
  if (from.filter == nullptr) return;
  Blob blob(crivo_blob_bound(from.filter.get()));
  if (room == 1) blob.resize(input_.take<std::uint16_t>() % blob.size());
  std::uint64_t written = 0;
  const crivo_status status = checked(crivo_write, from.filter.get(), form, level, blob.data(), blob.size(), &written);
  require(status != CRIVO_TOO_LARGE || (room == 1 && written > blob.size()), "the bound is enough for every form");
  if (status != CRIVO_OK) return;
  blob.resize(written);
  crivo_sketch* sketch = nullptr;
  require(checked(crivo_sketch_read, blob.data(), blob.size(), nullptr, &sketch) == CRIVO_CORRUPT,
          "a filter is no sketch");
  const crivo_limits limits = limits_of(kMaxBytes);
  crivo_filter* made = nullptr;
  require(checked(borrows ? &crivo_borrow : &crivo_read, blob.data(), blob.size(), &limits, &made) == CRIVO_OK,
          "what was written can be read");
  // A blob also stores whether it must stay raw, so the test compares raw blobs.
  require(raw_blob(made) == raw_blob(from.filter.get()), "what was written reads back the same");
  to.become(made, from.least, from.values, std::move(blob));
}

void CSession::read_damaged() {
  const Slot& from = take_slot();
  Slot& to = take_slot();
  if (from.filter == nullptr) return;
  Blob blob = raw_blob(from.filter.get());
  if (input_.take_below(2) == 1) {
    std::uint64_t written = 0;
    require(
        crivo_write(from.filter.get(), CRIVO_FORM_SMALLEST, 1, blob.data(), blob.size(), &written, nullptr) == CRIVO_OK,
        "the smallest form is no larger than the raw one");
    blob.resize(written);
  }
  for (unsigned changes = input_.take_below(4); changes > 0; --changes) {
    const std::size_t at = input_.take_below(2) == 1 ? input_.take<std::uint8_t>() : input_.take<std::uint16_t>();
    blob[at % blob.size()] ^= input_.take<std::uint8_t>();
  }
  if (input_.take_below(8) == 0) blob.resize(input_.take<std::uint16_t>() % (blob.size() + 1));
  if (input_.take_below(4) != 0) repair_blob(std::as_writable_bytes(std::span(blob)));
  const crivo_limits limits = limits_of(kMaxBytes);
  const bool borrows = input_.take_below(2) == 1;
  crivo_filter* made = nullptr;
  const auto read = borrows ? &crivo_borrow : &crivo_read;
  if (checked(read, blob.data(), blob.size(), &limits, &made) != CRIVO_OK) return;
  require(borrows || facts(made).payload_bytes <= kMaxBytes, "a reader's limit holds");
  to.become(made, {}, {}, std::move(blob));
}

void CSession::save_and_open() {
  const Slot& from = take_slot();
  Slot& to = take_slot();
  const auto form = static_cast<std::int32_t>(input_.take_below(4));
  const std::uint8_t damage = input_.take_below(2) == 1 ? input_.take<std::uint8_t>() : std::uint8_t{0};
  const std::uint64_t at = input_.take<std::uint16_t>();
  if (from.filter == nullptr) return;
  const MemoryFile file;
  require(checked(crivo_save, from.filter.get(), file.path().c_str(), form, 0) == CRIVO_OK, "a filter can be saved");
  file.damage(at % file.size(), damage);
  const crivo_limits limits = limits_of(kMaxBytes);
  crivo_filter* made = nullptr;
  const crivo_status status = checked(crivo_open, file.path().c_str(), &limits, &made);
  Filter opened(made);
  if (damage == 0) {
    require(status == CRIVO_OK, "what was saved can be opened");
    require(raw_blob(made) == raw_blob(from.filter.get()), "what was saved is the same filter");
    return to.become(opened.release(), from.least, from.values);
  }
  require(status == CRIVO_OK || status == CRIVO_CORRUPT, "a damaged file is opened, or corrupt");
  if (status != CRIVO_OK) return;
  for (unsigned id = 0; id < kKeys; id += 8) {
    const std::int32_t answer = crivo_contains(made, key(id).data(), key(id).size(), nullptr);
    const std::int32_t right = crivo_contains(from.filter.get(), key(id).data(), key(id).size(), nullptr);
    require(answer == right || answer == -CRIVO_CORRUPT, "a damaged file gives no wrong answer");
  }
  require(checked(crivo_verify, made) == CRIVO_CORRUPT, "damage is found");
}

void CSession::describe() {
  const crivo_filter* filter = take_slot().filter.get();
  const std::size_t size = input_.take_below(4) == 0 ? input_.take<std::uint16_t>() : 8 * input_.take_below(20);
  describe_into<crivo_facts>(
      size, [&](crivo_facts* facts, crivo_error* error) { return crivo_get_facts(filter, facts, error); });
  describe_into<crivo_stats>(
      size, [&](crivo_stats* stats, crivo_error* error) { return crivo_get_stats(filter, stats, error); });
  describe_into<crivo_similarity>(
      size, [&](crivo_similarity* alike, crivo_error* error) { return crivo_compare(filter, filter, alike, error); });
}

}  // namespace crivo::testing
