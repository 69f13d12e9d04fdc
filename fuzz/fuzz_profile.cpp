// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/read/profile.h"

namespace {

// Names that the corpus has.
partita::Network network() {
  partita::Network made;
  made.name = "fuzzed";
  for (const char* name : {"conv1", "relu1", "fc"}) {
    partita::Operator op;
    op.name = name;
    op.outputs = {made.tensors.push_back({std::string(name) + "_out", {}})};
    if (!made.operators.empty()) op.inputs = {partita::TensorId(made.operators.size() - 1)};
    made.operators.push_back(op);
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  static const Network kNetwork = network();
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::must_answer([&] { parse_profile(text, "f", kNetwork); });
  return 0;
}
