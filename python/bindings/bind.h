// SPDX-License-Identifier: Apache-2.0
// What the Python module is made of. Each noun has a file; python/partita/*.py makes of them what people use.
#pragma once

#include <nanobind/nanobind.h>

namespace partita::python {

namespace nb = nanobind;

void bind_errors(nb::module_& module);
void bind_platforms(nb::module_& module);
void bind_graphs(nb::module_& module);
void bind_plans(nb::module_& module);
void bind_plan_files(nb::module_& module);
void bind_studies(nb::module_& module);

}  // namespace partita::python
