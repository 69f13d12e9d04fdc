// SPDX-License-Identifier: Apache-2.0
// What a caller may say about a network whose file leaves it open.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace partita {

struct ReadNetworkOptions {
  // Sizes of the dimensions that a file names but does not fix, by name: {"batch", 8}. A dimension without a name is called
  // by its input and axis, "pixels:0". A name that the file does not have is an InputError.
  std::map<std::string, std::int64_t> dimensions = {};
};

}  // namespace partita
