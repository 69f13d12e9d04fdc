// SPDX-License-Identifier: Apache-2.0
#include "partita/util/json_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace partita::detail {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What `body` writes.
template <class Body>
std::string written(JsonLayout layout, Body body) {
  JsonWriter json(layout);
  body(json);
  return json.take();
}

template <class T>
std::string line(const T& value) {
  return written(JsonLayout::Line, [&](JsonWriter& json) { json.value(value); });
}

// A value as the library has it, written by ours.
void write_tree(const Json& value, JsonWriter& json) {
  if (value.is_object()) {
    json.object([&] {
      for (auto item = value.begin(); item != value.end(); ++item) write_tree(*item, json.key(item.key()));
    });
  } else if (value.is_array()) {
    json.array(value, [&](const Json& item) { write_tree(item, json); });
  } else if (value.is_string()) {
    json.value(value.get<std::string>());
  } else if (value.is_boolean()) {
    json.value(value.get<bool>());
  } else if (value.is_number_integer()) {
    json.value(value.get<std::int64_t>());
  } else if (value.is_number()) {
    json.value(value.get<double>());
  } else {
    json.null();
  }
}

std::string tree(JsonLayout layout, const std::string& text) {
  return written(layout, [&](JsonWriter& json) { write_tree(Json::parse(text), json); });
}

std::string pretty(const std::string& text) { return tree(JsonLayout::Pretty, text); }

TEST(JsonPretty, ListsAndSmallObjectsOnOneLineTheRestIndented) {
  EXPECT_EQ(pretty(R"({"list": [1, 2], "small": {"a": 1}, "deep": [{"x": []}]})"), R"({
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

TEST(JsonPretty, ManyMembersGetALineEach) {
  EXPECT_EQ(pretty(R"({"a": 1, "b": 2, "c": 3})"), "{\"a\": 1, \"b\": 2, \"c\": 3}\n");
  EXPECT_EQ(pretty(R"({"a": 1, "b": 2, "c": 3, "d": "x\n"})"),
            "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3,\n  \"d\": \"x\\n\"\n}\n");
}

TEST(JsonPretty, ObjectsInAListAreRows) {
  EXPECT_EQ(pretty(R"([{"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 1, "b": 2, "c": 3, "d": 4}])"),
            "[\n  {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4},\n  {\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}\n]\n");
}

TEST(JsonPretty, WhatHoldsAnythingIsNotFlatEvenIfThatIsEmpty) {
  EXPECT_EQ(pretty("{}"), "{}\n");
  EXPECT_EQ(pretty("[]"), "[]\n");
  EXPECT_EQ(pretty("[[], {}]"), "[\n  [],\n  {}\n]\n");
  EXPECT_EQ(pretty(R"({"a": {}})"), "{\n  \"a\": {}\n}\n");
  EXPECT_EQ(pretty("[1, [2, 3], 4]"), "[\n  1,\n  [2, 3],\n  4\n]\n");
  EXPECT_EQ(pretty(R"([[{"a": 1}, {"b": [2, 3]}]])"),
            "[\n  [\n    {\"a\": 1},\n    {\n      \"b\": [2, 3]\n    }\n  ]\n]\n");
}

TEST(JsonPretty, AValueAlone) {
  EXPECT_EQ(pretty("3"), "3\n");
  EXPECT_EQ(pretty("null"), "null\n");
  EXPECT_EQ(pretty(R"("x")"), "\"x\"\n");
}

TEST(JsonPretty, TextStaysAsItIs) {
  EXPECT_EQ(pretty(R"(["a, b: {c}\n  d", "</script>", "é\u202e", "\u0000\u0001\b\f\r\t\"\\\u007f"])"),
            "[\"a, b: {c}\\n  d\", \"</script>\", \"\xc3\xa9\xe2\x80\xae\", "
            "\"\\u0000\\u0001\\b\\f\\r\\t\\\"\\\\\x7f\"]\n");
}

TEST(JsonPretty, WhatIsNoUtf8IsMended) {
  const auto mended = [](std::string_view text) {
    const std::string json = written(JsonLayout::Pretty, [&](JsonWriter& out) { out.value(text); });
    return Json::parse(json).get<std::string>();
  };
  EXPECT_EQ(mended("caf\xe9"), "caf\xef\xbf\xbd");
  EXPECT_EQ(mended("\xff\"\xc0\x80"), "\xef\xbf\xbd\"\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(mended("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
}

TEST(JsonPretty, KeysMayBeAnyText) {
  const std::string key = "a \"b\"\n\\\x01\xff<";
  for (const JsonLayout layout : {JsonLayout::Line, JsonLayout::Rows, JsonLayout::Pretty}) {
    const Json read = Json::parse(written(layout, [&](JsonWriter& json) { json.object([&] { json.field(key, 1); }); }));
    EXPECT_EQ(read.begin().key(), "a \"b\"\n\\\x01\xef\xbf\xbd<");
  }
}

TEST(JsonPretty, DeepNesting) {
  constexpr int kDeep = 2000;
  struct Nest {
    static void write(JsonWriter& json, int depth) {
      json.array([&] {
        if (depth > 1) write(json, depth - 1);
      });
    }
  };
  const std::string text = written(JsonLayout::Pretty, [](JsonWriter& json) { Nest::write(json, kDeep); });
  EXPECT_EQ(Json::parse(text).dump(), std::string(kDeep, '[') + std::string(kDeep, ']'));
  const auto indented = std::string(2 * (kDeep - 1), ' ') + "[]\n";
  EXPECT_NE(text.find(indented), std::string::npos);
}

TEST(JsonRows, ALineForEachItemOfTheOuterLists) {
  EXPECT_EQ(tree(JsonLayout::Rows, R"({"name": "x", "platform": {"version": 1, "classes": [{"a": 1, "b": [2]}],
                                      "clusters": {"factor": 1, "clusters": [{"c": 3}]}},
                                      "nodes": [{"id": 1, "latency": {"a": 2}}, {"id": 2}], "edges": []})"),
            R"({
"name": "x",
"platform": {
"version": 1,
"classes": [
{"a":1,"b":[2]}
],
"clusters": {"factor":1,"clusters":[{"c":3}]}
},
"nodes": [
{"id":1,"latency":{"a":2}},
{"id":2}
],
"edges": []
}
)");
}

