// SPDX-License-Identifier: Apache-2.0
#include "app/partita/output_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace partita::detail::app {
namespace {

namespace fs = std::filesystem;

// Without a slash at the end, which would make it the path of what is inside.
fs::path target_of(const std::string& path) {
  fs::path target = fs::path(path).lexically_normal();
  return target.filename().empty() ? target.parent_path() : target;
}

fs::path around(const fs::path& target) { return target.parent_path().empty() ? fs::path(".") : target.parent_path(); }

// A folder of its own, removed unless it has taken the target's place.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& target) {
    std::string name = (around(target) / ".partita-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) name_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!name_.empty()) fs::remove_all(name_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& name() const { return name_; }
  bool is_made() const { return !name_.empty(); }
  void keep() { name_.clear(); }

 private:
  std::string name_;
};

}  // namespace

OutputFolder::OutputFolder(std::string path, std::string option) : path_(std::move(path)), option_(std::move(option)) {
  std::error_code error;
  const fs::path target = target_of(path_);
  if (target.empty() || target == "." || target == "/") throw unwritable("it names no new folder");
  if (fs::exists(fs::symlink_status(target, error))) {
    if (!fs::is_directory(target, error)) throw unwritable("there is a file of that name");
    if (!fs::is_empty(target, error)) throw unwritable("the folder is there already, and not empty");
  }
  if (!TemporaryFolder(target).is_made()) throw unwritable(std::strerror(errno));
}

InputError OutputFolder::unwritable(const std::string& why) const {
  return InputError(ErrorKind::Unwritable, path_,
                    fmt::format("cannot be written: {}; choose another output with {}", why, option_));
}

bool OutputFolder::write(const std::function<bool(const std::string& folder)>& fill) const {
  const fs::path target = target_of(path_);
  TemporaryFolder folder(target);
  if (!folder.is_made()) throw unwritable(std::strerror(errno));
  try {
    if (!fill(folder.name())) return false;
    // mkdtemp lets nobody else in; the folder is to be like any other.
    const mode_t mask = umask(0);
    umask(mask);
    fs::permissions(folder.name(), static_cast<fs::perms>(0777 & ~mask));
    fs::rename(folder.name(), target);
  } catch (const fs::filesystem_error& error) {
    throw unwritable(error.code().message());
  }
  folder.keep();
  return true;
}

}  // namespace partita::detail::app
