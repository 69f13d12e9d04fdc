// SPDX-License-Identifier: Apache-2.0
#include "partita/check/narrow_table.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

const std::vector<Row> kRows = {
    {"<name", "value", "<remarks"}, {"a", "1", "short"}, {"long one", "22", "this remark goes on for quite a while"}};

TEST(NarrowTable, WhatFitsIsLeftAlone) {
  EXPECT_EQ(layout_wrapped(kRows, kAnyWidth), layout(kRows));
  EXPECT_EQ(layout_wrapped(kRows, 80), layout(kRows));
  EXPECT_EQ(layout_folded(kRows, 80), layout(kRows));
}

TEST(NarrowTable, TheLastColumnBreaksAtSpaces) {
  EXPECT_EQ(layout_wrapped(kRows, 44),
            "name      value  remarks\n"
            "a             1  short\n"
            "long one     22  this remark goes on for\n"
            "                 quite a while\n");
}

TEST(NarrowTable, TextThatHasNoRoomFollowsBelow) {
  EXPECT_EQ(layout_wrapped(kRows, 30),
            "name      value\n"
            "a             1\n"
            "long one     22\n"
            "\n"
            "a: short\n"
            "long one: this remark goes\n"
            "  on for quite a while\n");
}

TEST(NarrowTable, ColumnsAreFoldedBelowEachOther) {
  const std::vector<Row> rows = {{"<name", "first", "second", "third"}, {"a", "1", "2", "3"}};
  EXPECT_EQ(layout_folded(rows, 20), "name  first  second\na         1       2\n\nname  third\na         3\n");
}

TEST(NarrowTable, AColumnTooWideStandsAlone) {
  const std::vector<Row> rows = {{"<name", "much too wide", "b"}, {"a", "1", "2"}};
  EXPECT_EQ(layout_folded(rows, 5), "name  much too wide\na                 1\n\nname  b\na     2\n");
}

TEST(NarrowTable, LongNamesAreCutInTheMiddleFirst) {
  const std::vector<Row> rows = {{"stage", "<device", "load", "<"},
                                 {"1", "a-very-long-accelerator-name 10", "1.5", "<<- bottleneck"},
                                 {"2", "a-very-long-accelerator-name 11", "1.25", "<"}};
  EXPECT_EQ(layout_folded(rows, 50, 2),
            "stage  device                  load\n"
            "    1  a-very-lon...r-name 10   1.5  <- bottleneck\n"
            "    2  a-very-lon...r-name 11  1.25\n");
}

TEST(NarrowTable, KeysAreRepeatedAndRemarksStayWithTheFirstPart) {
  const std::vector<Row> rows = {{"stage", "<device", "load", "memory", "<"},
                                 {"1", "gpu 0", "1.5", "16 GiB", "<<- slow"}};
  EXPECT_EQ(layout_folded(rows, 30, 2),
            "stage  device  load\n"
            "    1  gpu 0    1.5  <- slow\n"
            "\n"
            "stage  device  memory\n"
            "    1  gpu 0   16 GiB\n");
}

TEST(NarrowTable, RemarksWithoutRoomStandLast) {
  const std::vector<Row> rows = {{"<device", "load", "<"}, {"gpu 0", "1.5", "<<- slower than all the others"}};
  EXPECT_EQ(layout_folded(rows, 32), "device  load\ngpu 0    1.5\n\ndevice\ngpu 0   <- slower than all the others\n");
}

TEST(NarrowTable, WidthsAreThoseOfCharacters) {
  const std::vector<Row> rows = {{"<name", "value"}, {"Gerät", "1"}, {"gpu 0", "2"}};
  EXPECT_EQ(layout(rows), "name   value\nGerät      1\ngpu 0      2\n");
  EXPECT_EQ(layout_folded(rows, 12), layout(rows));
}

TEST(NarrowTable, SentencesAreWrappedWithAnIndent) {
  EXPECT_EQ(wrapped_text("short", 10), "short\n");
  EXPECT_EQ(wrapped_text("one two three four five six seven", 26), "one two three four five\n  six seven\n");
}

TEST(NarrowTable, MarkdownAlignsAndEscapes) {
  EXPECT_EQ(markdown_table({{"<name", "value"}, {"a|b", "1"}}),
            "| name | value |\n"
            "| ---- | ----: |\n"
            "| a\\|b |     1 |\n");
}

}  // namespace
}  // namespace partita::detail
