// SPDX-License-Identifier: Apache-2.0
#include "app/partita/wishes.h"

#include "app/shared/help_formatter.h"

namespace partita::detail::app {

void add_wish_options(Command& command, WishOptions& wishes) {
  command.group(kQuestionGroup);
  command
      .add_option("--pin", wishes.pins,
                  "Keep nodes on a device (\"a100 1\", as the table prints it) or on a class of them (a100); NODE is\n"
                  "a name, an id or a pattern such as '*attn*'. May be given again")
      .option_text("NODE=DEVICE")
      .allow_extra_args(false);
  command.add_option("--together", wishes.together, "Keep these nodes, likewise, on one device. May be given again")
      .option_text("NODE,...")
      .allow_extra_args(false);
  command
      .add_option("--apart", wishes.apart,
                  "Keep each two of these nodes, likewise, on different devices. May be given again")
      .option_text("NODE,...")
      .allow_extra_args(false);
}

}  // namespace partita::detail::app
