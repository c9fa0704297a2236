// Writes sketches to files.
#include "crivo/host/replace_file.h"
#include "crivo/sketch.h"

namespace crivo {

Result<std::uint64_t> write_sketch_file(const Sketch& sketch, const std::string& path) {
  const std::vector<std::byte> blob = sketch.to_blob();
  auto replaced = replace_file(path, [&](const ByteSink& sink) { return sink(blob); });
  if (!replaced) return replaced.error();
  return std::uint64_t{blob.size()};
}

}  // namespace crivo
