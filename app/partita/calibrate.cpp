// SPDX-License-Identifier: Apache-2.0
// `partita calibrate WORKLOAD... --device DEVICE`: how much of a device's peak operators reach, fitted to measured workloads.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/partita/commands.h"
#include "app/partita/output.h"
#include "app/partita/written.h"
#include "app/shared/help_formatter.h"
#include "app/shared/options.h"
#include "app/shared/terminal_width.h"
#include "partita/check/narrow_table.h"
#include "partita/cost/calibrate.h"
#include "partita/cost/calibration_file.h"
#include "partita/read/presets.h"
#include "partita/read/workload.h"
#include "partita/report/workload_json.h"
#include "partita/util/error.h"

namespace partita::detail::app {
namespace {

constexpr const char* kFooter =
    R"(A measured workload names the operators of PyTorch's ATen ("op") and the bytes that each makes ("outputBytes"), and
has the time of each on an accelerator. What the numbers mean and how good they are: docs/costs.md

Examples:
  partita calibrate measured/*.json.gz --device h200 -o h200.json
  partita calibrate bert.json.gz unet.json.gz --device h200 --test gpt2.json.gz
  partita plan model.onnx --platform 4xh200 --efficiencies h200.json
)";

struct CalibrateArguments {
  std::vector<std::string> workloads;
  std::vector<std::string> tests;
  std::string device;
  std::string type = "bf16";
  std::string output;
  std::string predicted;
};

std::vector<std::string> device_names() {
  std::vector<std::string> names;
  for (const DevicePreset& preset : device_presets()) names.push_back(preset.name);
  return names;
}

const DevicePreset& device_called(const std::string& name) {
  if (const DevicePreset* preset = find_preset(device_presets(), name)) return *preset;
  throw InputError(ErrorKind::Usage, "--device",
                   fmt::format("'{}' is no known device{}; `partita platforms` lists them", name,
                               did_you_mean(name, device_names())));
}

std::string percent(double part) { return fmt::format("{:+.1f} %", 100 * part); }

std::string family_table(const Calibration& calibration, std::size_t width) {
  std::vector<Row> rows{
      {"<family", "<pass", "operators", "time", "compute", "memory", "ramp", "step", "item", "error"}};
  for (const Calibration::Family& one : calibration.families) {
    const Efficiency& efficiency = calibration.efficiencies.of(one.family, one.backward);
    rows.push_back({to_string(one.family), one.backward ? "backward" : "forward", fmt::format("{}", one.operators),
                    fmt::format("{:.3f} ms", 1e3 * one.seconds), fmt::format("{:.2f}", efficiency.compute),
                    fmt::format("{:.2f}", efficiency.memory), fmt::format("{:.1f} us", 1e6 * efficiency.ramp),
                    fmt::format("{:.2f} ns", 1e9 * efficiency.step), fmt::format("{:.3f} ns", 1e9 * efficiency.item),
                    fmt::format("{:.0f} %", 100 * one.error)});
  }
  return layout_folded(rows, width);
}

void add_rows(std::vector<Row>& rows, const char* part, const std::vector<Prediction>& predictions) {
  Prediction sum{.name = "all of these"};
  const auto add = [&](const Prediction& one) {
    rows.push_back({one.name, part, fmt::format("{:.3f} ms", 1e3 * one.measured),
                    fmt::format("{:.3f} ms", 1e3 * one.predicted),
                    one.measured > 0 ? percent(one.predicted / one.measured - 1) : "-"});
  };
  for (const Prediction& one : predictions) {
    add(one);
    sum.measured += one.measured;
    sum.predicted += one.predicted;
  }
  if (predictions.size() > 1) add(sum);
}

std::string model_table(const std::vector<Prediction>& fitted, const std::vector<Prediction>& tested,
                        std::size_t width) {
  std::vector<Row> rows{{"<model", "<used for", "measured", "predicted", "error"}};
  add_rows(rows, "the fit", fitted);
  add_rows(rows, "a test", tested);
  return layout_folded(rows, width);
}

std::vector<Workload> read_all(const std::vector<std::string>& paths) {
  std::vector<Workload> workloads;
  for (const std::string& path : paths) workloads.push_back(read_workload(path));
  return workloads;
}

std::string predicted_path(const CalibrateArguments& arguments, const Workload& workload) {
  return (std::filesystem::path(arguments.predicted) / (workload.name + ".json")).string();
}

void write_predicted(const CalibrateArguments& arguments, const std::vector<Workload>& workloads,
                     const Calibration& calibration, const DeviceRates& rates, DataType type) {
  std::error_code failed;
  std::filesystem::create_directories(arguments.predicted, failed);
  std::vector<std::string> written;
  for (const Workload& workload : workloads) {
    written.push_back(predicted_path(arguments, workload));
    Output(written.back(), "--predict").write(workload_json(with_predicted_times(workload, calibration, rates, type)));
  }
  tell_written(written);
}

int run_calibrate(const CalibrateArguments& arguments) {
  std::vector<std::string> inputs = arguments.workloads;
  inputs.insert(inputs.end(), arguments.tests.begin(), arguments.tests.end());
  refuse_clashes({{"-o", arguments.output}}, inputs);
  const DevicePreset& device = device_called(arguments.device);
  const DataType type = *data_type(arguments.type);
  const std::vector<Workload> fitted = read_all(arguments.workloads), tested = read_all(arguments.tests);

  const Calibration calibration = calibrate(fitted, device.rates, type);
  const auto predictions = [&](const std::vector<Workload>& workloads) {
    std::vector<Prediction> result;
    for (const Workload& one : workloads) result.push_back(predict(one, calibration, device.rates, type));
    return result;
  };
  const std::size_t width = page_width(STDOUT_FILENO);
  const std::string report = fmt::format(
      "An operator takes {:.2f} us, its ramp, and the longest of its arithmetic, traffic, chain and items, of {}'s "
      "peak in "
      "{}:\n{}\n{}",
      1e6 * calibration.launch, device.label, arguments.type, family_table(calibration, width),
      model_table(predictions(fitted), predictions(tested), width));
  if (!arguments.output.empty()) Output(arguments.output).write(efficiencies_json(calibration, arguments.device, type));
  print_report(report, arguments.output == "-");
  if (!arguments.predicted.empty())
    write_predicted(arguments, tested.empty() ? fitted : tested, calibration, device.rates, type);
  tell_written({arguments.output});
  return 0;
}

}  // namespace

void add_calibrate_command(Command& program, Action& action) {
  Command command = program.add_subcommand("calibrate", "Fit the costs of operators to measured workloads");
  auto arguments = std::make_shared<CalibrateArguments>();
  path(command.add_option("WORKLOAD", arguments->workloads, "Measured workloads, plain or gzipped").required());
  command.add_option("--device", arguments->device, "On which they were measured: a device of `partita platforms`")
      .required()
      .option_text("DEVICE")
      .offers(Offer::Kind::Word, device_names());
  arithmetic_type(command.add_option("--dtype", arguments->type, "The type in which they computed (default bf16)"));
  path(command.add_option("--test", arguments->tests, "Measured workloads to predict that the fit does not see")
           .allow_extra_args(true));
  command.group(kOutputGroup);
  path(command.add_option("-o,--output", arguments->output, "Write the efficiencies here, for --efficiencies"));
  folder(
      command.add_option("--predict", arguments->predicted,
                         "Write the workloads of --test (or all, without it) with predicted times into this folder"));
  command.footer(kFooter);
  command.callback([&action, arguments] { action = [arguments] { return run_calibrate(*arguments); }; });
}

}  // namespace partita::detail::app
