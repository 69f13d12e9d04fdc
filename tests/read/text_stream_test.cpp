// SPDX-License-Identifier: Apache-2.0
// A text comes in pieces; where they meet must make no difference.
#include "partita/read/text_stream.h"

#include <fmt/format.h>

#include <istream>
#include <iterator>

#include "partita/read/workload.h"
#include "tests/read/inputs.h"

namespace partita::detail {
namespace {

// Longer than a piece, in lines of 100 bytes.
std::string many_lines(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += std::string(99, ' ') + "\n";
  text.resize(bytes);
  return text;
}

TEST(TextStream, GivesBackTheText) {
  for (const std::size_t size : {1u, 65'535u, 65'536u, 65'537u, 300'000u}) {
    std::string text = many_lines(size);
    text[0] = 'x';
    for (const std::string& bytes : {text, gzipped(text)}) {
      TextStream stream(memory_source(bytes), "f");
      std::istream in(&stream);
      EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text);
    }
  }
}

TEST(TextStream, ErrorsAreFoundWhereverPiecesMeet) {
  for (std::size_t shift = 0; shift < 12; ++shift) {
    const std::size_t blanks = 65'526 + shift;
    std::string text = "{\"nodes\":\n[";
    text.append(many_lines(blanks)).append("-Infinity]}");
    const std::string line = fmt::format("f: line {}, column ", blanks / 100 + 2);
    EXPECT_SAYS(error_of([&] { parse_workload(text, "f"); }), ErrorKind::BadNumber, line.c_str(), "nodes[0]",
                "found -Infinity;");
  }
}

TEST(TextStream, ATokenThatNeverEndsIsRefused) {
  const std::size_t endless = kMaxTokenBytes + 1'000'000;
  std::string text = "{\"name\": \"";
  text.append(endless, 'a');
  std::string blanks = "{";
  blanks.append(endless, ' ');
  EXPECT_SAYS(error_of([&] { parse_workload(text, "f"); }), ErrorKind::NotJson, "more than 4194304 bytes");
  EXPECT_SAYS(error_of([&] { parse_workload(blanks, "f"); }), ErrorKind::NotJson, "more than 4194304 bytes");
  EXPECT_SAYS(error_of([&] { parse_workload(blanks.substr(1), "f"); }), ErrorKind::NotJson, "blank space");
}

TEST(TextStream, DamageIsTheReasonOfWhatLooksLikeASyntaxError) {
  // Stored, not packed: a letter that changes is seen by the checksum alone, at the end.
  std::string packed = gzipped(kSmallWorkload, 0);
  const std::size_t at = packed.find("maxFPGAs\": 2");
  ASSERT_NE(at, std::string::npos);
  packed[at + 8] = 'x';
  EXPECT_SAYS(error_of([&] { parse_workload(packed, "f.gz"); }), ErrorKind::NotJson, "f.gz", "damaged");
}

}  // namespace
}  // namespace partita::detail
