// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/read/pipedream.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::must_answer([&] { parse_pipedream(text, "f", {.accelerators = 2}); });
  looks_like_pipedream(text);
  return 0;
}
