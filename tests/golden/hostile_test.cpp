// Every committed hostile file gets the error that its name promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crivo/host/sst_block.h"
#include "files.h"
#include "hostile_set.h"

namespace crivo::testing {
namespace {

bool is_sst(const HostileFile& file) { return file.name.ends_with(".sst"); }

/// The error of reading a file, or "" if it was accepted.
std::string error_of(const HostileFile& file, const Bytes& bytes) {
  if (is_sst(file)) {
    const auto opened = open_sst_block(bytes);
    return opened ? "" : opened.error().message;
  }
  const auto opened = parse_blob(bytes, {.max_bytes = kHostileLimit});
  return opened ? "" : opened.error().message;
}

TEST(Hostile, EveryFileIsRefusedInWordsThatNameTheField) {
  for (const HostileFile& file : hostile_files()) {
    EXPECT_THAT(error_of(file, read_file(golden_folder("hostile") / file.name)), ::testing::HasSubstr(file.message))
        << file.name;
  }
}

// What hostile_set.cpp makes today is refused alike, so the files can be checked to be what their names say.
TEST(Hostile, TheFilesAreWhatTheirMakerMakes) {
  for (const HostileFile& file : hostile_files()) {
    EXPECT_TRUE(file.bytes == read_file(golden_folder("hostile") / file.name)) << file.name;
  }
}

TEST(Hostile, NoFileIsForgotten) {
  std::set<std::string> expected;
  for (const HostileFile& file : hostile_files()) expected.insert(file.name);
  EXPECT_EQ(names_in(golden_folder("hostile")), expected);
}

}  // namespace
}  // namespace crivo::testing
