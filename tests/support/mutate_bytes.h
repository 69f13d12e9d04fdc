// SPDX-License-Identifier: Apache-2.0
// Files that are almost what they should be: a few bytes changed, cut off, doubled, or put in.
#pragma once

#include <cstddef>
#include <iterator>
#include <random>
#include <string>

namespace partita::detail {

inline std::string mutate_bytes(std::string bytes, std::mt19937& random) {
  static constexpr const char* kTokens[] = {"{",
                                            "}",
                                            "[",
                                            "]",
                                            ",",
                                            ":",
                                            "\"",
                                            "null",
                                            "true",
                                            "NaN",
                                            "-",
                                            "1e999",
                                            "0",
                                            "\\u0000",
                                            "-1",
                                            "1e308",
                                            "99999999999999999999",
                                            "\xff",
                                            "\n",
                                            "Infinity",
                                            "\x1f\x8b"};
  for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = bytes.empty() ? 0 : random() % bytes.size();
    switch (random() % 6) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = static_cast<char>(random());
        break;
      case 2: bytes.resize(at); break;
      case 3: bytes.erase(at, 1 + random() % 20); break;
      case 4: bytes.insert(at, kTokens[random() % std::size(kTokens)]); break;
      default: bytes.insert(at, bytes.substr(random() % (bytes.size() + 1), random() % 60)); break;
    }
  }
  return bytes;
}

}  // namespace partita::detail
