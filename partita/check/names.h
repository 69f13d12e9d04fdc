// SPDX-License-Identifier: Apache-2.0
// How nodes, edges and numbers are written for people: by original id, on one line, short.
#pragma once

#include <string>
#include <vector>

#include "partita/model/graph.h"

namespace partita::detail {

// "17", or "17 (conv1)" where the node has a name. Names are cut to a few dozen characters and made visible.
std::string node_text(const Graph& graph, NodeId node);

// "3 (a), 4 (b), 9 (c) and 12 more".
std::string node_list(const Graph& graph, const std::vector<NodeId>& nodes);
std::string id_list(const std::vector<std::int64_t>& original_ids);

// "1 node", "3 nodes".
std::string counted(std::size_t count, const std::string& noun);
std::string counted(std::size_t count, const std::string& one, const std::string& several);

// "17 -> 23".
std::string edge_text(const Graph& graph, const Edge& edge);

// "11.2 GiB", "512.0 MiB", "17 B".
std::string human_bytes(double bytes);

// A limit of memory, as somebody chose it: "16 GiB", "512 MiB", "100 bytes".
std::string memory_text(double bytes);

// "0 %", "3.21 %", "0.00012 %": never rounded to 0 when it is not.
std::string percent_text(double fraction);

// "0.2 ms", "12 ms", "1.23 s", "61.0 s": three digits are enough to compare times.
std::string seconds_text(double seconds);

// Items joined by a separator; a long list keeps its beginning and its end around "... (12 more) ...".
std::string joined_in_short(const std::vector<std::string>& items, const std::string& separator);

}  // namespace partita::detail
