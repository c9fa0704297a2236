// Sketches are written, read again, and forged.
#include <algorithm>

#include "blob_surgery.h"
#include "c_session_calls.h"
#include "c_session_sketches.h"
#include "require.h"

namespace crivo::testing {

void SketchSession::write_and_read() {
  const Slot& from = take_slot();
  Slot& to = take_slot();
  const unsigned room_choice = input_.take_below(4);
  const std::uint64_t short_of = room_choice == 1 ? input_.take<std::uint16_t>() : room_choice == 3 ? 1 : 0;
  if (from.sketch == nullptr) return;
  Blob blob = blob_of(from.sketch.get());
  constexpr std::uint8_t kUntouched = 0xA5;
  Blob room(blob.size() - std::min<std::uint64_t>(short_of, blob.size()), kUntouched);
  const crivo_status written = checked(crivo_sketch_write, from.sketch.get(), room.data(), room.size());
  require(written == (short_of == 0 ? CRIVO_OK : CRIVO_TOO_LARGE), "a buffer must have room");
  require(short_of == 0 ? room == blob : std::ranges::count(room, kUntouched) == std::ssize(room),
          "all is written, or nothing");
  crivo_filter* filter = nullptr;
  require(checked(crivo_read, blob.data(), blob.size(), nullptr, &filter) == CRIVO_CORRUPT, "a sketch is no filter");
  crivo_limits limits = limits_of(blob.size() - header::kBytes - 1);
  crivo_sketch* made = nullptr;
  require(checked(crivo_sketch_read, blob.data(), blob.size(), &limits, &made) == CRIVO_TOO_LARGE, "a limit holds");
  ++limits.max_bytes;
  require(checked(crivo_sketch_read, blob.data(), blob.size(), &limits, &made) == CRIVO_OK, "what was written is read");
  require(blob_of(made) == blob, "what was written reads back the same");
  to = {Sketch(made), from.facts, from.counts, from.is_known, true};
}

/// Forges a blob of symbols: flips any bytes, repeats symbols, and changes the number of symbols in the header.
void SketchSession::forge(Blob& blob, const crivo_sketch_facts& facts) {
  constexpr std::size_t kSymbolsAt = header::kBytes + 8;
  const std::size_t symbol_bytes = 8 + facts.key_bytes;
  if (input_.take_below(4) == 0) {
    const std::uint64_t symbols = input_.take<std::uint16_t>() % 1000;
    blob.resize(kSymbolsAt + symbols * symbol_bytes);
    const auto bytes = std::as_writable_bytes(std::span(blob));
    put(bytes, header::kUnits, symbols);
    put(bytes, header::kCapacity, symbols);
    put(bytes, header::kRawBytes, blob.size() - header::kBytes);
  }
  for (unsigned copies = input_.take_below(4); copies > 0; --copies) {
    const std::uint64_t symbols = std::max<std::uint64_t>(1, (blob.size() - kSymbolsAt) / symbol_bytes);
    const std::size_t from = kSymbolsAt + input_.take<std::uint16_t>() % symbols * symbol_bytes;
    const std::size_t to = kSymbolsAt + input_.take<std::uint16_t>() % symbols * symbol_bytes;
    if (std::max(from, to) + symbol_bytes > blob.size()) continue;
    const Blob repeated(blob.begin() + static_cast<std::ptrdiff_t>(from),
                        blob.begin() + static_cast<std::ptrdiff_t>(from + symbol_bytes));
    std::ranges::copy(repeated, blob.begin() + static_cast<std::ptrdiff_t>(to));
  }
  for (unsigned changes = input_.take_below(4); changes > 0; --changes) {
    const std::size_t at = input_.take_below(2) == 1 ? input_.take<std::uint8_t>() : input_.take<std::uint16_t>();
    blob[at % blob.size()] ^= input_.take<std::uint8_t>();
  }
  if (input_.take_below(8) == 0) blob.resize(input_.take<std::uint16_t>() % (blob.size() + 1));
  if (input_.take_below(4) != 0) repair_blob(std::as_writable_bytes(std::span(blob)));
}

void SketchSession::read_damaged() {
  const Slot& from = take_slot();
  Slot& to = take_slot();
  if (from.sketch == nullptr) return;
  Blob blob = blob_of(from.sketch.get());
  forge(blob, from.facts);
  const crivo_limits limits = limits_of(kMaxBytes);
  crivo_sketch* made = nullptr;
  if (checked(crivo_sketch_read, blob.data(), blob.size(), &limits, &made) != CRIVO_OK) return;
  require(blob_of(made) == blob, "what is read is what is there");
  require(blob.size() <= header::kBytes + kMaxBytes, "a reader's limit holds");
  to = {Sketch(made), facts_of(made), {}, false, true};
  to.facts.keys = net_keys_of(made);
  Slot nobody{made_of(to.facts, {}), to.facts, {}, true, true};
  nobody.facts.keys = 0;
  find_difference(to, nobody);
  find_difference(nobody, to);
}

}  // namespace crivo::testing
