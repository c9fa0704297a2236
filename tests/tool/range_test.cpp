// Filters of kind range in the tool: integers as keys, and lookups of ranges.
#include "shell.h"

namespace crivo::testing {
namespace {

class Ranges : public ToolTest {};

TEST_F(Ranges, AreAskedForByTheirEnds) {
  ASSERT_THAT(
      crivo("build -q --kind range:16 --fp-rate 1e-6 -o f", "-9223372036854775808\n-5\n7\n9223372036854775807\n"),
      Succeeds());
  EXPECT_EQ(crivo("query f 7 8 -- -5 -6").out, "7\n-5\n");
  EXPECT_EQ(crivo("query f 0..6 0..7 7..0 7..7").out, "0..7\n7..7\n");
  EXPECT_EQ(crivo("query f", "-10..-6\n-10..-5\n-9223372036854775808..-9223372036854775807\n").out,
            "-10..-5\n-9223372036854775808..-9223372036854775807\n");
  EXPECT_EQ(crivo("query -v f 0..6 0..7").out, "0..6\n");
  EXPECT_EQ(crivo("query -c f 0..6 0..7").out, "1\n");
  EXPECT_THAT(crivo("query -q f 0..6"), Exits(1));
  EXPECT_THAT(crivo("query f 7.."), Exits(2));
  EXPECT_THAT(crivo("info f").out, AllOf(HasSubstr("kind              range"), HasSubstr("option            16"),
                                         HasSubstr("keys              4")));
}

TEST_F(Ranges, AreRefusedOfWhatIsNoInteger) {
  for (const std::string wrong : {"", "1.5", "+1", " 1", "1..2", "abc", "9223372036854775808", "1\r", "0x10"}) {
    EXPECT_THAT(crivo("build -q --kind range -o f", "1\n2\n" + wrong + "\n3\n"),
                Fails(HasSubstr("line 3 of standard input must be an integer of 64 bits for the kind range, got ")))
        << wrong;
  }
  EXPECT_EQ(files(), 0U);
  write("keys", std::string("1\0x\0", 4));
  EXPECT_THAT(crivo("build --kind range -0 -o f keys").err, HasSubstr("key 2 of keys must be an integer"));
  ASSERT_THAT(crivo("build -q --kind range -0 -o f", std::string("1\0-2\0", 5)), Succeeds());
  EXPECT_EQ(crivo("query -0 f", std::string("-2\0003\0", 5)).out, std::string("-2\0", 3));
  for (const std::string wrong : {"abc", "1..", "..2", "1..2..3", "1-2", "''", "1.5"}) {
    EXPECT_THAT(crivo("query f " + wrong),
                Fails(HasSubstr("KEY must be an integer of 64 bits, or LO..HI, for a filter of kind range, got ")))
        << wrong;
  }
  EXPECT_THAT(crivo("add f", "5\n").err, AllOf(HasSubstr("kind must support add"), HasSubstr("got range")));
  EXPECT_THAT(crivo("union -o g f f").err, AllOf(HasSubstr("kind must support unite"), HasSubstr("got range")));
  crivo("build -q -o plain", "1..2\n");
  const std::string note = "crivo query: note: '1..2' is looked up as a key: only filters of kind range have ranges\n";
  EXPECT_THAT(crivo("query plain 1..2"), Exits(0, note, "1..2\n")) << "a key of any other filter is only a text";
  EXPECT_EQ(crivo("query plain", "1\n3..4\n5..6\n").err.find("'3..4' is looked up"), 19U);
  for (const char* silent : {"-q plain 1..2", "plain 1... a..b"})
    EXPECT_EQ(crivo(std::string("query ") + silent).err, "");
}

}  // namespace
}  // namespace crivo::testing
