// SPDX-License-Identifier: Apache-2.0
#include "fuzz/target.h"
#include "partita/solve/mip/read_solution.h"

namespace {

// Columns of both kinds, and a row of whole numbers.
partita::detail::LinearModel small_model() {
  using namespace partita;
  using namespace partita::detail;
  LinearModel model;
  const ColumnId a = model.add_column({.name = "x_0_a0", .upper = 1, .integer = true});
  const ColumnId b = model.add_column({.name = "x_1_a0", .upper = 1, .integer = true});
  model.add_column({.name = "load_0", .upper = 1e6});
  model.add_row("one", 1, {{a, 1}, {b, 1}}, 1);
  return model;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace partita;
  using namespace partita::detail;
  static const LinearModel model = small_model();
  fuzz::must_answer([&] { read_solution(model, fuzz::text_of(data, size), "f"); });
  return 0;
}
