#include "calls.h"

#include <iterator>

#include "crivo/key.h"

namespace crivo::js {

std::size_t message() {
  const std::string& text = last_error().message;
  if (room(text.size()) == 0) return 0;
  std::memcpy(room_bytes(), text.data(), text.size());
  return text.size();
}
int code() { return last_error().code; }

std::size_t put_integer(std::size_t at, double integer) {
  const NumberKey key(static_cast<std::int64_t>(integer));
  std::memcpy(room_bytes() + at, key.view().data(), key.view().size());
  return key.view().size();
}

std::size_t put_facts(const KindInfo& kind, const Facts& stored, const Shape& shape, std::uint64_t payload_bytes) {
  const Capabilities can = kind.can;
  const bool abilities[] = {can.add,  can.remove, can.count, can.unite, can.intersect,
                            can.grow, can.range,  can.find,  can.exact, can.advance};
  unsigned bits = 0;
  for (std::size_t i = 0; i < std::size(abilities); ++i) bits |= static_cast<unsigned>(abilities[i]) << i;
  const double numbers[] = {static_cast<double>(stored.capacity),  stored.fp_rate,
                            static_cast<double>(stored.keys),      static_cast<double>(shape.units),
                            static_cast<double>(shape.k),          static_cast<double>(shape.param),
                            static_cast<double>(payload_bytes),    static_cast<double>(bits),
                            static_cast<double>(shape.seed >> 32), static_cast<double>(shape.seed & UINT32_MAX)};
  if (room(sizeof numbers + kind.name.size()) == 0) return 0;
  std::memcpy(room_bytes(), numbers, sizeof numbers);
  std::memcpy(room_bytes() + sizeof numbers, kind.name.data(), kind.name.size());
  return kind.name.size();
}

}  // namespace crivo::js
