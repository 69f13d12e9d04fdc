// SPDX-License-Identifier: Apache-2.0
// From groups and nets, which only this program knows, to node ids, which the input file has.
#pragma once

#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/solve/configuration/configuration_lp.h"

namespace partita::detail {

// The proof in terms of the input file: classes, transfers and points by original node ids. With an order it is about
// contiguous splits, without one about all.
Certificate make_certificate(const Problem& problem, const FreeInstance& instance, const ProofTree& proof,
                             const NodeOrder* order = nullptr);

}  // namespace partita::detail
