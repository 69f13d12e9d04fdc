// SPDX-License-Identifier: Apache-2.0
// Reads the header of a GGUF file (versions 2 and 3): keys, and names, shapes and sizes of the tensors. The weights
// themselves are not touched.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "partita/model/network.h"
#include "partita/read/checkpoint.h"
#include "partita/read/transformer_options.h"

namespace partita::detail {

// What a key says. Lists of texts and of fractions are passed over, but for how long they are.
struct GgufList {
  std::uint64_t length = 0;
  std::vector<std::int64_t> integers;  // all of them, or none
};
using GgufValue = std::variant<std::int64_t, double, bool, std::string, GgufList>;

struct GgufHeader {
  std::map<std::string, GgufValue> keys;
  std::vector<StoredTensor> tensors;
  bool has_data = true;  // false: the file ends where the weights would begin

  // Each throws InputError where the key is there with another type; none where it is not there.
  std::optional<std::int64_t> integer(const std::string& key, const std::string& source) const;
  std::optional<std::string> text(const std::string& key, const std::string& source) const;
};

bool looks_like_gguf(std::string_view beginning);

// `source` is the name used in error messages. Every length is checked against what is there before it is used; throws
// InputError for a header that says more than the file has.
GgufHeader parse_gguf_header(std::string_view bytes, const std::string& source);

// The network that the keys describe, with weights of the stored sizes. Files of a split model are found beside each
// other. Throws InputError, also for an architecture that is not known.
Network read_gguf(const std::string& path, const TransformerOptions& options = {});
Network parse_gguf(std::string_view bytes, const std::string& source, const TransformerOptions& options = {});

}  // namespace partita::detail
