// SPDX-License-Identifier: Apache-2.0
// Planted efficiencies are found again, shapes follow from sizes, and a workload keeps what predictions do not concern.
#include "partita/cost/calibrate.h"

#include <gtest/gtest.h>

#include <random>

#include "partita/cost/aten_families.h"
#include "partita/cost/measured_work.h"
#include "partita/model/validate.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

const DeviceRates kRates{.flops = {{DataType::BFloat16, 1e15}}, .memory_bandwidth = 5e12, .launch = 4e-6};

// Operators of ATen without shapes, in ms, on one accelerator and a host.
class Measured {
 public:
  Measured() {
    workload_.name = "planted";
    workload_.time_unit = "ms";
    DeviceClass accelerator, host;
    accelerator.name = "accelerator";
    accelerator.kind = DeviceKind::Accelerator;
    accelerator.count = 2;
    host.name = "host";
    host.kind = DeviceKind::Host;
    host.count = 1;
    workload_.platform.classes.push_back(accelerator);
    workload_.platform.classes.push_back(host);
  }

  NodeId add(const std::string& op, double output_bytes, std::vector<NodeId> reads, double weights = 0, double ms = 0) {
    Node node;
    node.original_id = static_cast<std::int64_t>(workload_.graph.nodes.size());
    node.name = op;
    node.op = op;
    node.output_bytes = output_bytes;
    node.parts.weights = weights;
    node.memory = weights;
    node.time = {ms, 1};
    const NodeId v = workload_.graph.nodes.push_back(std::move(node));
    for (NodeId from : reads) workload_.graph.edges.push_back({from, v, 0.1});
    return v;
  }

  // Times as `table` and a launch make them.
  void plant(const Efficiencies& table, double launch) {
    DeviceRates rates = kRates;
    rates.launch = launch;
    const IdVector<NodeId, Work> work = work_of_measured(workload_, DataType::BFloat16);
    for (NodeId v : workload_.graph.nodes.all()) {
      workload_.graph.nodes[v].time[0] = 1e3 * estimate(work[v], rates, table);
    }
  }

  Workload& workload() { return workload_; }

 private:
  Workload workload_;
};

Measured planted_workload() {
  Measured made;
  const NodeId input = made.add("input", 64, {});
  for (int i = 1; i <= 40; ++i) {
    const double rows = 64.0 * i * i;
    const NodeId x = made.add("aten.relu.default", 2 * rows * 1024, {input});
    const NodeId w = made.add("get_attr", 2 * 1024 * 2048.0, {input});
    made.add("aten.mm.default", 2 * rows * 2048, {x, w});
    made.add("aten._softmax.default", 2 * rows * 1024, {x});
    made.add("aten.add.Tensor", 64.0, {input});  // too small to take more than its launch
  }
  return made;
}

TEST(Calibrate, FindsPlantedEfficiencies) {
  Efficiencies planted;
  planted.forward.fill({1, 0.5, 0, true});
  planted.of(OperatorFamily::MatrixProduct, false) = {0.6, 0.8, 2e-6, true};
  planted.of(OperatorFamily::Softmax, false) = {1, 0.3, 0, true};
  Measured made = planted_workload();
  made.plant(planted, 2e-6);
  const Calibration found = calibrate(std::span(&made.workload(), 1), kRates, DataType::BFloat16);
  EXPECT_NEAR(found.launch, 2e-6, 1e-7);
  EXPECT_NEAR(found.efficiencies.of(OperatorFamily::Elementwise, false).memory, 0.5, 0.02);
  EXPECT_NEAR(found.efficiencies.of(OperatorFamily::Softmax, false).memory, 0.3, 0.02);
  EXPECT_NEAR(found.efficiencies.of(OperatorFamily::MatrixProduct, false).compute, 0.6, 0.03);
  EXPECT_DOUBLE_EQ(found.efficiencies.of(OperatorFamily::MatrixProduct, false).memory, 0.8)
      << "what the samples cannot tell stays as assumed";
  EXPECT_FALSE(found.efficiencies.of(OperatorFamily::Pooling, false).calibrated) << "there is none";
  const Prediction prediction = predict(made.workload(), found, kRates, DataType::BFloat16);
  EXPECT_NEAR(prediction.predicted, prediction.measured, 0.03 * prediction.measured);
}

