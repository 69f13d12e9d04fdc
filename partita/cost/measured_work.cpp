// SPDX-License-Identifier: Apache-2.0
#include "partita/cost/measured_work.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "partita/cost/aten_families.h"
#include "partita/cost/convolution_shape.h"

namespace partita::detail {

namespace {

bool is_whole(double value) { return std::abs(value - std::round(value)) <= 1e-6 * std::max(1.0, value); }

// What tensor cores load at once.
constexpr double kAlignedBytes = 16;
constexpr double kAlignedElements = 8;  // of 16 bits

struct Product {
  double rows = 0;
  double flops = 0;
  bool misaligned = false;
};

// From k and the numbers of elements of both factors and of the product.
Product product_of_depth(double k, double a, double b, double product) {
  const double m = a / k, n = b / k;
  const auto misaligned = [](double extent) { return std::fmod(std::round(extent), kAlignedElements) != 0; };
  const bool whole = is_whole(k) && is_whole(m) && is_whole(n);
  return {m, 2 * product * k, whole && (misaligned(k) || misaligned(m) || misaligned(n))};
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

// It makes, beside its planes, numbers for each channel: in training a mean and a deviation of four bytes each and two running ones,
// with stored statistics the two of four bytes, on the way back the gradients of a scale and a shift. A group norm does so for each
// group of channels of each sample, and tells nothing of channels.
double channels_of_norm(const Graph& graph, NodeId v, const std::vector<NodeId>& reads, double element_bytes) {
  const Node& node = graph.nodes[v];
  if (node.op.find("batch_norm") == std::string::npos) return 0;
  double planes = 0;
  for (NodeId from : reads) planes = std::max(planes, graph.nodes[from].output_bytes.value_or(0));
  const bool backward = node.op.find("backward") != std::string::npos;
  const bool stored = family_of_aten(node.op) == OperatorFamily::ChannelScaling;
  const double each = backward ? 2 * element_bytes : stored ? 8 : 8 + 2 * element_bytes;
  const double channels = (node.output_bytes.value_or(0) - planes) / each;
  return channels >= 1 && is_whole(channels) ? std::round(channels) : 0;
}

// Channels of the planes that a node makes, as far as they are known; 0 where they are not. A batch norm says how many it has by the
// statistics that it makes beside its planes; what works on each element, or on each plane, keeps them.
IdVector<NodeId, double> channels_made(const Graph& graph, const IdVector<NodeId, std::vector<NodeId>>& reads,
                                       double element_bytes) {
  IdVector<NodeId, double> channels(graph.nodes.size(), 0);
  for (NodeId v : graph.nodes.all()) {  // makers stand before readers; what stands elsewhere is not known
    const Node& node = graph.nodes[v];
    switch (family_of_aten(node.op)) {
      case OperatorFamily::BatchNormalization:
      case OperatorFamily::ChannelScaling: channels[v] = channels_of_norm(graph, v, reads[v], element_bytes); break;
      case OperatorFamily::View:
      case OperatorFamily::Elementwise:
      case OperatorFamily::Pooling:
        for (NodeId from : reads[v])
          if (channels[v] == 0) channels[v] = channels[from];
        break;
      case OperatorFamily::Concatenation:
        for (NodeId from : reads[v]) {
          if (channels[from] == 0) {
            channels[v] = 0;
            break;
          }
          channels[v] += channels[from];
        }
        break;
      default: break;
    }
  }
  return channels;
}

class Reader {
 public:
  Reader(const Workload& workload, DataType type)
      : graph_(workload.graph),
        element_bytes_(bits_of(type).value_or(32) / 8.0),
        type_(type),
        readers_(graph_.nodes.size()),
        reads_(graph_.nodes.size()) {
    for (const Edge& edge : graph_.edges) {
      reads_[edge.to].push_back(edge.from);
      readers_[edge.from].push_back(edge.to);
    }
    channels_ = channels_made(graph_, reads_, element_bytes_);
    samples_ = samples_in_batch();
  }

  Work work_of(NodeId v) const {
    const Node& node = graph_.nodes[v];
    Work work{.family = family_of_aten(node.op),
              .backward = node.op.find("backward") != std::string::npos,
              .arithmetic = type_,
              .flops = 0,
              .bytes = made(v)};
    for (NodeId from : reads_[v]) *work.bytes += made(from);
    // A scatter is the gradient of a lookup, and the only direction there is.
    if (work.family == OperatorFamily::Scatter) {
      work.backward = false;
      work.items = largest_read(v);  // the gradients
    }
    if (work.family == OperatorFamily::Elementwise && !work.backward &&
        std::ranges::any_of(reads_[v], [this](NodeId from) { return is_strided(from); }))
      work.family = OperatorFamily::Movement;
    if (work.family == OperatorFamily::MatrixProduct) multiply(v, work);
    if (work.family == OperatorFamily::Convolution) convolve(v, work);
    if (work.family == OperatorFamily::Concatenation) work.pieces = static_cast<double>(reads_[v].size());
    if (work.family == OperatorFamily::BatchNormalization || work.family == OperatorFamily::ChannelScaling)
      normalize(v, work);
    if (work.family == OperatorFamily::Pooling) work.items = pooled(v);
    return work;
  }

 private:
  double made(NodeId v) const { return graph_.nodes[v].output_bytes.value_or(0); }
  double elements(double bytes) const { return bytes / element_bytes_; }
  double elements_made(NodeId v) const { return elements(made(v)); }

  // Through views of views.
  bool is_strided(NodeId v) const {
    while (family_of_aten(graph_.nodes[v].op) == OperatorFamily::View) {
      if (makes_strided_view(graph_.nodes[v].op)) return true;
      if (reads_[v].empty()) break;
      v = reads_[v].front();
    }
    return false;
  }

  // The batch divides what a batch norm has of each channel, and the rows that weights multiply. 0 where nothing tells.
  double samples_in_batch() const {
    constexpr double kMost = 1e15;  // beyond which a real number is no count
    std::int64_t divisor = 0;
    const auto count = [&divisor](double number) {
      if (number >= 1 && number < kMost && is_whole(number))
        divisor = std::gcd(divisor, static_cast<std::int64_t>(std::round(number)));
    };
    for (NodeId v : graph_.nodes.all()) {
      const OperatorFamily family = family_of_aten(graph_.nodes[v].op);
      const bool is_norm = family == OperatorFamily::BatchNormalization || family == OperatorFamily::ChannelScaling;
      if (is_norm && channels_[v] > 0) count(largest_read(v) / channels_[v]);
      if (family == OperatorFamily::MatrixProduct) count(rows_of_activations(v));
    }
    return static_cast<double>(divisor);
  }

  double largest_read(NodeId v) const {
    double largest = 0;
    for (NodeId from : reads_[v]) largest = std::max(largest, elements_made(from));
    return largest;
  }

  Product own_product(NodeId v) const {
    return product_with_weights(elements_made(reads_[v][0]), elements(graph_.nodes[v].parts.weights), elements_made(v));
  }

  // Of what weights multiply; 0 where it cannot be told from them. Weights are a node's own, or those of a node that reads nothing.
  double rows_of_activations(NodeId v) const {
    const std::vector<NodeId>& reads = reads_[v];
    if (reads.size() == 1) return own_product(v).rows;
    if (reads.size() != 2) return 0;
    const auto is_weight = [&](NodeId u) { return reads_[u].empty() && graph_.nodes[u].parts.weights > 0; };
    if (is_weight(reads[0]) == is_weight(reads[1])) return 0;
    const auto [weights, given] = is_weight(reads[0]) ? std::pair(reads[0], reads[1]) : std::pair(reads[1], reads[0]);
    return matrix_product(elements_made(given), elements_made(weights), elements_made(v)).rows;
  }

  void multiply(NodeId v, Work& work) const {
    Product product;
    if (reads_[v].size() == 1) {
      *work.bytes += graph_.nodes[v].parts.weights;
      product = own_product(v);
    } else if (reads_[v].size() > 1) {
      std::vector<double> factors;
      for (NodeId from : reads_[v]) factors.push_back(elements_made(from));
      std::ranges::partial_sort(factors, factors.begin() + 2,
                                std::ranges::greater());  // a bias is smaller than both factors
      product = matrix_product(factors[0], factors[1], elements_made(v));
    }
    work.flops = product.flops;
    work.misaligned = product.misaligned;
  }

  struct Convolved {
    double in = 0, weights = 0, out = 0;       // elements; 0: not known
    double channels_in = 0, channels_out = 0;  // likewise
    double times = 1;                          // a gradient is one more convolution for each thing that gets one
  };

  // Reads its input and its weights. Weights that it is the first to use are its own memory.
  Convolved forward_convolution(NodeId v) const {
    const std::vector<NodeId>& reads = reads_[v];
    if (reads.empty()) return {};
    const double weights = reads.size() > 1 ? made(reads[1]) : graph_.nodes[v].parts.weights;
    return {elements_made(reads[0]), elements(weights), elements_made(v), channels_[reads[0]], channels_of_reader(v)};
  }

  // Reads what the convolution read, which was made before, and the gradient of what it made; makes the gradients of what it read, but
  // for that of an image, and of its weights.
  Convolved backward_convolution(NodeId v) const {
    const std::vector<NodeId>& reads = reads_[v];
    if (reads.size() < 2) return {};
    const auto [input, gradient] = std::minmax(reads[0], reads[1]);
    const double in = elements_made(input), all = elements_made(v);
    const bool goes_on = in > 0 && all > in;
    return {in,
            goes_on ? all - in : all,
            elements_made(gradient),
            channels_[input],
            channels_[gradient],
            goes_on ? 2.0 : 1.0};
  }

  void convolve(NodeId v, Work& work) const {
    const Convolved sizes = work.backward ? backward_convolution(v) : forward_convolution(v);
    if (reads_[v].size() == 1) *work.bytes += graph_.nodes[v].parts.weights;
    const std::optional<ConvolutionShape> shape =
        convolution_shape(sizes.in, sizes.weights, sizes.out, sizes.channels_in, sizes.channels_out);
    if (!shape) {
      // Between kernels of one and of nine elements.
      work.flops = sizes.times * 4 * std::sqrt(sizes.in * sizes.weights * sizes.out);
      return;
    }
    work.chain = shape->channels_in * shape->kernel;
    work.flops = sizes.times * 2 * sizes.out * work.chain;
    if (shape->grouped) work.family = OperatorFamily::GroupedConvolution;
    if (shape->grouped || shape->kernel > 1 || shape->strided) return;
    const double plane = samples_ > 0 ? sizes.out / shape->channels_out / samples_ : 0;
    const bool odd = is_whole(plane) && std::fmod(std::round(plane) * element_bytes_, kAlignedBytes) != 0;
    work.family = odd ? OperatorFamily::OddConvolution : OperatorFamily::PointwiseConvolution;
  }

  // Of the batch norm that reads what a convolution makes.
  double channels_of_reader(NodeId v) const {
    for (NodeId reader : readers_[v]) {
      const OperatorFamily family = family_of_aten(graph_.nodes[reader].op);
      if (family == OperatorFamily::BatchNormalization || family == OperatorFamily::ChannelScaling)
        return channels_[reader];
    }
    return 0;
  }

  void normalize(NodeId v, Work& work) const {
    const double given = largest_read(v);
    // For mean and variance it reads what it is given, and again to apply them.
    if (work.family == OperatorFamily::BatchNormalization && !work.backward) *work.bytes += element_bytes_ * given;
    if (channels_[v] == 0) {
      work.chain = elements_of_a_group(v, given);
      return;
    }
    if (work.family == OperatorFamily::BatchNormalization) work.chain = given / channels_[v];
    work.items = samples_ * channels_[v];
  }

  // A group norm makes, beside its planes, a mean and a deviation for each group. On its way back it sums over parts of groups.
  double elements_of_a_group(NodeId v, double given) const {
    const double groups = (elements_made(v) - given) / 2;
    const bool is_forward = graph_.nodes[v].op.find("backward") == std::string::npos;
    return is_forward && groups >= 1 && is_whole(groups) ? given / groups : 0;
  }

  // Elements that a pooling makes; indices that it makes beside them have 8 bytes each.
  double pooled(NodeId v) const {
    const std::string& op = graph_.nodes[v].op;
    const bool indices = op.find("with_indices") != std::string::npos && op.find("backward") == std::string::npos;
    return made(v) / (element_bytes_ + (indices ? 8 : 0));
  }

  const Graph& graph_;
  double element_bytes_;
  DataType type_;
  IdVector<NodeId, std::vector<NodeId>> readers_, reads_;
  IdVector<NodeId, double> channels_;
  double samples_ = 0;
};

}  // namespace

IdVector<NodeId, Work> work_of_measured(const Workload& workload, DataType type) {
  const Reader reader(workload, type);
  IdVector<NodeId, Work> result;
  for (NodeId v : workload.graph.nodes.all()) result.push_back(reader.work_of(v));
  return result;
}

}  // namespace partita::detail
