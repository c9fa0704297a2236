// A minimal program that uses Crivo; to_blob makes it link zstd too.
#include <crivo/blob.h>
#include <crivo/filter.h>

int main() {
  auto filter = crivo::AnyFilter::create({.capacity = 1000});
  if (!filter || !filter->add("key")) return 1;
  const auto blob = crivo::to_blob(filter->ref(), crivo::BlobForm::kSmallest);
  if (!blob) return 2;
  const auto opened = crivo::parse_blob(*blob);
  return opened && opened->ref().may_contain("key") && !opened->ref().may_contain("other") ? 0 : 3;
}
