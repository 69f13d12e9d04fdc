// SPDX-License-Identifier: Apache-2.0
// Errors of the library become exceptions of partita.errors, in the words of Python's arguments.
#include <nanobind/stl/string.h>

#include <exception>
#include <new>
#include <string>

#include "partita/util/error.h"
#include "python/bindings/argument_names.h"
#include "python/bindings/bind.h"

namespace partita::python {
namespace {

// partita.errors.input_error() makes the exception.
void raise_input_error(const InputError& error) {
  const std::string text = in_arguments(error.what());
  try {
    const nb::object exception =
        nb::module_::import_("partita.errors").attr("input_error")(text, static_cast<int>(error.kind()));
    PyErr_SetObject(exception.type().ptr(), exception.ptr());
  } catch (nb::python_error& failed) {
    failed.restore();
  }
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise_input_error(error);
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace partita::python