TEST(JsonLine, AsShortAsItGets) {
  EXPECT_EQ(tree(JsonLayout::Line, R"({"a": [1, {"b": null}], "c": {}, "d": [], "e": true, "f": "x"})"),
            R"({"a":[1,{"b":null}],"c":{},"d":[],"e":true,"f":"x"})");
}

TEST(JsonLine, TextIsMadeVisibleAndEndsNoScript) {
  EXPECT_EQ(line("</script>"), "\"\\u003c/script>\"");
  EXPECT_EQ(line("a\nb\xff\xe2\x80\xae"), R"("a\\nb\\xff\\u202e")");
  EXPECT_EQ(line(std::string("\"\\")), R"("\"\\")");
}

TEST(JsonWriter, NumbersReadBackAsTheyAreAndShort) {
  EXPECT_EQ(line(1.0), "1");
  EXPECT_EQ(line(-3.0), "-3");
  EXPECT_EQ(line(0.1), "0.1");
  EXPECT_EQ(line(0.5), "0.5");
  EXPECT_EQ(line(100000.0), "100000");
  EXPECT_EQ(line(17179869184.0), "17179869184");
  EXPECT_EQ(line(9007199254740992.0), "9007199254740992");
  EXPECT_EQ(line(9007199254740994.0), "9.007199254740994e+15");
  EXPECT_EQ(line(1e300), "1e+300");
  EXPECT_EQ(line(0.0001), "0.0001");
  EXPECT_EQ(line(0.00001), "1e-05");
  EXPECT_EQ(line(0.0), "0");
  EXPECT_EQ(line(-0.0), "-0.0");
  EXPECT_EQ(line(std::nan("")), "null");
  EXPECT_EQ(line(kInfinity), "null");
  EXPECT_EQ(line(-kInfinity), "null");
  EXPECT_EQ(line(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(line(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  std::mt19937_64 engine(1);
  for (int i = 0; i < 10'000; ++i) {
    const double number = std::bit_cast<double>(engine());
    const double middling = std::ldexp(static_cast<double>(engine() >> 11), static_cast<int>(engine() % 90) - 80);
    for (const double one : {number, middling}) {
      if (!std::isfinite(one)) continue;
      EXPECT_EQ(Json::parse(line(one)).get<double>(), one);
    }
  }
}

TEST(JsonWriter, OtherValues) {
  EXPECT_EQ(line(true), "true");
  EXPECT_EQ(line(Id<Json>(7)), "7");
  EXPECT_EQ(line(Id<Json>()), "null");
  EXPECT_EQ(line(std::optional(2.5)), "2.5");
  EXPECT_EQ(line(std::optional<std::string>()), "null");
  EXPECT_EQ(written(JsonLayout::Line, [](JsonWriter& json) { json.digits("0.100"); }), "0.100");
}

TEST(JsonWriter, ColumnsAndRows) {
  const std::vector<int> items{1, 2};
  EXPECT_EQ(written(JsonLayout::Line,
                    [&](JsonWriter& json) {
                      json.object([&] {
                        json.column("same", items);
                        json.column("twice", items, [](int item) { return 2 * item; });
                        json.rows("rows", items, [&](int item) { json.field("x", item); });
                      });
                    }),
            R"({"same":[1,2],"twice":[2,4],"rows":[{"x":1},{"x":2}]})");
}

// Trees of every shape.
TEST(JsonWriter, EveryLayoutSaysTheSame) {
  std::mt19937_64 engine(3);
  const std::function<Json(int)> random_tree = [&](int depth) -> Json {
    const std::size_t kind = engine() % (depth > 0 ? 5 : 3);
    if (kind == 0) return static_cast<std::int64_t>(engine());
    if (kind == 1) return "text <\"" + std::to_string(engine() % 100);
    if (kind == 2) return nullptr;
    Json tree = kind == 3 ? Json::array() : Json::object();
    for (std::size_t i = engine() % 6; i > 0; --i) {
      if (kind == 3) {
        tree.push_back(random_tree(depth - 1));
      } else {
        tree["key " + std::to_string(i)] = random_tree(depth - 1);
      }
    }
    return tree;
  };
  for (int i = 0; i < 500; ++i) {
    const Json value = random_tree(5);
    for (const JsonLayout layout : {JsonLayout::Line, JsonLayout::Rows, JsonLayout::Pretty}) {
      const std::string text = written(layout, [&](JsonWriter& json) { write_tree(value, json); });
      EXPECT_EQ(Json::parse(text), value) << text;
      EXPECT_EQ(text.ends_with('\n'), layout != JsonLayout::Line);
    }
  }
}

}  // namespace
}  // namespace partita::detail
