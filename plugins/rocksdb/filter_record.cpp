#include "filter_record.h"

#include <new>
#include <utility>

namespace crivo {
namespace {

thread_local std::weak_ptr<const FilterRecord> offered;

}  // namespace

std::shared_ptr<FilterRecord> offer_record(Kind kind) noexcept try {
  auto record = std::make_shared<FilterRecord>(kind);
  offered = record;
  return record;
} catch (const std::bad_alloc&) {
  offered.reset();
  return nullptr;
}

std::shared_ptr<const FilterRecord> take_record() noexcept {
  auto record = std::exchange(offered, {}).lock();
  if (record != nullptr && record->filters() + record->always_maybe() != 0) return nullptr;
  return record;
}

}  // namespace crivo
