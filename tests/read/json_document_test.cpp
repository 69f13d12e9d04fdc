// SPDX-License-Identifier: Apache-2.0
#include "partita/read/json_document.h"

#include <nlohmann/json.hpp>

#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

nlohmann::json parse_json(std::string_view bytes, const std::string& source) {
  TextStream text(memory_source(bytes), source);
  return read_json(text);
}

InputError error_in(std::string_view text) {
  return error_of([&] { parse_json(text, "f.json"); });
}

TEST(JsonDocument, EqualsTheLibrarysOwnTree) {
  for (const std::string& text :
       {kSmallWorkload, kSmallPlan, kSmallSeed, std::string("[]"), std::string(" 3.5 "),
        std::string(R"([null, true, -1, 18446744073709551615, 1e-400, "\u00e9\n", {"a": {}}])")}) {
    EXPECT_EQ(parse_json(text, "f"), nlohmann::json::parse(text));
    EXPECT_EQ(parse_json(gzipped(text), "f"), nlohmann::json::parse(text));
    EXPECT_EQ(parse_json("\xef\xbb\xbf" + text, "f"), nlohmann::json::parse(text));
  }
}

TEST(JsonDocument, SyntaxErrorsSayLineColumnAndField) {
  EXPECT_SAYS(error_in("{\n  \"a\": [1, 2,, 3]\n}"), ErrorKind::NotJson, "f.json: line 2, column 14", "in a[2]",
              "unexpected ','");
  EXPECT_SAYS(error_in("{\"nodes\": [{\"id\": 1}, {\"id\" 2}]}"), ErrorKind::NotJson, "line 1, column 29",
              "nodes[1].id", "expected ':'");
  EXPECT_SAYS(error_in("{\"a\": 1} x"), ErrorKind::NotJson, "column 10", "expected end of input");
  EXPECT_SAYS(error_in("{\"a\": \"unfinished"), ErrorKind::NotJson, "missing closing quote");
  EXPECT_SAYS(error_in("{\"a\": \"\xff\"}"), ErrorKind::NotJson, "UTF-8");
}

TEST(JsonDocument, EveryTruncationIsAnError) {
  for (std::size_t size = 0; size < kSmallWorkload.size(); ++size) {
    EXPECT_SAYS(error_in(kSmallWorkload.substr(0, size)), ErrorKind::NotJson, "f.json");
  }
}

TEST(JsonDocument, WhatIsNotTextIsSaidPlainly) {
  EXPECT_SAYS(error_in(""), ErrorKind::NotJson, "empty");
  EXPECT_SAYS(error_in(" \n"), ErrorKind::NotJson, "empty");
  EXPECT_SAYS(error_in(std::string_view("\x08\x0a\x12", 3)), ErrorKind::NotJson, "byte 0x08");
  EXPECT_SAYS(error_in("\xff\xfe{"), ErrorKind::NotJson, "byte 0xff");
  EXPECT_SAYS(error_in("nodes: []"), ErrorKind::NotJson, "invalid literal");
  EXPECT_SAYS(error_in(gzipped("")), ErrorKind::NotJson, "empty");
}

TEST(JsonDocument, NumbersThatJsonDoesNotHaveAreBadNumbers) {
  for (const char* number : {"NaN", "-NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"}) {
    const std::string text = std::string("{\"nodes\": [1, {\"cpuLatency\": ") + number + "}]}";
    EXPECT_SAYS(error_in(text), ErrorKind::BadNumber, "line 1, column", "nodes[1].cpuLatency", number, "finite");
  }
  EXPECT_SAYS(error_in("[0, 1e999]"), ErrorKind::BadNumber, "in [1]", "1e999", "too large");
  EXPECT_SAYS(error_in("{\"a\": -1e999}"), ErrorKind::BadNumber, "in a", "-1e999", "too large");
  EXPECT_SAYS(error_in("[nothing]"), ErrorKind::NotJson, "invalid literal");
}

TEST(JsonDocument, AKeyGivenTwiceIsAnError) {
  EXPECT_SAYS(error_in(R"({"nodes": [{"id": 1}, {"id": 1, "size": 2, "size": 3}]})"), ErrorKind::BadField,
              "nodes[1].size", "twice");
}

TEST(JsonDocument, DepthDoesNotOverflowTheStack) {
  const std::string deep = std::string(1'000'000, '[');
  EXPECT_SAYS(error_in(deep), ErrorKind::NotJson, "deeper than 500");
  const std::string fine = std::string(500, '[') + std::string(500, ']');
  EXPECT_TRUE(parse_json(fine, "f").is_array());
}

TEST(JsonDocument, MessagesStayShortAndOnOneLine) {
  std::string text = "{\"";
  text.append(5'000, 'k').append("\\n\": \"").append(5'000, 'v').append("\n\"}");
  const InputError error = error_in(text);
  EXPECT_SAYS(error, ErrorKind::NotJson, "control character");
  EXPECT_LT(std::string(error.what()).size(), 600u);
}

}  // namespace
}  // namespace partita::detail
