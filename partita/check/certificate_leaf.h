// SPDX-License-Identifier: Apache-2.0
// Do the prices of one leaf prove that no split of its case is within the limit?
#pragma once

#include "partita/check/certificate.h"
#include "partita/check/claim_instance.h"

namespace partita::detail {

struct LeafClaim {
  const std::vector<Certificate::Decision>& decisions;
  const std::vector<Certificate::Class>& classes;
  const std::vector<Certificate::Devices>& devices;
};

CertificateVerdict verify_leaf(const Platform& platform, const ClaimInstance& instance, const LeafClaim& leaf,
                               Budget& budget);

}  // namespace partita::detail
