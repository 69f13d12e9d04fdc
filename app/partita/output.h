// SPDX-License-Identifier: Apache-2.0
// Where a command writes its result: a file, or "-" for standard output.
#pragma once

#include <string>
#include <vector>

#include "partita/util/error.h"

namespace partita::detail::app {

class Output {
 public:
  // Finds out at once whether `path`, which `option` gave, can be written, so that a long solve is not for nothing.
  // Throws InputError(Unwritable).
  explicit Output(std::string path, std::string option = "-o");

  // Writes all of `text`, or throws InputError(Unwritable), or ReaderGone. A file appears whole or not at all: the text
  // goes to a temporary file beside it, which is then renamed.
  // What is not a plain file (/dev/null, a pipe) is written in place.
  void write(const std::string& text) const;

  bool is_stdout() const { return path_ == "-"; }

 private:
  InputError unwritable(const std::string& why) const;

  std::string path_;    // as given, for messages
  std::string option_;  // for messages too
  std::string target_;  // with symbolic links followed
  bool in_place_ = false;
};

// An option and the path it was given, empty where it was not.
struct OutputOption {
  const char* option;
  std::string path;
};

// Throws InputError(Usage) where two outputs would be the same file, whatever it is called, or would replace an input.
// Inputs are paths, or "-"; empty ones are not given.
void refuse_clashes(const std::vector<OutputOption>& outputs, const std::vector<std::string>& inputs);

// What people read goes to standard output, or to standard error where a result has taken that.
void print_report(const std::string& report, bool stdout_taken);

}  // namespace partita::detail::app
