// SPDX-License-Identifier: Apache-2.0
#include "partita/read/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "partita/read/fields.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

std::string module_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

// What quantised checkpoints have beside, or in the place of, "MODULE.weight".
bool belongs_to_quantised_weight(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') + 1);
  if (last == "weight") return false;
  return last.starts_with("weight_") || last.ends_with("scale") || last == "qweight" || last == "qzeros" ||
         last == "scales" || last == "g_idx";
}

// Several small numbers may be stored as one integer.
bool may_be_packed(DataType type) {
  return type == DataType::UInt8 || type == DataType::Int8 || type == DataType::Int32 || type == DataType::UInt32;
}

// "up_exps.weight[7]" is a part of "up_exps.weight".
std::string whole_of(const std::string& name) { return name.ends_with(']') ? name.substr(0, name.rfind('[')) : name; }

}  // namespace

double StoredTensor::elements() const {
  double product = 1;
  for (std::int64_t extent : extents) product *= static_cast<double>(extent);
  return product;
}

bool Checkpoint::add(StoredTensor tensor) {
  const std::size_t index = tensors_.size();
  if (!by_name_.emplace(tensor.name, index).second) return false;
  if (belongs_to_quantised_weight(tensor.name)) by_module_[module_of(tensor.name)].push_back(index);
  tensors_.push_back(std::move(tensor));
  used_.push_back(false);
  return true;
}

const StoredTensor* Checkpoint::find(const std::string& name) const {
  const auto entry = by_name_.find(name);
  return entry == by_name_.end() ? nullptr : &tensors_[entry->second];
}

bool Checkpoint::describe_as(const std::string& name, Weight& weight) {
  const std::string whole = whole_of(name);
  const bool is_part = whole.size() < name.size();
  const auto entry = by_name_.find(whole);
  const auto module = whole.ends_with(".weight") ? by_module_.find(module_of(whole)) : by_module_.end();
  if (entry == by_name_.end() && module == by_module_.end()) return false;
  weight.type.type = DataType::Unknown;
  weight.bytes = 0;
  if (entry != by_name_.end()) {
    const StoredTensor& tensor = tensors_[entry->second];
    // A part is one of as many as the tensor has along its slowest axis.
    const double parts = is_part && !tensor.extents.empty() ? static_cast<double>(tensor.extents.front()) : 1;
    if (tensor.elements() != weight.parameters * parts && !may_be_packed(tensor.type)) {
      throw InputError(ErrorKind::BadField, fmt::format("{}: {}", source_, one_line(whole)),
                       fmt::format("has the shape [{}]; expected {:.0f} elements, as the sizes of the network say",
                                   fmt::join(tensor.extents, ","), weight.parameters * parts));
    }
    weight.type.type = tensor.type;
    weight.bytes = tensor.bytes / parts;
    used_[entry->second] = true;
  }
  if (module == by_module_.end()) return true;
  for (std::size_t index : module->second) {
    weight.bytes += tensors_[index].bytes;
    used_[index] = true;
  }
  return true;
}

void Checkpoint::describe(Weight& weight) {
  if (describe_as(weight.name, weight)) return;
  const std::size_t dot = weight.name.find('.');
  if (dot != std::string::npos && describe_as(weight.name.substr(dot + 1), weight)) return;
  if (missing_++ == 0) first_missing_ = weight.name;
}

std::vector<std::string> Checkpoint::notes() const {
  std::vector<std::string> lines;
  if (missing_ > 0) {
    lines.push_back(
        fmt::format("{}: holds no tensor for {} of the network's weights, the first of them {}; their sizes are "
                    "those of the network's own type",
                    source_, missing_, first_missing_));
  }
  std::size_t unused = 0;
  double bytes = 0;
  const std::string* first = nullptr;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (used_[i]) continue;
    if (unused++ == 0) first = &tensors_[i].name;
    bytes += tensors_[i].bytes;
  }
  if (unused > 0) {
    lines.push_back(
        fmt::format("{}: {} tensors with {} bytes together, the first of them {}, belong to no weight of the network",
                    source_, unused, bytes, one_line(*first)));
  }
  return lines;
}

}  // namespace partita::detail
