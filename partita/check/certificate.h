// SPDX-License-Identifier: Apache-2.0
// Does a certificate prove its bound? Decided in integers, from the input graph and the certificate alone.
#pragma once

#include <string>

#include "partita/model/certificate.h"
#include "partita/model/problem.h"
#include "partita/util/budget.h"

namespace partita::detail {

struct CertificateVerdict {
  bool holds = false;
  std::string reason;      // if it does not hold: one line that says why
  bool undecided = false;  // it may hold, but was not checked to the end
};

// Holds: no split of the problem has a largest load of at most certificate.limit. A narrower shape only rules out
// splits, so a claim about free splits is good for every shape, and one about contiguous splits for staged ones; and
// all of them for gpipe, whose values are not below the largest load. For latency: no split takes so long or less for
// one sample; that takes a certificate of its own kind (label_proof.h). Certificates may come from anybody: one that
// cannot be checked within the budget's time and memory (without a budget, 1 GiB) is not accepted. The order of its
// classes matters to speed only.
CertificateVerdict verify(const Problem& problem, const Certificate& certificate, Budget* budget = nullptr);

// "no contiguous split is", "no split of any shape is": of which splits the claim is.
std::string splits_of_claim(const Certificate& certificate);

// One line that says what came of checking it within these limits.
std::string describe_certificate(const Problem& problem, const Certificate& certificate,
                                 const CertificateVerdict& verdict, const Budget::Limits& limits);

}  // namespace partita::detail
