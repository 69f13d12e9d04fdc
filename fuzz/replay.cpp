// SPDX-License-Identifier: Apache-2.0
// usage: fuzz_NAME FOLDER MUTATIONS: runs the target on each file of a folder, and on so many mutations of each, which
// are the same on every run. For compilers without libFuzzer, and for ctest.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "fuzz/target.h"

namespace {

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string mutated(std::string bytes, std::mt19937& random) {
  static constexpr const char* kTokens[] = {"{",
                                            "}",
                                            "[",
                                            "]",
                                            ",",
                                            ":",
                                            "\"",
                                            "null",
                                            "-1",
                                            "1e308",
                                            "1e999",
                                            "NaN",
                                            "99999999999999999999",
                                            "\\u0000",
                                            "\xff",
                                            "\x1f\x8b",
                                            "\n",
                                            "true"};
  for (std::size_t changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
      case 1: bytes.resize(at); break;
      case 2: bytes.erase(at, 1 + random() % 20); break;
      case 3: bytes.insert(at, kTokens[random() % std::size(kTokens)]); break;
      default: bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 60)); break;
    }
  }
  return bytes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s FOLDER MUTATIONS\n", arguments[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    run(bytes);
    std::mt19937 random(1);
    for (int i = std::atoi(arguments[2]); i > 0; --i) run(mutated(bytes, random));
  }
  std::printf("%zu files\n", files.size());
  return files.empty() ? 1 : 0;
}
