// SPDX-License-Identifier: Apache-2.0
#include "partita/util/version.h"
#include "python/bindings/bind.h"

NB_MODULE(_partita, module) {
  using namespace partita::python;
  module.doc() = "The compiled half of partita: readers, solvers, check, simulation and reports of the C++ library.";
  module.attr("__version__") = partita::detail::version();
  bind_errors(module);
  bind_platforms(module);
  bind_graphs(module);
  bind_plans(module);
  bind_plan_files(module);
  bind_studies(module);
}
