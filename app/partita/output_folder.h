// SPDX-License-Identifier: Apache-2.0
// Where a command writes several files: a folder that appears whole or not at all.
#pragma once

#include <functional>
#include <string>

#include "partita/util/error.h"

namespace partita::detail::app {

class OutputFolder {
 public:
  // Finds out at once whether the folder, which `option` gave, can be made. Throws InputError(Unwritable), also where
  // something is there already; an empty folder may be.
  explicit OutputFolder(std::string path, std::string option = "-o");

  // `fill` is called with the path of a new folder beside the target, which takes the target's place when it returns
  // true. Where it returns false or throws, nothing is left. Returns what it returned. Throws InputError(Unwritable).
  bool write(const std::function<bool(const std::string& folder)>& fill) const;

 private:
  InputError unwritable(const std::string& why) const;

  std::string path_;    // as given, for messages
  std::string option_;  // for messages too
};

}  // namespace partita::detail::app
