// SPDX-License-Identifier: Apache-2.0
// What a model file leaves open, and what its operators cost: the same wherever a workload is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partita/model/fingerprint.h"
#include "partita/model/network.h"
#include "partita/model/workload.h"
#include "partita/read/network_options.h"
#include "partita/read/platform.h"

namespace partita::detail {

// A larger size is taken for a mistake.
inline constexpr std::int64_t kMostOfADimension = 1'000'000'000;

struct ModelOptions {
  std::vector<std::string> dimensions;  // "batch=8"
  std::optional<int> batch;
  std::optional<int> sequence;
  std::optional<int> context;
  std::optional<std::string> phase;
  std::optional<std::string> type;
  bool training = false;
  std::optional<std::string> optimizer;
  std::optional<std::string> shared_weights;
  std::optional<std::string> profile;
  std::optional<std::string> profile_on;
  std::optional<std::string> efficiencies;
};

// The sizes that the options give dimensions. Throws InputError.
ReadNetworkOptions network_options(const ModelOptions& options);

// Is there a model at `path`, and not a workload? Standard input is taken for a workload.
bool is_model(const std::string& path);

// The model as its file and the options describe it. Throws InputError.
Network read_model_network(const std::string& path, const ModelOptions& options);

// The model's costs on a physical platform. Throws InputError.
Workload read_model_workload(const std::string& path, const ModelOptions& options, const PlatformSpec& platform);

// Throws InputError(Usage) if an option is given that a workload has no use for.
void refuse_model_options(const ModelOptions& options);

// The options that are given, as a plan records them; and those of a plan where none are given. Throws InputError for a
// record that nobody of us wrote.
std::vector<std::pair<std::string, std::string>> recorded(const ModelOptions& options);
ModelOptions with_recorded(ModelOptions options, const ModelRecord& record);

}  // namespace partita::detail
