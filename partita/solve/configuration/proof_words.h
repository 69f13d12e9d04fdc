// SPDX-License-Identifier: Apache-2.0
// What the configuration LP proved, in the words of a certificate: whoever asked it knows what groups and points
// are called in the input file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "partita/model/certificate.h"
#include "partita/solve/configuration/configuration_lp.h"

namespace partita::detail {

struct ProofWords {
  std::function<std::int64_t(GroupId)> node;   // of a group: the original id of any node of its
  std::function<std::int64_t(PointId)> point;  // likewise
  std::vector<std::string> classes;            // names, in the order of the proof's devices
};

// Its leaves; of a single one without decisions prices and devices are the certificate's own.
void write_proof(const ProofTree& proof, const ProofWords& words, Certificate& certificate);

}  // namespace partita::detail
