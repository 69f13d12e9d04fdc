// SPDX-License-Identifier: Apache-2.0
#include "tests/write/engine_judges.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <stdexcept>

namespace partita::detail::test {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\r"), end = text.find_last_not_of(" \t\n\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

}  // namespace

std::vector<std::string> list_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(between); end != std::string::npos; end = text.find(between, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\'' && c != '\'') {
      word += c;
    } else if (quote == c && c != 0) {
      quote = 0;
    } else if (c == '\\' && i + 1 < line.size()) {
      if (line[++i] != '\n') {
        word += line[i];
        in_word = true;
      }
    } else if (quote == '"') {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else if (std::string("|&;<>()*?[]#~`").find(c) != std::string::npos) {
      refuse(std::string("the shell would not take this for itself: ") + c);
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) refuse("a quote that does not end");
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> script_lines(const std::string& text) {
  std::vector<std::string> lines;
  bool goes_on = false;
  for (const std::string& line : list_of(text, '\n')) {
    if (goes_on) {
      lines.back() += "\n" + line;
    } else if (!line.empty() && line.front() != '#') {
      lines.push_back(line);
    } else {
      continue;
    }
    goes_on = line.ends_with('\\');
  }
  return lines;
}

std::string option_value(const std::vector<std::string>& words, const std::string& option) {
  const auto found = std::ranges::find(words, option);
  if (found == words.end() || found + 1 == words.end()) refuse("there is no " + option);
  return *(found + 1);
}

std::vector<std::pair<int, int>> vllm_ranges(const std::string& partition, int layers, int stages) {
  std::vector<int> counts;
  for (const std::string& count : list_of(partition, ',')) counts.push_back(std::stoi(count));
  if (static_cast<int>(counts.size()) != stages) refuse("as many counts as stages");
  std::vector<std::pair<int, int>> ranges;
  int first = 0;
  for (const int count : counts) {
    ranges.emplace_back(first, first + count);
    first += count;
  }
  if (first != layers) refuse("counts that add up to the layers");
  return ranges;
}

// load_tensors in src/llama-model.cpp, in the same single precision.
std::vector<std::string> llama_devices(const std::vector<std::string>& words, int layers) {
  const int on_devices = std::stoi(option_value(words, "-ngl"));
  std::vector<std::string> devices;
  std::vector<float> splits;
  if (std::ranges::find(words, "-dev") != words.end()) {
    devices = list_of(option_value(words, "-dev"), ',');
    if (option_value(words, "-sm") != "layer") refuse("split mode");
    for (const std::string& share : list_of(option_value(words, "-ts"), ',')) splits.push_back(std::stof(share));
    if (splits.size() != devices.size()) refuse("a share for each device");
  }
  float sum = 0;
  for (float& split : splits) {
    sum += split;
    split = sum;
  }
  for (float& split : splits) split /= sum;
  const int start = std::max(layers + 1 - on_devices, 0);
  const int active = devices.empty() ? 0 : std::min(on_devices, layers + 1);
  std::vector<std::string> placed;
  for (int il = 0; il <= layers; ++il) {
    if (il < start || il - start >= active) {
      placed.emplace_back("CPU");
      continue;
    }
    const float place = static_cast<float>(il - start) / static_cast<float>(active);
    const auto found = std::upper_bound(splits.begin(), splits.end(), place);
    placed.push_back(devices.at(static_cast<std::size_t>(found - splits.begin())));
  }
  return placed;
}

std::string llama_tensor_device(const std::vector<std::string>& words, const std::string& tensor,
                                const std::string& otherwise) {
  if (std::ranges::find(words, "-ot") == words.end()) return otherwise;
  for (const std::string& entry : list_of(option_value(words, "-ot"), ',')) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) refuse("pattern=device");
    if (std::regex_search(tensor, std::regex(entry.substr(0, equals)))) return entry.substr(equals + 1);
  }
  return otherwise;
}

std::vector<std::string> megatron_ranks(const std::string& layout, int stages, int layers) {
  std::string text;
  for (const char c : layout)
    if (c != ',') text += c;
  const auto unroll = [&text](const std::regex& pattern) {
    std::string unrolled;
    std::smatch match;
    while (std::regex_search(text, match, pattern)) {
      unrolled += match.prefix();
      for (int i = 0; i < std::stoi(match[2]); ++i) unrolled += match[1];
      text = match.suffix();
    }
    text = unrolled + text;
  };
  unroll(std::regex(R"(\(([^)]+)\)\*(\d+))"));
  unroll(std::regex(R"((.)\*(\d+))"));
  std::vector<std::string> rows = list_of(text, '|');
  if (static_cast<int>(rows.size()) != stages) refuse("as many stages as ranks");
  std::string flat;
  for (const std::string& row : rows) flat += row;
  if (flat.find_first_not_of("EtmL") != std::string::npos) refuse("letters");
  if (flat.front() != 'E' || flat.back() != 'L') refuse("E first, L last");
  if (std::ranges::count(flat, 'E') != 1 || std::ranges::count(flat, 'L') != 1) refuse("one E, one L");
  if (std::ranges::count(flat, 't') != layers) refuse("as many t as layers");
  return rows;
}

std::string accelerate_device(const std::map<std::string, std::string>& device_map, const std::string& parameter) {
  std::string name = parameter;
  while (true) {
    const auto found = device_map.find(name);
    if (found != device_map.end()) return found->second;
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) return "";
    name.resize(dot);
  }
}

std::string onnxruntime_device(const std::string& rules, const std::string& node) {
  std::string best_device, best_pattern;
  for (const std::string& entry : list_of(rules, ';')) {
    const std::size_t open = entry.find('('), close = entry.find(')');
    if (open == std::string::npos || close == std::string::npos || close < open) refuse("device(patterns)");
    for (const std::string& item : list_of(entry.substr(open + 1, close - open - 1), ',')) {
      const std::string pattern = trimmed(item);
      if (pattern.starts_with('=')) refuse("no exact patterns");
      if (pattern.empty() || node.find(pattern) == std::string::npos) continue;
      if (pattern.size() <= best_pattern.size()) continue;
      best_pattern = pattern;
      best_device = trimmed(entry.substr(0, open));
    }
  }
  return best_device;
}

}  // namespace partita::detail::test
