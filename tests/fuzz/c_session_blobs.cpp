// Filters written, read again, damaged, and described into structures of any size.
#include <cstring>

#include "blob_surgery.h"
#include "c_session.h"
#include "require.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kMaxBytes = 1 << 16;

crivo_limits limits_of(std::uint64_t max_bytes) {
  crivo_limits limits{};
  limits.size = sizeof limits;
  limits.max_bytes = max_bytes;
  return limits;
}

/// Lets a function fill in a structure whose `size` is anything, and sees that it touches nothing behind it.
template <class Struct, class Get>
void describe_into(std::size_t size, Get&& get) {
  constexpr unsigned char kUntouched = 0xA5;
  alignas(Struct) std::array<unsigned char, 4096> bytes;  // a `size` beyond this is refused
  bytes.fill(kUntouched);
  auto* structure = reinterpret_cast<Struct*>(bytes.data());
  structure->size = size;
  const crivo_status status = checked(get, structure);
  const std::size_t written = status == CRIVO_OK ? size : sizeof size;
  require(structure->size == size, "the size stays");
  require(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(written), bytes.end(),
                      [](unsigned char byte) { return byte == kUntouched; }),
          "nothing behind the size is written");
}

}  // namespace

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
  const crivo_limits limits = limits_of(kMaxBytes);
  crivo_filter* made = nullptr;
  require(checked(borrows ? &crivo_borrow : &crivo_read, blob.data(), blob.size(), &limits, &made) == CRIVO_OK,
          "what was written can be read");
  // A blob remembers whether it is to stay raw; the bytes of the payload are those of the filter.
  require(raw_blob(made) == raw_blob(from.filter.get()), "what was written reads back the same");
  to.become(made, from.least, std::move(blob));
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
  if (checked(read, blob.data(), blob.size(), &limits, &made) == CRIVO_OK) to.become(made, {}, std::move(blob));
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
