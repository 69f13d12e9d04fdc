// SPDX-License-Identifier: Apache-2.0
// Where layers are kept together: what of that holds for the ends of the network, before and behind all layers.
#pragma once

namespace partita {

enum class LayerEnds {
  Apart,       // nothing: each operator is on its own
  Together,    // what comes before the layers is on one device, and what comes behind them is
  WithLayers,  // the first is on the device of the first layer, the other on that of the last
};

}  // namespace partita
