// SPDX-License-Identifier: Apache-2.0
// Small GGUF files, written field by field.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace partita::detail {

class GgufBytes {
 public:
  enum Type : std::uint32_t { kF32 = 0, kF16 = 1, kQ4_0 = 2, kQ8_0 = 8, kQ4_K = 12 };

  GgufBytes& key(const std::string& name, std::uint32_t value) {
    begin_key(name, 4);
    return number(keys_, value), *this;
  }
  GgufBytes& key(const std::string& name, const std::string& value) {
    begin_key(name, 8);
    return text(keys_, value), *this;
  }
  GgufBytes& key(const std::string& name, bool value) {
    begin_key(name, 7);
    return number(keys_, static_cast<std::uint8_t>(value)), *this;
  }
  GgufBytes& key(const std::string& name, float value) {
    begin_key(name, 6);
    return number(keys_, value), *this;
  }
  GgufBytes& list(const std::string& name, const std::vector<std::uint32_t>& values) {
    begin_key(name, 9);
    number(keys_, std::uint32_t{4});
    number(keys_, std::uint64_t{values.size()});
    for (std::uint32_t value : values) number(keys_, value);
    return *this;
  }
  GgufBytes& list(const std::string& name, const std::vector<std::string>& values) {
    begin_key(name, 9);
    number(keys_, std::uint32_t{8});
    number(keys_, std::uint64_t{values.size()});
    for (const std::string& value : values) text(keys_, value);
    return *this;
  }

  // Extents with the fastest first, as files have them.
  GgufBytes& tensor(const std::string& name, const std::vector<std::uint64_t>& extents, Type type = kF32) {
    text(tensors_, name);
    number(tensors_, static_cast<std::uint32_t>(extents.size()));
    std::uint64_t elements = 1;
    for (std::uint64_t extent : extents) {
      number(tensors_, extent);
      elements *= extent;
    }
    number(tensors_, static_cast<std::uint32_t>(type));
    number(tensors_, data_bytes_);
    data_bytes_ += (bytes_of(elements, type) + 31) / 32 * 32;
    ++tensor_count_;
    return *this;
  }

  std::string header(std::uint32_t version = 3) const {
    std::string out = "GGUF";
    number(out, version);
    number(out, tensor_count_);
    number(out, key_count_);
    return out + keys_ + tensors_;
  }
  std::string file() const {
    std::string out = header();
    out.resize((out.size() + 31) / 32 * 32 + data_bytes_, '\0');
    return out;
  }

  static std::uint64_t bytes_of(std::uint64_t elements, Type type) {
    switch (type) {
      case kF32: return elements * 4;
      case kF16: return elements * 2;
      case kQ4_0: return elements / 32 * 18;
      case kQ8_0: return elements / 32 * 34;
      case kQ4_K: return elements / 256 * 144;
    }
    return 0;
  }

  template <class T>
  static void number(std::string& out, T value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    out.append(bytes, sizeof(T));
  }
  static void text(std::string& out, const std::string& value) {
    number(out, std::uint64_t{value.size()});
    out += value;
  }

 private:
  void begin_key(const std::string& name, std::uint32_t type) {
    text(keys_, name);
    number(keys_, type);
    ++key_count_;
  }

  std::string keys_;
  std::string tensors_;
  std::uint64_t key_count_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t data_bytes_ = 0;
};

// Two layers as wide as 64, of 4 heads of which 2 have keys and values.
inline GgufBytes tiny_llama_keys(const std::string& architecture = "llama") {
  GgufBytes file;
  file.key("general.architecture", architecture)
      .key("general.quantized", true)
      .key(architecture + ".block_count", std::uint32_t{2})
      .key(architecture + ".embedding_length", std::uint32_t{64})
      .key(architecture + ".feed_forward_length", std::uint32_t{96})
      .key(architecture + ".attention.head_count", std::uint32_t{4})
      .key(architecture + ".attention.head_count_kv", std::uint32_t{2})
      .key(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f)
      .list("tokenizer.ggml.tokens", std::vector<std::string>{"<s>", "a", "b"});
  return file;
}

inline GgufBytes tiny_llama() {
  GgufBytes file = tiny_llama_keys();
  file.tensor("token_embd.weight", {64, 100}, GgufBytes::kQ8_0);
  for (int i = 0; i < 2; ++i) {
    const std::string layer = "blk." + std::to_string(i) + ".";
    file.tensor(layer + "attn_norm.weight", {64})
        .tensor(layer + "attn_q.weight", {64, 64}, GgufBytes::kQ4_0)
        .tensor(layer + "attn_k.weight", {64, 32}, GgufBytes::kQ4_0)
        .tensor(layer + "attn_v.weight", {64, 32}, GgufBytes::kQ4_0)
        .tensor(layer + "attn_output.weight", {64, 64}, GgufBytes::kQ4_0)
        .tensor(layer + "ffn_norm.weight", {64})
        .tensor(layer + "ffn_gate.weight", {64, 96}, GgufBytes::kQ4_0)
        .tensor(layer + "ffn_up.weight", {64, 96}, GgufBytes::kQ4_0)
        .tensor(layer + "ffn_down.weight", {96, 64}, GgufBytes::kQ4_0);
  }
  file.tensor("output_norm.weight", {64}).tensor("output.weight", {64, 100}, GgufBytes::kQ8_0);
  file.tensor("rope_freqs.weight", {8});
  return file;
}

}  // namespace partita::detail
