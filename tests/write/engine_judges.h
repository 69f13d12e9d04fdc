// SPDX-License-Identifier: Apache-2.0
// What engines make of their settings, written anew from their sources and documents (docs/engines.md names them), so
// that a test can see where the layers land. Each throws std::invalid_argument where the engine would refuse.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace partita::detail::test {

// The words of one command line, as a POSIX shell splits it: quotes, escapes, lines that go on. No expansion.
std::vector<std::string> shell_words(const std::string& line);

// The lines of a script that are no comments, joined where they go on.
std::vector<std::string> script_lines(const std::string& text);

// The word behind an option.
std::string option_value(const std::vector<std::string>& words, const std::string& option);

std::vector<std::string> list_of(const std::string& text, char between);

// vLLM: the layers [first, end) of each rank.
std::vector<std::pair<int, int>> vllm_ranges(const std::string& partition, int layers, int stages);

// llama.cpp: the device of each layer and, last, of the output; "CPU" for the host.
std::vector<std::string> llama_devices(const std::vector<std::string>& words, int layers);

// llama.cpp: the device of a tensor whose layer is on `otherwise`.
std::string llama_tensor_device(const std::vector<std::string>& words, const std::string& tensor,
                                const std::string& otherwise);

// Megatron: for each rank its letters, as in "Ettt".
std::vector<std::string> megatron_ranks(const std::string& layout, int stages, int layers);

// accelerate: the entry of the longest name that is the parameter's or begins it at a dot; empty where there is none.
std::string accelerate_device(const std::map<std::string, std::string>& device_map, const std::string& parameter);

// ONNX Runtime: the device whose rule has the longest pattern in the name; empty where there is none.
std::string onnxruntime_device(const std::string& rules, const std::string& node);

}  // namespace partita::detail::test
