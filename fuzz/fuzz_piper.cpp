// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/read/piper.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::must_answer([&] { parse_piper(text, "f", {}, fuzz::kLimits); });
  looks_like_piper(text);
  return 0;
}
