// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/measured_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "partita/cost/aten_families.h"

namespace partita::detail {

namespace {

bool is_whole(double value) { return std::abs(value - std::round(value)) <= 1e-6 * std::max(1.0, value); }

// Tensor cores want rows of 16 bytes.
constexpr double kAlignedElements = 8;

struct Product {
  double flops = 0;
  bool misaligned = false;
};

// From k and the numbers of elements of both factors and of the product.
Product product_of_depth(double k, double a, double b, double product) {
  const double m = a / k, n = b / k;
  const auto misaligned = [](double extent) { return std::fmod(std::round(extent), kAlignedElements) != 0; };
  const bool whole = is_whole(k) && is_whole(m) && is_whole(n);
  return {2 * product * k, whole && (misaligned(k) || misaligned(m) || misaligned(n))};
}

Product matrix_product(double a, double b, double product) {
  if (a <= 0 || b <= 0 || product <= 0) return {};
  return product_of_depth(std::sqrt(a * b / product), a, b, product);
}

// The same where `weights` may hold a bias of n elements beside the k n of the matrix: k (k + 1) = a weights / product.
Product product_with_weights(double a, double weights, double product) {
  if (a <= 0 || weights <= 0 || product <= 0) return {};
  const double k = (std::sqrt(1 + 4 * a * weights / product) - 1) / 2;
  if (k >= 1 && is_whole(k)) return product_of_depth(k, a, weights * k / (k + 1), product);
  return matrix_product(a, weights, product);
}

double convolution(double in, double weights, double out) {
  if (in <= 0 || weights <= 0 || out <= 0) return 0;
  // Sizes often fit several kernels; channels in eights, or the three colours of an image, tell which one was meant.
  const auto usual = [](double channels) { return channels <= 3 || std::fmod(std::round(channels), 8) == 0; };
  for (const bool any : {false, true}) {
    for (double kernel : {1.0, 9.0, 49.0, 25.0, 3.0, 7.0, 5.0, 121.0}) {
      for (double stride_squared : {1.0, 4.0, 16.0}) {
        const double channels_out = std::sqrt(weights / kernel * (out / in) * stride_squared);
        const double channels_in = weights / kernel / channels_out;
        if (channels_out < 1 || !is_whole(channels_out) || channels_in < 1 || !is_whole(channels_in)) continue;
        if (!is_whole(out / channels_out) || !is_whole(in / channels_in)) continue;
        if (any || (usual(channels_in) && usual(channels_out))) return 2 * out * channels_in * kernel;
      }
    }
  }
  return 4 * std::sqrt(in * weights * out);  // between kernels of one and of nine elements
}

class Reader {
 public:
  Reader(const Workload& workload, DataType type)
      : graph_(workload.graph),
        element_bytes_(bits_of(type).value_or(32) / 8.0),
        type_(type),
        reads_(graph_.nodes.size()) {
    for (const Edge& edge : graph_.edges) reads_[edge.to].push_back(graph_.nodes[edge.from].output_bytes.value_or(0));
  }

  Work work_of(NodeId v) const {
    const Node& node = graph_.nodes[v];
    Work work{.family = family_of_aten(node.op),
              .backward = node.op.find("backward") != std::string::npos,
              .arithmetic = type_,
              .flops = 0,
              .bytes = node.output_bytes.value_or(0)};
    for (double bytes : reads_[v]) *work.bytes += bytes;
    // A scatter is the gradient of a lookup, and the only direction there is.
    if (work.family == OperatorFamily::Scatter) work.backward = false;
    // In training it reads what it is given twice: for mean and variance, and to apply them.
    if (node.op.find("batch_norm_legit_functional") != std::string::npos && !reads_[v].empty())
      *work.bytes += std::ranges::max(reads_[v]);
    if (work.family == OperatorFamily::MatrixProduct) multiply(v, work);
    if (work.family == OperatorFamily::Convolution) convolve(v, work);
    return work;
  }

 private:
  void multiply(NodeId v, Work& work) const {
    std::vector<double> reads = reads_[v];
    const double out = elements(graph_.nodes[v].output_bytes.value_or(0));
    Product product;
    if (reads.size() == 1) {
      const double weights = graph_.nodes[v].parts.weights;
      *work.bytes += weights;
      product = product_with_weights(elements(reads[0]), elements(weights), out);
    } else if (reads.size() > 1) {
      std::ranges::partial_sort(reads, reads.begin() + 2,
                                std::ranges::greater());  // a bias is smaller than both factors
      product = matrix_product(elements(reads[0]), elements(reads[1]), out);
    }
    work.flops = product.flops;
    work.misaligned = product.misaligned;
  }

  // Reads its input and its weights, or, on the way back, the gradient of its output, its input and its weights, in this order. Weights
  // that it is the first to use are its own memory.
  void convolve(NodeId v, Work& work) const {
    const Node& node = graph_.nodes[v];
    std::vector<double> reads = reads_[v];
    const std::size_t expected = work.backward ? 3 : 2;
    if (reads.size() + 1 == expected && node.parts.weights > 0) {
      reads.push_back(node.parts.weights);
      *work.bytes += node.parts.weights;
    }
    if (reads.size() < expected) return;
    work.flops = work.backward
                     ? 2 * convolution(elements(reads[1]), elements(reads[2]), elements(reads[0]))
                     : convolution(elements(reads[0]), elements(reads[1]), elements(node.output_bytes.value_or(0)));
  }

  double elements(double bytes) const { return bytes / element_bytes_; }

  const Graph& graph_;
  double element_bytes_;
  DataType type_;
  IdVector<NodeId, std::vector<double>> reads_;
};

}  // namespace

IdVector<NodeId, Work> work_of_measured(const Workload& workload, DataType type) {
  const Reader reader(workload, type);
  IdVector<NodeId, Work> result;
  for (NodeId v : workload.graph.nodes.all()) result.push_back(reader.work_of(v));
  return result;
}

}  // namespace partita::detail
