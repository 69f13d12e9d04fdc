// SPDX-License-Identifier: Apache-2.0
// The options --svg and --dot: a split as a picture, and as text for Graphviz.
#pragma once

#include <optional>
#include <string>

#include "app/partita/output.h"
#include "app/shared/command_line.h"
#include "partita/partita.h"

namespace partita::detail::app {

void add_picture_options(Command& command, std::string& svg, std::string& dot);

class Pictures {
 public:
  // Empty paths: not wanted. Throws InputError(Unwritable) at once where one cannot be written.
  Pictures(const std::string& svg, const std::string& dot);

  bool on_standard_output() const;
  // Writes nothing where there is no split.
  void write(const Problem& problem, const Plan& plan) const;

 private:
  std::optional<Output> svg_;
  std::optional<Output> dot_;
};

}  // namespace partita::detail::app
