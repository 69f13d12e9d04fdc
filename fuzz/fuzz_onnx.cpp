// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/read/onnx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  const auto bytes = std::as_bytes(std::span(data, size));
  looks_like_onnx(bytes);
  fuzz::must_answer([&] { parse_onnx(bytes, "f"); });
  return 0;
}
