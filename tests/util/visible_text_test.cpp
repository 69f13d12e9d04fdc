// SPDX-License-Identifier: Apache-2.0
#include "partita/util/visible_text.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

using namespace std::string_literals;

TEST(VisibleText, PrintableTextStaysAsItIs) {
  for (const std::string& text : {""s, "conv1/weights (3)"s,
                                  "Gr\xc3\xbc\xc3\x9f"
                                  "e \xe2\x86\x92 \xf0\x9f\x8e\xbb"s,
                                  "back\\slash"s}) {
    EXPECT_EQ(visible(text), text);
  }
}

TEST(VisibleText, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(visible("a\x1b[31mred\n\t\r\0\x7f"s + "end"), "a\\x1b[31mred\\n\\t\\r\\x00\\x7fend");
  EXPECT_EQ(visible("\xc2\x9b"s
                    "31m"),
            "\\u009b31m");
}

TEST(VisibleText, CharactersThatTurnOrBreakLinesAreWrittenOut) {
  EXPECT_EQ(visible("a\xe2\x80\xae"
                    "b\xe2\x80\xa8"
                    "c\xef\xbb\xbf"),
            "a\\u202eb\\u2028c\\ufeff");
}

TEST(VisibleText, BrokenUtf8IsWrittenOutByteByByte) {
  EXPECT_EQ(visible("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(visible("\xc3"), "\\xc3");           // ends early
  EXPECT_EQ(visible("\xc3("), "\\xc3(");         // not continued
  EXPECT_EQ(visible("\xc0\x80"), "\\xc0\\x80");  // overlong
  EXPECT_EQ(visible("\xe0\x80\x80"), "\\xe0\\x80\\x80");
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(visible("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(visible("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
}

TEST(VisibleText, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(visible("abcdef", 6), "abcdef");
  EXPECT_EQ(visible("abcdefg", 6), "abcdef...");
  EXPECT_EQ(visible("abcde\xc3\xbc", 6), "abcde...");  // two bytes, of which one would fit
  EXPECT_EQ(visible("abcd\x1b[m", 6), "abcd...");      // "\x1b" takes four
  EXPECT_EQ(visible("", 0), "");
  EXPECT_EQ(visible("a", 0), "...");
}

TEST(VisibleText, WhatIsNoCharacterIsWrittenOut) { EXPECT_EQ(visible("\xef\xbf\xbe\xef\xbf\xbf"), "\\ufffe\\uffff"); }

}  // namespace
}  // namespace partita::detail
