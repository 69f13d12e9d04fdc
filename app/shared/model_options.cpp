// SPDX-License-Identifier: Apache-2.0
#include "app/shared/model_options.h"

#include "app/shared/help_formatter.h"
#include "app/shared/options.h"

namespace partita::detail::app {

void add_model_options(Command& command, ModelOptions& options) {
  command.group(kModelGroup);
  command.add_option("--dim", options.dimensions, "ONNX: the size of a dimension that the file names: batch=8,seq=512")
      .delimiter(',')
      .option_text("NAME=SIZE,...");
  whole(command.add_option("--batch", options.batch, "Transformers: sequences or images in one sample (default 1)"),
        "N", 1, kMostOfADimension);
  whole(command.add_option("--sequence", options.sequence,
                           "Transformers: tokens of a sequence (default 2048, or all positions there are)"),
        "N", 1, kMostOfADimension);
  whole(command.add_option("--context", options.context,
                           "Transformers: tokens of each sequence that the KV cache has room for (default --sequence)"),
        "N", 1, kMostOfADimension);
  choices(command.add_option("--phase", options.phase,
                             "Transformers: prefill, a prompt at once (default); decode, one token after the other;\n"
                             "training, as --training"),
          {"prefill", "decode", "training"});
  arithmetic_type(
      command.add_option("--dtype", options.type, "The type of weights and activations, instead of the file's"));
  command.add_flag("--training", options.training, "Add a backward pass, and what training keeps in memory");
  choices(
      command.add_option("--optimizer", options.optimizer, "Training: what it keeps for each weight (default adam)"),
      {"sgd", "adam"});
  choices(command.add_option(
              "--shared-weights", options.shared_weights,
              "Weights that several operators use: copied, each has its own (default); together, on one device"),
          {"copied", "together"});
  path(command.add_option("--profile", options.profile,
                          "Measured times of operators, instead of estimates: a measurement by the Python package,\n"
                          "a profile of ONNX Runtime or trtexec, or CSV with a name and a time (ms) on each line"));
  command
      .add_option("--profile-on", options.profile_on,
                  "The device on which they were measured (default: the first of --platform)")
      .option_text("DEVICE");
  path(command.add_option("--efficiencies", options.efficiencies,
                          "How much of a device's peak operators reach, as `partita calibrate` writes it"));
}

}  // namespace partita::detail::app
