// SPDX-License-Identifier: Apache-2.0
#include "partita/write/onnx/external_data.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#if __has_include(<linux/fs.h>)
#include <linux/fs.h>
#endif

#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::onnx {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPage = 4096;  // where tensors begin, so that they can be mapped

// A location is a path below the model's folder. Anything else would make us read, or let others read, any file.
void check_location(const WireFile& file, const TensorView& tensor) {
  const fs::path path(tensor.location);
  const bool leaves =
      path.is_absolute() || std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; });
  if (tensor.location.empty() || leaves || tensor.location.find('\0') != std::string_view::npos ||
      !path.has_filename()) {
    fail_at(file, tensor.range.begin,
            fmt::format("the weights of '{}' are in '{}', expected a file in the model's folder, or below it",
                        visible(tensor.name, kLongestShownName), visible(tensor.location, kLongestShownName)));
  }
}

// True: `to` is a file of its own that shares its blocks with `from`.
bool clone_file(const fs::path& from, const fs::path& to) {
  const int source = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (source < 0) return false;
  const int target = open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
#ifdef FICLONE
  const bool cloned = target >= 0 && ioctl(target, FICLONE, source) == 0;
#else
  const bool cloned = false;
#endif
  close(source);
  if (target >= 0) close(target);
  if (target >= 0 && !cloned) unlink(to.c_str());
  return cloned;
}

}  // namespace

void ExternalData::begin_stage(std::string data_file) {
  data_file_ = std::move(data_file);
  next_ = 0;
  copied_.clear();
  placed_.clear();
}

std::optional<DataPlace> ExternalData::place(const TensorView& tensor) {
  check_location(file_, tensor);
  const std::string location = fs::path(tensor.location).lexically_normal().string();
  if (!copies_) {
    locations_.insert(location);
    return std::nullopt;
  }
  const fs::path from = source(location);
  std::error_code error;
  const std::uint64_t size = fs::file_size(from, error);
  if (error) {
    throw InputError(ErrorKind::Unreadable, from.string(),
                     fmt::format("holds weights of the model and cannot be read: {}; expected it beside the model",
                                 error.message()));
  }
  const auto offset = static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.offset.value_or(0), 0));
  const std::uint64_t rest = offset <= size ? size - offset : 0;
  const auto length = static_cast<std::uint64_t>(tensor.length.value_or(static_cast<std::int64_t>(rest)));
  if (offset > size || length > rest) {
    fail_at(file_, tensor.range.begin,
            fmt::format("the weights of '{}' are {} bytes at {} of '{}', which has only {}: the file is cut off, or of "
                        "another model",
                        visible(tensor.name, kLongestShownName), length, offset, visible(location, kLongestShownName),
                        size));
  }
  const auto [at, is_new] = placed_.emplace(std::tuple(tensor.location, offset, length), next_);
  if (is_new) {
    copied_.push_back({from, offset, length, next_});
    next_ = (next_ + length + kPage - 1) / kPage * kPage;
  }
  return DataPlace{data_file_, at->second, length};
}

void share_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::path real = fs::canonical(from, error);  // caches of models hold links to the files themselves
  if (!error) {
    fs::create_directories(to.parent_path(), error);
    if (clone_file(real, to)) return;
    fs::create_hard_link(real, to, error);
    if (!error) return;
  }
  throw InputError(
      ErrorKind::Unwritable, to.filename().string(),
      fmt::format("cannot share the weights of {}: {}; choose a folder on the same file system, or copy them with "
                  "OnnxSplitOptions::copy_weights",
                  visible(from.string()), error.message()));
}

}  // namespace partita::detail::onnx
