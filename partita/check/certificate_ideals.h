// SPDX-License-Identifier: Apache-2.0
// Does what the steps of a certificate leave have so few ideals that all chains of them can be gone through, and is none
// within the limit?
#pragma once

#include "partita/check/certificate.h"
#include "partita/check/claim_instance.h"

namespace partita::detail {

// With windows of so many places. Staged splits only, whose cycles have been joined (claim_steps.h).
CertificateVerdict verify_ideals(const Platform& platform, const ClaimInstance& instance, int places, Budget& budget);

}  // namespace partita::detail
