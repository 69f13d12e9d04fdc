// SPDX-License-Identifier: Apache-2.0
#include "partita/read/source_label.h"

#include <filesystem>

#include "partita/util/visible_text.h"

namespace partita::detail {

std::string label_of(const std::string& source) {
  std::filesystem::path path = std::filesystem::path(source).filename();
  for (const char* ending : {".gz", ".json", ".txt", ".gguf", ".safetensors"}) {
    if (path.extension() == ending) path = path.stem();
  }
  return visible(path.string());  // a file may be called anything, a workload by text only
}

}  // namespace partita::detail
