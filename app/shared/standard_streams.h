// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error, which whoever starts a program may have closed, or stop reading.
#pragma once

#include <string>

namespace partita::detail::app {

// Occupies the descriptors 0 to 2 that are closed: the next file to be opened would get such a number, and messages
// would be written into it. Reading from a standard input that was closed, and writing to such an output, still fails;
// messages to such an error stream are lost.
void occupy_standard_streams();

// Thrown when nobody reads standard output any more (`partita ... | head`), which is no news for anybody.
struct ReaderGone {};

// Writes all of the text, or throws InputError(Unwritable) with the advice at its end, or ReaderGone.
void write_stdout(const std::string& text, const std::string& advice);

// Writes all of the text to an open file; false, with errno set, when a byte may not have arrived.
bool write_all(int file, const std::string& text);

}  // namespace partita::detail::app
