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
#include "tests/support/mutate_bytes.h"

namespace {

void run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
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
    for (int i = std::atoi(arguments[2]); i > 0; --i) run(partita::detail::mutate_bytes(bytes, random));
  }
  std::printf("%zu files\n", files.size());
  return files.empty() ? 1 : 0;
}