// Batch norms of many sizes, whose statistics say how many channels they have, and poolings between them.
Measured planted_planes() {
  Measured made;
  for (int i = 0; i < 60; ++i) {
    const double channels = 32.0 * (1 + i % 12), plane = 16.0 * (1 + i % 7) * (1 + i % 5) * (i % 2 == 0 ? 1 : 40);
    const double planes = 2 * 32 * channels * plane;
    const NodeId x = made.add("input", planes, {});
    made.add("aten._native_batch_norm_legit_functional.default", planes + 12 * channels, {x});
    made.add("aten._native_batch_norm_legit_no_training.default", planes + 8 * channels, {x});
    made.add("aten.avg_pool2d.default", planes / 4, {x});
    made.add("aten.cat.default", planes * (1 + i % 9), std::vector<NodeId>(static_cast<std::size_t>(1 + i % 9), x));
  }
  const NodeId rows = made.add("input", 2.0 * 32 * 64, {});
  made.add("aten.addmm.default", 2.0 * 32 * 1000, {rows}, 2.0 * (64 * 1000 + 1000));
  return made;
}

TEST(Calibrate, FindsPlantedChainsItemsAndPieces) {
  Efficiencies planted;
  planted.forward.fill({1, 0.5, 0, true});
  planted.of(OperatorFamily::BatchNormalization, false) = {1, 0.4, 2e-6, true, 1e-9, 0};
  planted.of(OperatorFamily::ChannelScaling, false) = {1, 0.4, 2e-6, true, 0, 1e-9};
  planted.of(OperatorFamily::Pooling, false) = {1, 0.5, 0, true, 0, 12e-12};
  planted.of(OperatorFamily::Concatenation, false) = {1, 0.7, 1e-6, true};
  Measured made = planted_planes();
  made.plant(planted, 4e-6);  // as the device's: nothing here is small enough to tell
  const Calibration found = calibrate(std::span(&made.workload(), 1), kRates, DataType::BFloat16);
  EXPECT_NEAR(found.efficiencies.of(OperatorFamily::BatchNormalization, false).step, 1e-9, 0.15e-9);
  EXPECT_NEAR(found.efficiencies.of(OperatorFamily::ChannelScaling, false).item, 1e-9, 0.25e-9);
  EXPECT_NEAR(found.efficiencies.of(OperatorFamily::Pooling, false).item, 12e-12, 1e-12);
  EXPECT_NEAR(found.efficiencies.of(OperatorFamily::Concatenation, false).ramp, 1e-6, 0.1e-6);
  for (const Calibration::Family& family : found.families) EXPECT_LT(family.error, 0.05) << to_string(family.family);
}

TEST(Calibrate, SeesAnErrorThatIsPlanted) {
  Efficiencies planted;
  planted.forward.fill({1, 0.5, 0, true});
  Measured made = planted_workload(), slower = planted_workload();
  made.plant(planted, 2e-6);
  slower.plant(planted, 2e-6);
  for (Node& node : slower.workload().graph.nodes) node.time[0] *= 2;
  const Calibration found = calibrate(std::span(&made.workload(), 1), kRates, DataType::BFloat16);
  const Prediction prediction = predict(slower.workload(), found, kRates, DataType::BFloat16);
  EXPECT_NEAR(prediction.predicted / prediction.measured, 0.5, 0.03);
}

TEST(Calibrate, PredictedWorkloadsDifferInTheTimesOfAcceleratorsAlone) {
  Efficiencies planted;
  planted.forward.fill({1, 0.5, 0, true});
  Measured made = planted_workload();
  made.plant(planted, 2e-6);
  const Calibration found = calibrate(std::span(&made.workload(), 1), kRates, DataType::BFloat16);
  const Workload predicted = with_predicted_times(made.workload(), found, kRates, DataType::BFloat16);
  validate(predicted);
  EXPECT_EQ(predicted.graph.edges.size(), made.workload().graph.edges.size());
  for (NodeId v : predicted.graph.nodes.all()) {
    EXPECT_EQ(predicted.graph.nodes[v].time[1], 1);
    EXPECT_GE(predicted.graph.nodes[v].time[0], 0);
  }
}

TEST(Calibrate, NothingToFit) {
  Measured made;
  made.add("MatMul", 64, {});
  EXPECT_THROW(calibrate(std::span(&made.workload(), 1), kRates, DataType::BFloat16), InputError);
  EXPECT_THROW(calibrate({}, kRates, DataType::BFloat16), InputError);
}

