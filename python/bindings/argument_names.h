// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace partita::python {

// The text with every field of the library's types named as the keyword argument that sets it: "Question::shape = free"
// is shape="free".
std::string in_arguments(std::string text);

}  // namespace partita::python
