// SPDX-License-Identifier: Apache-2.0
// A folder that a command makes: it appears whole or not at all. Its files are written to a folder of another name beside
// it, which is then renamed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "partita/util/error.h"

namespace partita::detail {

class OutputFolder {
 public:
  // Says why a folder that is not empty is not one of the command's own, or nothing where it is.
  using WhyNotOurs = std::function<std::string(const std::filesystem::path&)>;

  // Finds out at once whether the folder can be made. It may be there if it is empty, or, to be
  // replaced, if it is ours and `force` is set. Throws InputError(Unwritable).
  OutputFolder(std::string path, bool force, const WhyNotOurs& why_not_ours);
  ~OutputFolder();  // removes what was written, unless it has been kept
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // Where to write the files to.
  const std::filesystem::path& path() const { return temporary_; }
  // Gives it its name; what had that name before is removed. Throws InputError(Unwritable).
  void keep();

 private:
  InputError unwritable(const std::string& why) const;
  std::filesystem::path make_beside() const;

  std::string given_;  // for messages
  std::filesystem::path target_, temporary_;
  bool replaces_ = false;
  bool kept_ = false;
};

}  // namespace partita::detail
