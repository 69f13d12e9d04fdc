// SPDX-License-Identifier: Apache-2.0
// Weights that lie in files of their own, beside the model. Stages refer to them as the model does: the same location,
// offset and length, and the file itself appears in the stages' folder without being copied. Or each stage gets a file
// with its own weights alone.
//
// How a file appears. The standard allows no location outside of the model's folder, and no symbolic link; ONNX Runtime
// refuses both. A copy that shares its blocks with the original (a clone, which some file systems can make) is a file
// like any other. Elsewhere it is a second name for the same file (a hard link): ONNX Runtime takes it, onnx.checker
// does not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "partita/read/onnx/model.h"

namespace partita::detail::onnx {

// What a stage's own file of weights is put together from.
struct CopiedBytes {
  std::filesystem::path from;
  std::uint64_t offset = 0, length = 0;  // there
  std::uint64_t place = 0;               // in the new file
};

struct DataPlace {
  std::string location;
  std::uint64_t offset = 0, length = 0;
};

class ExternalData {
 public:
  // `model` is the path of the model's file.
  ExternalData(const WireFile& file, const std::filesystem::path& model, bool copies)
      : file_(file), folder_(model.parent_path()), copies_(copies) {}

  // From here on, tensors go to this file of the stages' folder, if they are copied at all.
  void begin_stage(std::string data_file);
  const std::vector<CopiedBytes>& copied() const { return copied_; }
  std::uint64_t copied_size() const { return next_; }

  // Where the tensor of the current stage will be; none: where it says itself. Throws InputError for locations outside
  // of the model's folder.
  std::optional<DataPlace> place(const TensorView& tensor);
  bool copies() const { return copies_; }

  // Files that stages refer to by the model's own locations.
  const std::set<std::string>& locations() const { return locations_; }
  std::filesystem::path source(const std::string& location) const { return folder_ / location; }

 private:
  const WireFile& file_;
  std::filesystem::path folder_;
  bool copies_;
  std::string data_file_;
  std::uint64_t next_ = 0;
  std::vector<CopiedBytes> copied_;
  std::map<std::tuple<std::string_view, std::uint64_t, std::uint64_t>, std::uint64_t> placed_;
  std::set<std::string> locations_;
};

// Makes the file `from` appear as `to`. Throws InputError(Unwritable) where that is impossible without copying.
void share_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace partita::detail::onnx
