// Guards a payload that is verified segment by segment. A query calls the gate before it reads bytes, and ends if the
// gate returns false.
#pragma once

#include <cstdint>

namespace crivo {

class ByteGate {
 public:
  /// Whether these bytes may be read. The bytes must be inside the payload.
  virtual bool admit(std::uint64_t offset, std::uint64_t bytes) = 0;
  /// The same for bytes that determine where later queries read. The gate copies the bytes, so that later changes of
  /// the file have no effect. Called only while a filter is opened, in ascending order of offsets.
  virtual bool freeze(std::uint64_t offset, std::uint64_t bytes) = 0;

 protected:
  ~ByteGate() = default;
};

}  // namespace crivo
