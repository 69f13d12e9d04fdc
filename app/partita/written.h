// SPDX-License-Identifier: Apache-2.0
// "wrote page.html (1.1 MB)": what a command has written, told on stderr, so that nobody has to look for it.
#pragma once

#include <string>
#include <vector>

namespace partita::detail::app {

// A line for each of these files, which have just been written. Empty paths, "-" and what is no plain file are passed
// over: nobody looks for them.
void tell_written(const std::vector<std::string>& paths);

// "532 bytes", "1.1 MB": powers of 1000, as file managers count.
std::string file_size_text(double bytes);

}  // namespace partita::detail::app
