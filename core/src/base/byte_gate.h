// What stands between a question and a payload of which not every byte was verified yet. A question asks the gate for
// bytes before it reads them, and ends when the gate refuses.
#pragma once

#include <cstdint>

namespace crivo {

class ByteGate {
 public:
  /// Returns whether these bytes of the payload may be read. They must lie inside the payload.
  virtual bool admit(std::uint64_t offset, std::uint64_t bytes) = 0;
  /// The same for bytes that say where later questions read: from now on they stay what they are, whatever becomes of
  /// the file. Called only while a filter is opened, from the lowest offset to the highest.
  virtual bool freeze(std::uint64_t offset, std::uint64_t bytes) = 0;

 protected:
  ~ByteGate() = default;
};

}  // namespace crivo
