// SPDX-License-Identifier: Apache-2.0
#include "partita/util/version.h"

#include "partita/version.h"

namespace partita::detail {

const char* version() { return PARTITA_VERSION; }

}  // namespace partita::detail
