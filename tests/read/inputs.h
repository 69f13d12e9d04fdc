// SPDX-License-Identifier: Apache-2.0
// Small inputs for the readers' tests, and how to ask for the error that one of them deserves.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <optional>
#include <string>
#include <string_view>

#include "partita/util/error.h"

namespace partita::detail {

// Two forward nodes, one backward node, every optional field used somewhere.
inline const std::string kSmallWorkload = R"({
  "name": "small", "maxFPGAs": 2, "maxCPUs": 1, "maxSizePerFPGA": 100.0,
  "nodes": [
    {"id": 7, "name": "first", "supportedOnFpga": 1, "cpuLatency": 4, "fpgaLatency": 0.5,
     "isBackwardNode": 0, "colorClass": 3, "size": 10.0},
    {"id": 2, "supportedOnFpga": true, "cpuLatency": 2.5, "fpgaLatency": 1},
    {"id": 40, "name": "grad", "supportedOnFpga": false, "cpuLatency": 1e1,
     "isBackwardNode": true, "colorClass": 3, "op": "extra"}
  ],
  "edges": [
    {"sourceId": 7, "destId": 2, "cost": 0.25, "size": 1024},
    {"sourceId": 2, "destId": 40, "cost": 3}
  ],
  "meta": {"unit": "ms", "list": [1, [2, {}]]}
})";

// Two classes of accelerators and one of hosts, clusters in clusters, every optional field used somewhere.
inline const std::string kSmallPlatform = R"({
  "version": 1,
  "classes": [
    {"name": "fast", "kind": "accelerator", "memory": 100, "count": 5},
    {"name": "slow", "kind": "accelerator", "memory": 50.5, "timeFactor": 2, "linkFactor": 1.5},
    {"name": "cpu", "kind": "host", "memory": 4096}
  ],
  "clusters": {
    "devices": {"cpu": 1, "fast": 1},
    "clusters": [
      {"factor": 0.5, "count": 2, "devices": {"slow": 1}, "clusters": [{"factor": 0.25, "devices": {"fast": 2}}]},
      {"factor": 0.75, "devices": {"slow": 3, "cpu": 1}}
    ]
  },
  "syncBandwidth": 1.2e7
})";

// Nodes that say more than the paper's, on that platform.
inline const std::string kPlatformWorkload = R"({
  "name": "unequal", "platform": )" + kSmallPlatform +
                                             R"(,
  "nodes": [
    {"id": 1, "fpgaLatency": 3, "cpuLatency": 30, "size": 10},
    {"id": 2, "latency": {"fast": 1, "slow": null, "cpu": 8.5}, "weights": 7, "optimizerState": 14, "activation": 2,
     "recomputeActivation": 0.5, "recomputeShare": 0.75},
    {"id": 3, "latency": {"slow": 4}, "supportedOnFpga": false, "cpuLatency": 9, "size": 12, "activation": 5,
     "isBackwardNode": true}
  ],
  "edges": [{"sourceId": 1, "destId": 2, "cost": 0.25}, {"sourceId": 2, "destId": 3, "cost": 0.5}]
})";

inline const std::string kSmallPlan = R"({
  "partita": {"format": "plan", "version": 1, "program_version": "0.1.0"},
  "workload": "small", "status": "optimal", "value": 12.5, "bound": 12.5,
  "devices": [
    {"name": "host 0", "kind": "host", "index": 0, "stage": 0, "load": 10, "nodes": [40]},
    {"name": "accelerator 2", "kind": "accelerator", "index": 2, "stage": 1, "load": 1.5, "nodes": [7, 2.0],
     "subgraphs": [[2], [7]]},
    {"name": "accelerator 0", "kind": "accelerator", "index": 0, "stage": null, "load": 0, "nodes": []}
  ],
  "assignment": {"40": 0, "7": 1, "2": 1}
})";

inline const std::string kSmallSeed = R"({
  "fpgas": [{"load": 1.5, "nodes": [7, 2]}, {"load": 0.0, "nodes": []}],
  "cpus": [{"load": 10.0, "nodes": [40]}],
  "maxLoad": 10.0
})";

// The text with its first `from` replaced by `to`; the text must hold it.
inline std::string with(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the test's own input lacks " << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

inline std::string gzipped(std::string_view plain, int level = 6) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// The error that `action` throws; fails the test when there is none, or when it is more than one line.
template <class Action>
InputError error_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error;
  }
  ADD_FAILURE() << "no InputError was thrown";
  return {ErrorKind::Usage, "", "nothing was thrown"};
}

}  // namespace partita::detail

// That `error` is of this kind and says all these words.
#define EXPECT_SAYS(error, expected_kind, ...)                                                \
  do {                                                                                        \
    const ::partita::InputError& said = (error);                                              \
    EXPECT_EQ(static_cast<int>(said.kind()), static_cast<int>(expected_kind)) << said.what(); \
    for (const char* words : {__VA_ARGS__}) {                                                 \
      EXPECT_NE(std::string(said.what()).find(words), std::string::npos)                      \
          << "no '" << words << "' in: " << said.what();                                      \
    }                                                                                         \
  } while (false)
