// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_text.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace partita::detail {
namespace {

[[noreturn]] void fail(const std::string& statement, const std::string& problem) {
  throw std::invalid_argument("graph text: in '" + statement + "': " + problem);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> statements_of(std::string_view text) {
  std::vector<std::string> statements(1);
  bool comment = false;
  for (char c : text) {
    if (c == '#') comment = true;
    if (c == '\n') comment = false;
    if (c == '\n' || (c == ';' && !comment)) {
      statements.emplace_back();
    } else if (!comment) {
      statements.back() += c;
    }
  }
  return statements;
}

double number(const std::string& statement, const std::string& word) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(word, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != word.size()) fail(statement, "'" + word + "' is not a number");
  return value;
}

double time_of(const std::string& statement, const std::string& word) {
  return word == "-" ? kCannotRun : number(statement, word);
}

class Parser {
 public:
  explicit Parser(const Platform& platform) { workload_.platform = platform; }

  void statement(const std::string& text) {
    const std::vector<std::string> words = words_of(text);
    if (words.empty()) return;
    if (std::find(words.begin(), words.end(), "->") != words.end()) {
      edges(text, words);
    } else {
      node(text, words);
    }
  }

  Workload take() { return std::move(workload_); }

 private:
  void node(const std::string& text, const std::vector<std::string>& words) {
    if (words.size() < 3) fail(text, "a node needs a name and two times");
    for (const Node& other : workload_.graph.nodes) {
      if (other.name == words[0]) fail(text, "the node is there already");
    }
    Node node;
    node.name = words[0];
    node.original_id = static_cast<std::int64_t>(workload_.graph.nodes.size()) + 1;
    const double on_accelerator = time_of(text, words[1]);
    const double on_host = time_of(text, words[2]);
    for (const DeviceClass& c : workload_.platform.classes) {
      node.time.push_back(c.kind == DeviceKind::Accelerator ? on_accelerator : on_host);
    }
    double out = 0;
    for (std::size_t i = 3; i < words.size(); ++i) {
      const std::string& word = words[i];
      const std::size_t equals = word.find('=');
      const std::string key = word.substr(0, equals);
      if (word == "back") {
        node.backward = true;
        continue;
      }
      if (equals == std::string::npos) fail(text, "'" + word + "' is not an attribute");
      const double value = number(text, word.substr(equals + 1));
      if (key == "mem") {
        node.memory = value;
      } else if (key == "colour") {
        node.colour = static_cast<std::int64_t>(value);
      } else if (key == "layer") {
        node.layer = static_cast<std::int64_t>(value);
      } else if (key == "id") {
        node.original_id = static_cast<std::int64_t>(value);
      } else if (key == "out") {
        out = value;
      } else {
        fail(text, "'" + key + "' is not an attribute");
      }
    }
    workload_.graph.nodes.push_back(node);
    out_.push_back(out);
  }

  // NAME... "->" NAME..., with further "->" for chains and at the end, perhaps, ":" COST.
  void edges(const std::string& text, std::vector<std::string> words) {
    std::optional<double> cost;
    if (words.size() >= 2 && words[words.size() - 2] == ":") {
      cost = number(text, words.back());
      words.resize(words.size() - 2);
    }
    std::vector<NodeId> sources;
    std::vector<NodeId> current;
    const auto connect = [&] {
      if (current.empty()) fail(text, "a name is missing beside '->'");
      for (NodeId from : sources) {
        for (NodeId to : current) workload_.graph.edges.push_back({from, to, cost ? *cost : out_[from]});
      }
      sources = std::move(current);
      current.clear();
    };
    for (const std::string& word : words) {
      if (word == "->") {
        connect();
      } else {
        current.push_back(node_named(workload_, word));
      }
    }
    connect();
  }

  Workload workload_;
  IdVector<NodeId, double> out_;
};

}  // namespace

Workload graph_from_text(std::string_view text, const Platform& platform) {
  Parser parser(platform);
  for (const std::string& statement : statements_of(text)) parser.statement(statement);
  Workload workload = parser.take();
  workload.name = "text";
  return workload;
}

Workload graph_from_text(std::string_view text, int accelerators, double memory, int hosts) {
  return graph_from_text(text, make_platform(accelerators, memory, hosts));
}

Split split_from_text(const Workload& workload, std::string_view text) {
  Split split{IdVector<NodeId, DeviceId>(workload.graph.nodes.size()), {}};
  if (text.find('/') != std::string_view::npos) split.subgraph_of.assign(workload.graph.nodes.size(), 0);
  DeviceId device(0);
  std::uint32_t subgraph = 0;
  for (const std::string& word : words_of(std::string(text))) {
    if (word == "|") {
      ++device;
      subgraph = 0;
    } else if (word == "/") {
      ++subgraph;
    } else {
      const NodeId v = node_named(workload, word);
      split.device_of[v] = device;
      if (!split.subgraph_of.empty()) split.subgraph_of[v] = subgraph;
    }
  }
  return split;
}

NodeId node_named(const Workload& workload, std::string_view name) {
  for (NodeId v : workload.graph.nodes.all()) {
    if (workload.graph.nodes[v].name == name) return v;
  }
  throw std::invalid_argument("no node is named '" + std::string(name) + "'");
}

}  // namespace partita::detail
