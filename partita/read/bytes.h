// SPDX-License-Identifier: Apache-2.0
// The bytes of an input, piece by piece: from a file, standard input or memory, plain or gzipped.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace partita::detail {

// Nothing larger is read, and nothing is unpacked beyond it: a pipe that never ends is an error, not a machine without
// memory.
inline constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;
// Nor is anything that unpacks to so many times its size, once it is large at all. Graphs unpack to 10 to 30 times.
inline constexpr std::size_t kMaxExpansion = 200;
inline constexpr std::size_t kExpansionIsHarmlessUpTo = std::size_t{32} << 20;

// What error messages call the input at `path`: the path, or "standard input" for "-".
std::string source_name(const std::string& path);

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `into` and says how much of it; less than `room` at the end of the input only. Throws InputError.
  virtual std::size_t read(char* into, std::size_t room) = 0;
  // Would reading to the end show whether the bytes are those that somebody wrote?
  virtual bool has_checksum() const { return false; }
};

// `path` may be "-". Throws InputError(Unreadable), also while it is read.
std::unique_ptr<ByteSource> file_source(const std::string& path);

// `bytes` must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::string_view bytes);

// What is gzipped is unpacked, one member or several in a row; what is not comes as it is. Throws InputError, of the
// kind NotJson for a stream that ends early or is damaged and for what is larger than the limits, of which `most_bytes`
// is for tests.
std::unique_ptr<ByteSource> unpacked(std::unique_ptr<ByteSource> packed, const std::string& source,
                                     std::size_t most_bytes = kMaxInputBytes);

// What is read as a whole may be so large: solution files of other solvers, plans that are looked at twice.
inline constexpr std::size_t kMaxWholeBytes = std::size_t{256} << 20;

// All that the source has. Throws InputError(Unreadable) for more than the limit; `source` is the name used in it.
std::string read_to_end(ByteSource& bytes, const std::string& source, std::size_t most_bytes = kMaxWholeBytes);

// A file that is open, and its first 64 kilobytes, unpacked: enough to tell one format from another. `bytes` has all of it, these too.
// Nothing is looked at of what is no plain file. Throws as above.
struct OpenFile {
  std::string beginning;
  std::unique_ptr<ByteSource> bytes;
};
OpenFile open_file(const std::string& path);

// For who wants to know the format only, and nothing of a pipe, which gives its bytes once.
std::string beginning_of(const std::string& path);

// All bytes as they are, still gzipped if they were. Throws InputError(Unreadable), also for more than the limit.
std::string read_bytes(const std::string& path, std::size_t most_bytes = kMaxWholeBytes);

}  // namespace partita::detail
