// A table f that follows a column.
#pragma once

#include "database.h"

namespace crivo::testing {

class FollowTest : public SqliteTest {
 protected:
  void follow(const std::string& source, const std::string& others = "") {
    run("CREATE VIRTUAL TABLE f USING bloom(fpr=1e-9, source='" + source + "'" + others + ")");
  }
  std::string info(const std::string& field) { return table_info("f", field); }
  std::string found(const std::string& key) { return ask("SELECT count(*) FROM f WHERE key = " + key); }
};

}  // namespace crivo::testing
