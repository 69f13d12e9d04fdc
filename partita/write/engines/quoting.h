// SPDX-License-Identifier: Apache-2.0
// Names may hold anything; here they are put into lines of a shell, programs and files so that they mean themselves.
#pragma once

#include <string>
#include <string_view>

namespace partita::detail {

// One word for a POSIX shell: as it is where that is safe, else in single quotes.
std::string shell_word(std::string_view text);

// A literal for Python, in double quotes. Bytes that are no UTF-8 are mended, as in JSON files.
std::string python_text(std::string_view text);

// A string of the text format of protocol buffers, in double quotes.
std::string protobuf_text(std::string_view text);

// For a regular expression of ECMAScript: matches this text alone.
std::string regex_text(std::string_view text);

// Fit for a comment: one line.
std::string comment_text(std::string_view text);

}  // namespace partita::detail
