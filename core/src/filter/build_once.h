// A build from a file, of a kind that is built once: the payload, too, lies in a file where it takes too much memory.
#pragma once

#include <memory>
#include <utility>

#include "build/build_task.h"
#include "build/file_memory.h"
#include "build/memory_budget.h"
#include "build/run_reader.h"
#include "filter/filter_build.h"

namespace crivo {

/// Where the payload of a build from files goes.
struct PayloadPlace {
  FileMemory::Handle file;  // null: memory
  std::uint64_t taken;      // of the budget, by the payload and the runs' index

  /// Decides it, and tells the task. Errors: kSystem; kBadArgument if max_memory is too little.
  template <class Record>
  [[nodiscard]] static Result<PayloadPlace> choose(const RecordRuns<Record>& runs, std::uint64_t payload, bool once,
                                                   const BuildOptions& options, BuildTask& task) {
    constexpr std::uint64_t kLeastReadBytes = std::uint64_t{3} << 20;  // for the hashes that are read at a time
    constexpr std::uint64_t kSpareFileBytes = std::uint64_t{1} << 16;
    PayloadPlace place{nullptr, runs.index_bytes()};
    if (once && task.budget().is_for_file(payload) && options.payload_memory == nullptr) {
      // The plan is seldom too small, and by much less than this.
      const std::uint64_t file_bytes = payload + payload / 64 + kSpareFileBytes;
      Result<FileMemory::Handle> made = FileMemory::make(options.temp_folder, file_bytes);
      if (!made) return made.error();
      place.file = *std::move(made);
      task.set_payload_memory(place.file.get());
    } else {
      place.taken += payload;
    }
    const std::uint64_t least = kLeastReadBytes + 4 * sizeof(Record) * runs.least_room();
    if (place.taken + least > task.budget().left_beside(0)) {
      return task.budget().too_little(place.taken + least, payload);
    }
    task.set_taken(place.taken);
    return place;
  }
};

}  // namespace crivo
