// SPDX-License-Identifier: Apache-2.0
// The bytes of an input: from a file or standard input, plain or gzipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace partita {

// Nothing larger is read, and nothing is unpacked beyond it: a pipe that never ends or a gzip bomb is an error, not a
// machine without memory.
inline constexpr std::size_t kMaxInputBytes = std::size_t{2} << 30;

// What error messages call the input at `path`: the path, or "standard input" for "-".
std::string source_name(const std::string& path);

// The bytes as they are, still gzipped if they were. Throws InputError(Unreadable).
std::string read_bytes(const std::string& path);

bool is_gzip(std::string_view bytes);

// Unpacks one gzip member or several in a row. Throws InputError(NotJson) for a stream that ends early or is damaged.
// `limit` is for tests.
std::string gunzip(std::string_view bytes, const std::string& source, std::size_t limit = kMaxInputBytes);

}  // namespace partita
