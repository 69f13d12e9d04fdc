// SPDX-License-Identifier: Apache-2.0
// The shape of a convolution from the sizes of its tensors, as measured workloads tell them.
//
// The input has N C H W elements, the weights K C R S (and K more where there is a bias), the output N K P Q. For a kernel of R S
// elements and a stride, H W / P Q is about the square of the stride, and all are whole numbers. If neither C nor K is known, the
// output is taken to be exactly as much smaller: K / C then follows, and both from the weights. If one is known, because a batch
// norm beside the convolution has as many channels, the other follows from the weights, and planes may differ by what a border
// takes away. Of the usual kernels and strides, the first that makes channels in eights (or the three colours of an image) is meant.
#pragma once

#include <optional>

namespace partita::detail {

struct ConvolutionShape {
  double channels_in = 0;  // of which one group has this many
  double channels_out = 0;
  double kernel = 1;     // elements
  bool grouped = false;  // each channel by itself
  bool strided = false;
};

// In elements, and in channels; 0: not known. None where no usual shape fits.
std::optional<ConvolutionShape> convolution_shape(double in, double weights, double out, double channels_in,
                                                  double channels_out);

}  // namespace partita::detail
