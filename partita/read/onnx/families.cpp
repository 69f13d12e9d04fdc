// SPDX-License-Identifier: Apache-2.0
#include "partita/read/onnx/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace partita::detail::onnx {

namespace {

using enum OperatorFamily;

struct Row {
  OperatorFamily family;
  std::string_view kinds;  // separated by blanks; those of other domains with the domain before them
};

constexpr Row kTable[] = {
    {MatrixProduct,
     "MatMul Gemm Einsum MatMulInteger QLinearMatMul com.microsoft:MatMulIntegerToFloat "
     "com.microsoft:DynamicQuantizeMatMul "
     "com.microsoft:FusedMatMul com.microsoft:TransposeMatMul com.microsoft:FusedGemm com.microsoft:MatMulNBits "
     "com.microsoft:MatMulFpQ4 com.microsoft:MatMulBnb4 com.microsoft:MoE com.microsoft:QMoE"},
    {Convolution,
     "Conv ConvInteger QLinearConv ConvTranspose DeformConv CausalConvWithState com.microsoft:FusedConv "
     "com.microsoft:NhwcFusedConv com.microsoft.nchwc:Conv"},
    {Attention,
     "Attention LinearAttention ai.onnx.preview:FlexAttention com.microsoft:Attention com.microsoft:MultiHeadAttention "
     "com.microsoft:GroupQueryAttention "
     "com.microsoft:PagedAttention com.microsoft:SparseAttention com.microsoft:PackedAttention "
     "com.microsoft:PackedMultiHeadAttention com.microsoft:DecoderMaskedMultiHeadAttention com.microsoft:QAttention "
     "com.microsoft:LongformerAttention"},
    {Recurrent, "LSTM GRU RNN com.microsoft:DynamicQuantizeLSTM"},
    {Normalization,
     "LayerNormalization RMSNormalization LpNormalization SimplifiedLayerNormalization "
     "com.microsoft:LayerNormalization "
     "com.microsoft:SimplifiedLayerNormalization com.microsoft:SkipLayerNormalization "
     "com.microsoft:SkipSimplifiedLayerNormalization com.microsoft:EmbedLayerNormalization ai.onnx.ml:Normalizer"},
    {BatchNormalization,
     "InstanceNormalization GroupNormalization MeanVarianceNormalization LRN "
     "com.microsoft:GroupNorm "
     "com.microsoft:SkipGroupNorm"},
    {ChannelScaling, "BatchNormalization"},
    {Softmax, "Softmax LogSoftmax Hardmax com.microsoft:QLinearSoftmax"},
    {Elementwise,
     "Abs Acos Acosh Add And Asin Asinh Atan Atanh Bernoulli BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Cast "
     "CastLike BitCast Ceil Celu Clip Cos Cosh CumSum CumProd DequantizeLinear Div DynamicQuantizeLinear Elu Equal Erf "
     "Exp "
     "Floor Gelu Greater GreaterOrEqual HardSigmoid HardSwish IsInf IsNaN LeakyRelu Less LessOrEqual Log Max Mean Min "
     "Mish "
     "Mod Mul Neg Not Or PRelu Pow QuantizeLinear Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus "
     "Softsign "
     "Sqrt Sub Sum SwiGLU Swish Tan Tanh ThresholdedRelu Where Xor ImageScaler ScaledTanh ParametricSoftplus "
     "RotaryEmbedding "
     "Det "
     "com.microsoft:BiasGelu com.microsoft:FastGelu com.microsoft:Gelu com.microsoft:QuickGelu "
     "com.microsoft:BiasSplitGelu "
     "com.microsoft:RotaryEmbedding com.microsoft:QuantizeLinear com.microsoft:DequantizeLinear "
     "com.microsoft:QLinearAdd "
     "com.microsoft:QLinearMul com.microsoft:QLinearSigmoid com.microsoft:QLinearLeakyRelu RandomNormal "
     "RandomNormalLike "
     "RandomUniform RandomUniformLike Multinomial ai.onnx.ml:Binarizer ai.onnx.ml:Scaler ai.onnx.ml:Imputer "
     "ai.onnx.preview.training:Adam ai.onnx.preview.training:Adagrad ai.onnx.preview.training:Momentum"},
    {Reduction,
     "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum "
     "ReduceSumSquare "
     "ArgMax ArgMin TopK NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss Unique NonMaxSuppression"},
    {Pooling,
     "AveragePool MaxPool LpPool GlobalAveragePool GlobalMaxPool GlobalLpPool MaxRoiPool RoiAlign "
     "com.microsoft:QLinearGlobalAveragePool com.microsoft:QLinearAveragePool com.microsoft.nchwc:MaxPool "
     "com.microsoft.nchwc:AveragePool com.microsoft.nchwc:GlobalMaxPool com.microsoft.nchwc:GlobalAveragePool"},
    {Lookup,
     "Gather GatherElements GatherND OneHot NonZero Compress com.microsoft:GatherBlockQuantized "
     "com.microsoft:GatherND"},
    {Scatter, "Scatter ScatterElements ScatterND TensorScatter"},
    {Movement,
     "Transpose Split Slice Pad Expand Tile Resize Upsample DepthToSpace SpaceToDepth MaxUnpool ReverseSequence "
     "Trilu GridSample AffineGrid CenterCropPad Col2Im ConstantOfShape Range EyeLike Shape Size HannWindow "
     "HammingWindow "
     "BlackmanWindow MelWeightMatrix SequenceConstruct SequenceEmpty SequenceInsert SequenceErase SequenceAt "
     "SequenceLength SplitToSequence ConcatFromSequence Optional OptionalGetElement OptionalHasElement Constant "
     "StringNormalizer StringConcat StringSplit RegexFullMatch TfIdfVectorizer ImageDecoder "
     "com.microsoft.nchwc:ReorderInput com.microsoft.nchwc:ReorderOutput com.microsoft.nchwc:Upsample"},
    {Concatenation, "Concat"},
    {View, "Reshape Squeeze Unsqueeze Flatten Identity Dropout"},
    {Control, "If Loop Scan SequenceMap"},
    {Other,
     "DFT STFT ai.onnx.ml:ArrayFeatureExtractor ai.onnx.ml:CastMap ai.onnx.ml:CategoryMapper ai.onnx.ml:DictVectorizer "
     "ai.onnx.ml:FeatureVectorizer ai.onnx.ml:LabelEncoder ai.onnx.ml:LinearClassifier ai.onnx.ml:LinearRegressor "
     "ai.onnx.ml:OneHotEncoder ai.onnx.ml:SVMClassifier ai.onnx.ml:SVMRegressor ai.onnx.ml:TreeEnsemble "
     "ai.onnx.ml:TreeEnsembleClassifier ai.onnx.ml:TreeEnsembleRegressor ai.onnx.ml:ZipMap "
     "ai.onnx.preview.training:Gradient"},
};

std::unordered_map<std::string_view, OperatorFamily> table() {
  std::unordered_map<std::string_view, OperatorFamily> made;
  for (const Row& row : kTable) {
    std::string_view kinds = row.kinds;
    while (!kinds.empty()) {
      const std::size_t end = kinds.find(' ');
      made.emplace(kinds.substr(0, end), row.family);
      kinds = end == std::string_view::npos ? std::string_view() : kinds.substr(end + 1);
    }
  }
  return made;
}

bool is_computed(const FlatModel& model, const FlatNode& node, std::size_t input) {
  if (input >= node.inputs.size() || !node.inputs[input].valid()) return false;
  const Value& value = model.values[node.inputs[input]];
  return !value.is_constant() && !value.fixed;
}

std::int64_t number_of(const FlatNode& node, std::string_view attribute, std::int64_t otherwise) {
  const AttributeView* found = find_attribute(node, attribute);
  return found != nullptr && found->i ? *found->i : otherwise;
}

bool all_ones(const std::vector<std::int64_t>& extents) {
  return std::ranges::all_of(extents, [](std::int64_t extent) { return extent == 1; });
}

// By its groups, its kernel, which the attribute or the weights tell, and its strides.
OperatorFamily convolution_family(const FlatModel& model, const FlatNode& node) {
  const bool is_plain = node.kind() == "Conv" || node.kind() == "FusedConv" || node.kind() == "ConvInteger" ||
                        node.kind() == "QLinearConv";
  if (!is_plain && node.kind() != "ConvTranspose") return Convolution;
  if (number_of(node, "group", 1) > 1) return GroupedConvolution;
  const std::size_t weights = node.kind() == "QLinearConv" ? 3 : 1;
  if (!is_plain || weights >= node.inputs.size() || !node.inputs[weights].valid()) return Convolution;
  const Shape& shape = model.values[node.inputs[weights]].shape;
  if (!shape || shape->size() < 3) return Convolution;
  const AttributeView* strides = find_attribute(node, "strides");
  const bool pointwise =
      all_ones({shape->begin() + 2, shape->end()}) && (strides == nullptr || all_ones(strides->ints));
  return pointwise ? PointwiseConvolution : Convolution;
}

// Older opsets say by further outputs that they compute statistics.
bool computes_statistics(const FlatNode& node) {
  return number_of(node, "training_mode", 0) != 0 || node.outputs.size() > 1;
}

}  // namespace

OperatorFamily family_of(const FlatModel& model, const FlatNode& node) {
  static const std::unordered_map<std::string_view, OperatorFamily> families = table();
  const auto at = node.domain().empty() ? families.find(node.kind())
                                        : families.find(fmt::format("{}:{}", node.domain(), node.kind()));
  if (at == families.end()) return Other;
  const bool two_operands = node.kind() == "MatMul" || node.kind() == "Einsum" || node.kind() == "FusedMatMul" ||
                            node.kind() == "TransposeMatMul" || node.kind() == "MatMulInteger";
  if (two_operands && is_computed(model, node, 0) && is_computed(model, node, 1)) return Attention;
  if (at->second == Convolution) return convolution_family(model, node);
  if (at->second == ChannelScaling && computes_statistics(node)) return BatchNormalization;
  return at->second;
}

bool is_known_domain(std::string_view domain) {
  return domain.empty() || domain == "com.microsoft" || domain == "com.microsoft.nchwc" || domain == "ai.onnx.ml" ||
         domain == "ai.onnx.preview" || domain == "ai.onnx.preview.training";
}

}  // namespace partita::detail::onnx
