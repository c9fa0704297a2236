// What stands between a question and a payload of which not every byte was verified yet. A question asks the gate for
// the bytes that it is about to read, in the order in which it reads them, and ends when the gate refuses.
#pragma once

#include <cstdint>

namespace crivo {

class ByteGate {
 public:
  /// Returns whether these bytes of the payload may be read. They must lie inside the payload.
  virtual bool admit(std::uint64_t offset, std::uint64_t bytes) = 0;
  /// The same for bytes that say where later questions read: from now on they must not change, whatever becomes of the
  /// file that the payload lies in. Asked only while a filter is opened, for a few small places, the first one first.
  virtual bool freeze(std::uint64_t offset, std::uint64_t bytes) = 0;

 protected:
  ~ByteGate() = default;
};

}  // namespace crivo
