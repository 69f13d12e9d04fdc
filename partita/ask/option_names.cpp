// SPDX-License-Identifier: Apache-2.0
#include "partita/ask/option_names.h"

#include <string_view>
#include <utility>

namespace partita::detail {
namespace {

// tests/rooms_stay_apart.py holds the library to this table: its texts name no field that is not in it. No field begins
// like one before it.
constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
    {"AlgorithmOptions::expert", "--expert FILE"},
    {"CompareOptions::algorithms", "--algorithms"},
    {"CostOptions::measured_on", "--profile-on"},
    {"CostOptions::measured", "--profile"},
    {"CostOptions::shared_weights", "--shared-weights"},
    {"ExportRequest::devices", "--devices"},
    {"ExportRequest::stages", "--stages"},
    {"ModelOptions::batch", "--batch"},
    {"ModelOptions::context", "--context"},
    {"ModelOptions::dimensions", "--dim"},
    {"ModelOptions::efficiencies", "--efficiencies"},
    {"ModelOptions::optimizer", "--optimizer"},
    {"ModelOptions::phase", "--phase"},
    {"ModelOptions::profile_on", "--profile-on"},
    {"ModelOptions::profile", "--profile"},
    {"ModelOptions::sequence", "--sequence"},
    {"ModelOptions::shared_weights", "--shared-weights"},
    {"ModelOptions::training", "--training"},
    {"ModelOptions::type", "--dtype"},
    {"OnnxSplitOptions::copy_weights", "--copy-weights"},
    {"OutputFolder::force", "--force"},
    {"OutputFolder::path", "-o"},
    {"PlanOptions::algorithm", "--algorithm"},
    {"PlanOptions::contract_layers", "--contract-layers"},
    {"PlatformOverrides::accelerators", "--accelerators"},
    {"PlatformOverrides::clusters", "--clusters"},
    {"PlatformOverrides::hosts", "--hosts"},
    {"PlatformOverrides::platform", "--platform"},
    {"PlatformOverrides::sync_bandwidth", "--sync-bandwidth"},
    {"PlatformSpec::rates", "--platform"},
    {"Problem::wishes", "--pin, --together or --apart"},
    {"Question::backward_shape", "--backward-shape"},
    {"Question::memory_model", "--memory-model"},
    {"Question::microbatches", "--microbatches"},
    {"Question::objective", "--objective"},
    {"Question::recompute", "--recompute"},
    {"Question::replicas", "--replicate"},
    {"Question::shape", "--shape"},
    {"Question::strict_host_cores = false", "--host-cores unlimited"},
    {"Question::strict_host_cores", "--host-cores strict"},
    {"Question::subgraphs", "--subgraphs"},
    {"Question::transfers", "--transfers"},
    {"QuestionOptions::host_cores", "--host-cores"},
    {"ReadNetworkOptions::dimensions", "--dim"},
    {"Sweep::parameter", "--vary"},
    {"TransformerOptions::batch", "--batch"},
    {"TransformerOptions::context", "--context"},
    {"TransformerOptions::phase", "--phase"},
    {"TransformerOptions::sequence", "--sequence"},
    {"TransformerOptions::type", "--dtype"},
    {"WishOptions::apart", "--apart"},
    {"WishOptions::pins", "--pin"},
    {"WishOptions::together", "--together"},
};
constexpr std::string_view kEquals = " = ";

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> field_options() { return kOptions; }

std::string in_options(std::string text) {
  for (const auto& [field, option] : kOptions) {
    for (std::size_t at = text.find(field); at != std::string::npos; at = text.find(field, at)) {
      text.replace(at, field.size(), option);
      at += option.size();
      if (std::string_view(text).substr(at).starts_with(kEquals)) text.replace(at, kEquals.size(), " ");
    }
  }
  return text;
}

void put_in_options(Result& result) {
  result.reason = in_options(std::move(result.reason));
  result.proof = in_options(std::move(result.proof));
}

}  // namespace partita::detail
