#include "crivo/blob_file.h"

#include <optional>

#include "base/replace_file.h"
#include "crivo/blob_writer.h"

namespace crivo {

Result<std::uint64_t> write_blob_file(const FilterRef& filter, const std::string& path, BlobForm form, int level) {
  std::optional<Result<std::uint64_t>> written;
  auto replaced = replace_file(path, [&](const ByteSink& sink) {
    written = write_blob(filter, form, sink, level);
    return written->has_value();
  });
  // A sink that refuses bytes has left its reason in errno; any other error is the writer's own.
  if (written && !*written && written->error().code != ErrorCode::kCancelled) return written->error();
  if (!replaced) return replaced.error();
  return *written;
}

}  // namespace crivo