TEST(MeasuredWork, ShapesOfProductsFollowFromSizes) {
  Measured made;
  const NodeId x = made.add("input", 2.0 * 512 * 1024, {}), w = made.add("get_attr", 2.0 * 1024 * 4096, {});
  const NodeId product = made.add("aten.mm.default", 2.0 * 512 * 4096, {x, w});
  const NodeId biased = made.add("aten.addmm.default", 2.0 * 512 * 3072, {x}, 2.0 * (1024 * 3072 + 3072));
  const NodeId odd = made.add("get_attr", 2.0 * 1024 * 50257, {});
  const NodeId head = made.add("aten.mm.default", 2.0 * 512 * 50257, {x, odd});
  const IdVector<NodeId, Work> work = work_of_measured(made.workload(), DataType::BFloat16);
  EXPECT_DOUBLE_EQ(*work[product].flops, 2.0 * 512 * 1024 * 4096);
  EXPECT_FALSE(work[product].misaligned);
  EXPECT_DOUBLE_EQ(*work[biased].flops, 2.0 * 512 * 1024 * 3072);
  EXPECT_FALSE(work[biased].misaligned) << "its bias is no part of the matrix";
  EXPECT_TRUE(work[head].misaligned);
  EXPECT_DOUBLE_EQ(*work[product].bytes, 2.0 * (512 * 1024 + 1024 * 4096 + 512 * 4096));
}

TEST(MeasuredWork, ShapesOfConvolutionsFollowFromSizes) {
  Measured made;
  const double in = 2.0 * 32 * 64 * 56 * 56;
  const NodeId x = made.add("input", in, {});
  const NodeId same = made.add("aten.convolution.default", 2.0 * 32 * 128 * 56 * 56, {x}, 2.0 * 128 * 64 * 9);
  const NodeId image = made.add("input", 2.0 * 64 * 3 * 224 * 224, {});
  const NodeId stem = made.add("aten.convolution.default", 2.0 * 64 * 64 * 112 * 112, {image}, 2.0 * 64 * 3 * 49);
  const IdVector<NodeId, Work> work = work_of_measured(made.workload(), DataType::BFloat16);
  EXPECT_DOUBLE_EQ(*work[same].flops, 2.0 * 32 * 128 * 56 * 56 * 64 * 9);
  EXPECT_DOUBLE_EQ(*work[stem].flops, 2.0 * 64 * 64 * 112 * 112 * 3 * 49);
}

TEST(MeasuredWork, BatchNormsSayHowManyChannelsThereAre) {
  Measured made;
  const double in = 2.0 * 32 * 80 * 147 * 147, out = 2.0 * 32 * 192 * 73 * 73;
  const NodeId x = made.add("input", in, {});
  const NodeId first = made.add("aten._native_batch_norm_legit_functional.default", in + 12 * 80, {x});
  const NodeId planes = made.add("<built-in function getitem>", in, {first});
  const NodeId relu = made.add("aten.relu.default", in, {planes});
  const NodeId conv = made.add("aten.convolution.default", out, {relu}, 2.0 * 192 * 80 * 9);
  const NodeId second = made.add("aten._native_batch_norm_legit_no_training.default", out + 8 * 192, {conv});
  const NodeId back =
      made.add("aten.convolution_backward.default", in + 2.0 * 192 * 80 * 9, {relu, made.add("input", out, {})});
  const IdVector<NodeId, Work> work = work_of_measured(made.workload(), DataType::BFloat16);
  EXPECT_DOUBLE_EQ(*work[conv].flops, out * 80 * 9);
  EXPECT_DOUBLE_EQ(work[conv].chain, 80 * 9);
  EXPECT_DOUBLE_EQ(*work[back].flops, 2 * out * 80 * 9);
  EXPECT_DOUBLE_EQ(work[first].chain, 32 * 147 * 147);
  EXPECT_DOUBLE_EQ(*work[first].bytes, 3 * in + 12 * 80) << "read twice, for statistics and to apply them";
  EXPECT_EQ(work[second].chain, 0) << "its statistics are stored";
  EXPECT_DOUBLE_EQ(work[second].items / 192, work[first].items / 80) << "planes: samples times channels";
}

