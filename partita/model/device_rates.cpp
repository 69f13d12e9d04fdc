// SPDX-License-Identifier: Apache-2.0
#include "partita/model/device_rates.h"

#include <algorithm>

namespace partita {

namespace {

// In which type to compute instead, where a device has no arithmetic of its own for one. fp32 is where every chain ends.
DataType next_wider(DataType type) {
  switch (type) {
    case DataType::BFloat16: return DataType::Float16;
    case DataType::Float8: return DataType::Float16;
    case DataType::Float4: return DataType::Float8;
    case DataType::Int2: return DataType::Int4;
    case DataType::UInt2: return DataType::UInt4;
    case DataType::Int4: return DataType::Int8;
    case DataType::UInt4: return DataType::UInt8;
    case DataType::UInt8: return DataType::Int8;
    case DataType::Int8: return DataType::Float16;
    default: return DataType::Float32;
  }
}

}  // namespace

double DeviceRates::flops_of(DataType type) const {
  for (DataType wider = type;; wider = next_wider(wider)) {
    if (const auto found = flops.find(wider); found != flops.end()) return found->second;
    if (wider == DataType::Float32) break;
  }
  // Not even fp32: a device for few types, and the operator would be converted to the slowest of them.
  return std::ranges::min_element(flops, {}, [](const auto& entry) { return entry.second; })->second;
}

}  // namespace partita
