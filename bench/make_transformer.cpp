// SPDX-License-Identifier: Apache-2.0
// make_transformer NODES inference|training: writes a generated transformer of about that size as a workload file.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "partita/report/workload_json.h"
#include "tests/support/transformer.h"

int main(int argc, char** argv) {
  const std::string kind = argc == 3 ? argv[2] : "";
  const long nodes = argc == 3 ? std::atol(argv[1]) : 0;
  if (nodes <= 0 || (kind != "inference" && kind != "training")) {
    std::fprintf(stderr, "usage: make_transformer NODES inference|training\n");
    return 2;
  }
  const std::string text =
      partita::workload_json(partita::detail::transformer_of_size(static_cast<std::size_t>(nodes), kind == "training"));
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
}