TEST(MeasuredWork, SizesThatNobodyHas) {
  Measured made;
  const NodeId none = made.add("input", 0, {}), huge = made.add("input", 1e300, {});
  for (const NodeId x : {none, huge}) {
    for (const char* op : {"aten.convolution.default", "aten.convolution_backward.default", "aten.addmm.default",
                           "aten._native_batch_norm_legit_functional.default", "aten.native_group_norm.default",
                           "aten.max_pool2d_with_indices.default", "aten.cat.default"}) {
      made.add(op, 1e290, {x}, 1e200);
      made.add(op, 7, {x, huge});
      made.add(op, 0, {});
    }
  }
  for (const Work& work : work_of_measured(made.workload(), DataType::BFloat16)) {
    EXPECT_GE(*work.flops, 0);
    EXPECT_GE(*work.bytes, 0);
    EXPECT_GE(work.chain, 0);
    EXPECT_GE(work.items, 0);
  }
}

TEST(MeasuredWork, WhoReadsAStridedViewDoesTheMovement) {
  Measured made;
  const NodeId x = made.add("aten.relu.default", 4096, {});
  const NodeId same = made.add("aten.view.default", 4096, {x}), turned = made.add("aten.transpose.int", 4096, {x});
  const NodeId part = made.add("aten.view.default", 4096, {turned});
  const NodeId plain = made.add("aten.add.Tensor", 4096, {x, same}),
               strided = made.add("aten.add.Tensor", 4096, {x, part});
  const NodeId copied = made.add("aten._to_copy.default", 4096, {same}),
               moved = made.add("aten.clone.default", 4096, {turned});
  const IdVector<NodeId, Work> work = work_of_measured(made.workload(), DataType::BFloat16);
  EXPECT_EQ(work[plain].family, OperatorFamily::Elementwise);
  EXPECT_EQ(work[copied].family, OperatorFamily::Elementwise);
  EXPECT_EQ(work[strided].family, OperatorFamily::Movement);
  EXPECT_EQ(work[moved].family, OperatorFamily::Movement);
}

TEST(MeasuredWork, PointwiseConvolutionsByTheirPlanes) {
  for (const auto& [side, family] : {std::pair{28.0, OperatorFamily::PointwiseConvolution},
                                     {35.0, OperatorFamily::OddConvolution},
                                     {14.0, OperatorFamily::OddConvolution}}) {
    Measured made;
    const double in = 2.0 * 32 * 192 * side * side, out = 2.0 * 32 * 64 * side * side;
    const NodeId x = made.add("input", in, {});
    const NodeId conv = made.add("aten.convolution.default", out, {x}, 2.0 * 64 * 192);
    made.add("aten._native_batch_norm_legit_no_training.default", out + 8 * 64, {conv});
    const NodeId rows = made.add("input", 2.0 * 32 * 64, {}),
                 head = made.add("aten.t.default", 2.0 * 64 * 1000, {}, 128000);
    made.add("aten.addmm.default", 2.0 * 32 * 1000, {rows, head}, 2000);
    const IdVector<NodeId, Work> work = work_of_measured(made.workload(), DataType::BFloat16);
    EXPECT_EQ(work[conv].family, family) << side;
    EXPECT_DOUBLE_EQ(*work[conv].flops, out * 192);
  }
}

TEST(AtenFamilies, ByName) {
  EXPECT_EQ(family_of_aten("aten.addmm.default"), OperatorFamily::MatrixProduct);
  EXPECT_EQ(family_of_aten("aten.convolution_backward.default"), OperatorFamily::Convolution);
  EXPECT_EQ(family_of_aten("aten.native_layer_norm_backward.default"), OperatorFamily::Normalization);
  EXPECT_EQ(family_of_aten("aten._native_batch_norm_legit_functional.default"), OperatorFamily::BatchNormalization);
  EXPECT_EQ(family_of_aten("aten.native_group_norm.default"), OperatorFamily::BatchNormalization);
  EXPECT_EQ(family_of_aten("aten._native_batch_norm_legit_no_training.default"), OperatorFamily::ChannelScaling);
  EXPECT_EQ(family_of_aten("aten.cat.default"), OperatorFamily::Concatenation);
  EXPECT_EQ(family_of_aten("aten.embedding.default"), OperatorFamily::Lookup);
  EXPECT_EQ(family_of_aten("aten.embedding_dense_backward.default"), OperatorFamily::Scatter);
  EXPECT_EQ(family_of_aten("aten._unsafe_index_put.default"), OperatorFamily::Scatter);
  EXPECT_EQ(family_of_aten("aten.view.default"), OperatorFamily::View);
  EXPECT_EQ(family_of_aten("Conv"), OperatorFamily::Other);
}

}  // namespace
}  // namespace partita::detail
