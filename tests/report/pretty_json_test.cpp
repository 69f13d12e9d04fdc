// SPDX-License-Identifier: Apache-2.0
#include "partita/report/pretty_json.h"

#include <gtest/gtest.h>

#include <limits>

namespace partita::detail {
namespace {

TEST(PrettyJson, ListsAndSmallObjectsOnOneLineTheRestIndented) {
  const nlohmann::ordered_json value = {
      {"list", {1, 2}}, {"small", {{"a", 1}}}, {"deep", {{{"x", nlohmann::ordered_json::array()}}}}};
  EXPECT_EQ(pretty_json(value), R"({
  "list": [1, 2],
  "small": {"a": 1},
  "deep": [
    {
      "x": []
    }
  ]
}
)");
}

TEST(PrettyJson, ManyMembersGetALineEach) {
  const nlohmann::ordered_json value = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", "x\n"}};
  EXPECT_EQ(pretty_json(value), "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": \"x\\n\"\n}\n");
}

TEST(PrettyJson, ObjectsInAListAreRows) {
  const nlohmann::ordered_json row = {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}};
  EXPECT_EQ(pretty_json(nlohmann::ordered_json::array({row, row})),
            "[\n  {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4},\n  {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}\n]\n");
}

TEST(PrettyJson, WhatIsNotFiniteIsNull) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(pretty_json(nlohmann::ordered_json::array({infinity, -infinity, std::numeric_limits<double>::quiet_NaN()})),
            "[null, null, null]\n");
  EXPECT_EQ(pretty_json(whole_if_exact(infinity)), "null\n");
}

TEST(PrettyJson, WholeNumbersWithoutAPoint) {
  EXPECT_EQ(pretty_json(whole_if_exact(17179869184.0)), "17179869184\n");
  EXPECT_EQ(pretty_json(whole_if_exact(0.5)), "0.5\n");
  EXPECT_EQ(pretty_json(whole_if_exact(1e300)), "1e+300\n");
}

}  // namespace
}  // namespace partita::detail
