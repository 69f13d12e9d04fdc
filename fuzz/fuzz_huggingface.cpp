// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/read/huggingface/huggingface.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::must_answer([&] { parse_huggingface(text, "f"); });
  fuzz::must_answer(
      [&] { parse_huggingface(text, "f", {.batch = 3, .context = 77, .phase = TransformerPhase::Decode}); });
  looks_like_huggingface(text);
  return 0;
}
