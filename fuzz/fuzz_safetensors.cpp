// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/read/huggingface/huggingface.h"
#include "partita/read/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const std::string_view text = fuzz::text_of(data, size);
  // A checkpoint of anything, asked for the weights of a small network.
  fuzz::must_answer([&] {
    Checkpoint checkpoint("f");
    parse_safetensors(text, "f", checkpoint);
    parse_huggingface(R"({"model_type": "llama", "vocab_size": 10, "hidden_size": 8, "intermediate_size": 8,
                          "num_hidden_layers": 1, "num_attention_heads": 2})",
                      "config.json", {}, &checkpoint);
  });
  looks_like_safetensors(text);
  looks_like_safetensors_index(text);
  return 0;
}
