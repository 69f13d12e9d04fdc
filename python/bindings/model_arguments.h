// SPDX-License-Identifier: Apache-2.0
// What Python says in keyword arguments, as the options that the library knows.
#pragma once

#include "partita/ask/question.h"
#include "partita/ask/wishes.h"
#include "python/bindings/bind.h"

namespace partita::python {

// Only what is given is in the dict; None counts as not given. Throw InputError(Usage) for a value of another type.
detail::ModelOptions model_options(const nb::dict& arguments);
// Objective, shape and all else that is asked of a graph.
detail::QuestionOptions question_options(const nb::dict& arguments);
detail::WishOptions wish_options(const nb::dict& arguments);

}  // namespace partita::python
