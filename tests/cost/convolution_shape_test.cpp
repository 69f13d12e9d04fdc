// SPDX-License-Identifier: Apache-2.0
// Shapes of convolutions from the sizes of their tensors, with and without the channels of the batch norms beside them.
#include "partita/cost/convolution_shape.h"

#include <gtest/gtest.h>

namespace partita::detail {
namespace {

TEST(ConvolutionShape, SizesAloneTellWhatKeepsItsPlanes) {
  const auto pointwise = convolution_shape(32.0 * 64 * 28 * 28, 64 * 256, 32.0 * 256 * 28 * 28, 0, 0);
  ASSERT_TRUE(pointwise);
  EXPECT_EQ(pointwise->kernel, 1);
  EXPECT_EQ(pointwise->channels_in, 64);
  EXPECT_EQ(pointwise->channels_out, 256);
  EXPECT_FALSE(pointwise->strided);
  const auto biased = convolution_shape(16.0 * 64 * 64 * 64, 128 * (64 * 9 + 1), 16.0 * 128 * 64 * 64, 0, 0);
  ASSERT_TRUE(biased);
  EXPECT_EQ(biased->kernel, 9);
  EXPECT_EQ(biased->channels_in, 64);
}

TEST(ConvolutionShape, ChannelsThatAreKnownAllowBorders) {
  // 147 x 147 planes, of which a kernel of 3 x 3 with a stride of two makes 73 x 73.
  const double in = 32.0 * 80 * 147 * 147, out = 32.0 * 192 * 73 * 73, weights = 192 * 80 * 9;
  for (const auto& [channels_in, channels_out] : {std::pair{80.0, 0.0}, {0.0, 192.0}, {80.0, 192.0}}) {
    const auto shape = convolution_shape(in, weights, out, channels_in, channels_out);
    ASSERT_TRUE(shape) << channels_in << " " << channels_out;
    EXPECT_EQ(shape->kernel, 9);
    EXPECT_EQ(shape->channels_in, 80);
    EXPECT_EQ(shape->channels_out, 192);
    EXPECT_TRUE(shape->strided);
  }
}

TEST(ConvolutionShape, AnImageWhoseSizeIsNotTold) {
  const auto shape = convolution_shape(0, 64 * 3 * 49, 32.0 * 64 * 112 * 112, 0, 64);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->kernel, 49);
  EXPECT_EQ(shape->channels_in, 3);
}

TEST(ConvolutionShape, OneKernelForEachChannelIsGrouped) {
  const auto shape = convolution_shape(8.0 * 96 * 56 * 56, 96 * 9, 8.0 * 96 * 28 * 28, 96, 96);
  ASSERT_TRUE(shape);
  EXPECT_TRUE(shape->grouped);
  EXPECT_TRUE(shape->strided);
  EXPECT_EQ(shape->channels_in, 1);
  EXPECT_EQ(shape->kernel, 9);
}

TEST(ConvolutionShape, NothingFits) {
  EXPECT_FALSE(convolution_shape(1000, 17, 1013, 0, 0));
  EXPECT_FALSE(convolution_shape(1000, 0, 1000, 0, 0));
  EXPECT_FALSE(convolution_shape(0, 17, 100, 0, 0));
}

}  // namespace
}  // namespace partita::detail
