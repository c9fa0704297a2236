// A table f that follows a column.
#pragma once

#include "database.h"

namespace crivo::testing {

/// The filter's triggers are named after these events: f_follow_insert.
inline constexpr const char* kFollowEvents[] = {"insert", "inserted", "update", "updated", "delete"};

class FollowTest : public SqliteTest {
 protected:
  void follow(const std::string& source, const std::string& others = "") {
    run("CREATE VIRTUAL TABLE f USING bloom(fpr=1e-9, source='" + source + "'" + others + ")");
  }
  std::string info(const std::string& field) { return table_info("f", field); }
  std::string found(const std::string& key, const std::string& filter = "f") {
    return ask("SELECT count(*) FROM " + filter + " WHERE key = " + key);
  }
  /// The values of a column of s that the filter denies, as literals, so that an empty text is seen, too.
  std::string denied(const std::string& column = "c") {
    return ask("SELECT ifnull(group_concat(quote(" + column + ")), '') FROM s WHERE " + column +
               " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM f WHERE key = " + column + ")");
  }
  static void drop_triggers(Database& db) {
    for (const char* event : kFollowEvents) ASSERT_EQ(db.ask(std::string("DROP TRIGGER f_follow_") + event), "");
  }
};

}  // namespace crivo::testing
