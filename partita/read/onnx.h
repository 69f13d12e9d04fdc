// SPDX-License-Identifier: Apache-2.0
// Reads ONNX models (IR 3 and newer, any opset): operators, tensors with their shapes, weights with their sizes. Weights
// themselves are not read, and their file may be missing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "partita/model/network.h"
#include "partita/read/network_options.h"

namespace partita::detail {

// The file is mapped, and little of it is touched: time and memory are those of its operators. Throws InputError.
Network read_onnx(const std::filesystem::path& path, const ReadNetworkOptions& options = {});

// The same from bytes in memory; `source` is the name used in error messages.
Network parse_onnx(std::span<const std::byte> bytes, const std::string& source, const ReadNetworkOptions& options = {});

// Do the bytes begin as those of an ONNX model? Also for one that is cut off, so that its reader can say so.
bool looks_like_onnx(std::span<const std::byte> bytes);

}  // namespace partita::detail
