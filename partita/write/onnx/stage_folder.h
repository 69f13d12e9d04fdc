// SPDX-License-Identifier: Apache-2.0
// Files of a new folder, written piece by piece: what is copied never is in memory as a whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "partita/util/budget.h"
#include "partita/write/onnx/external_data.h"
#include "partita/write/onnx/rope.h"

namespace partita::detail::onnx {

class StageFolder {
 public:
  // The folder is there and empty; whoever made it removes it if anything throws. `model` is what ranges are ranges of.
  // Long copies end, by an InputError, when `budget` is cancelled; it may be null.
  StageFolder(std::filesystem::path folder, std::filesystem::path model, const Budget* budget)
      : folder_(std::move(folder)), model_(std::move(model)), budget_(budget) {}

  // Throw InputError(Unwritable), or Unreadable for what they copy. Each brings its file to the disk. The first returns the
  // CRC-32 of what it wrote, by which a file that was changed is recognised.
  std::uint32_t write(const std::string& name, const Rope& rope);
  void write(const std::string& name, std::string_view text);
  void copy(const std::string& name, const std::vector<CopiedBytes>& parts);
  void share(const std::filesystem::path& from, const std::string& name);

  const std::vector<std::string>& files() const { return files_; }

 private:
  std::filesystem::path begin(const std::string& name);

  std::filesystem::path folder_, model_;
  const Budget* budget_;
  std::vector<std::string> files_;
};

}  // namespace partita::detail::onnx
