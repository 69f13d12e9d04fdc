// SPDX-License-Identifier: Apache-2.0
#include "partita/util/text_width.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

TEST(TextWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(text_width(""), 0u);
  EXPECT_EQ(text_width("gpu 0"), 5u);
  EXPECT_EQ(text_width("Gerät"), 5u);
  EXPECT_EQ(text_width("層"), 2u);
  EXPECT_EQ(text_width("e\u0301"), 1u);  // an accent that stands on the letter before it
  EXPECT_EQ(text_width("\xff\xc3"), 2u);
}

TEST(TextWidth, CutsAtTheEnd) {
  EXPECT_EQ(shortened("fits", 4), "fits");
  EXPECT_EQ(shortened("does not fit", 8), "does ...");
  EXPECT_EQ(shortened("does not fit", 8, "…"), "does no…");
  EXPECT_EQ(shortened("äöüäöü", 5), "äö...");
  EXPECT_EQ(shortened("層層層層", 6), "層...");
  EXPECT_EQ(shortened("does not fit", 2), "..");
  EXPECT_EQ(shortened("x", 0), "");
}

TEST(TextWidth, CutsInTheMiddle) {
  EXPECT_EQ(shortened_inside("accelerator 12", 14), "accelerator 12");
  EXPECT_EQ(shortened_inside("accelerator 12", 10), "acce... 12");
  EXPECT_EQ(shortened_inside("äöüßäöüß", 7), "äö...üß");
}

TEST(TextWidth, BreaksAtSpaces) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(broken_at_spaces("", 5), Lines{""});
  EXPECT_EQ(broken_at_spaces("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(broken_at_spaces("unbreakable a", 4), (Lines{"unbreakable", "a"}));
  EXPECT_EQ(broken_at_spaces("ä ö ü", 3), (Lines{"ä ö", "ü"}));
}

}  // namespace
}  // namespace partita::detail
