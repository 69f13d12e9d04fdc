// SPDX-License-Identifier: Apache-2.0
// Reads a certificate written by Partita (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "partita/model/certificate.h"
#include "partita/read/read_options.h"

namespace partita::detail {

// `path` may be "-" for standard input. Throws InputError when the file is no certificate; whether it holds is for
// `check`.
Certificate read_certificate(const std::string& path, const ReadOptions& options = {});
Certificate parse_certificate(std::string_view bytes, const std::string& source, const ReadOptions& options = {});

}  // namespace partita::detail
