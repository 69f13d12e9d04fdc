// SPDX-License-Identifier: Apache-2.0
#include "partita/read/profile.h"

#include "partita/read/bytes.h"
#include "partita/read/profile_csv.h"
#include "partita/read/profile_measurement.h"
#include "partita/read/profile_names.h"
#include "partita/read/profile_onnxruntime.h"
#include "partita/read/profile_tensorrt.h"
#include "partita/util/error.h"

namespace partita {

using namespace detail;

namespace {

// '\0' where there is nothing.
char first_of(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? '\0' : text[begin];
}

}  // namespace

Profile parse_profile(std::string_view text, const std::string& source, const Network& network) {
  const ProfileNames names(network);
  const char first = first_of(text);
  if (first == '{') return parse_measurement(text, source, names);
  if (first != '[') return parse_csv_profile(text, source, names);
  // Both are lists of objects: an event of ONNX Runtime has a phase and a category, a layer of TensorRT has neither.
  constexpr std::size_t kBeginning = 4096;
  const std::string_view beginning = text.substr(0, kBeginning);
  return beginning.find("\"cat\"") != std::string_view::npos ? parse_onnxruntime_profile(text, source, names)
                                                             : parse_tensorrt_profile(text, source, names);
}

Profile read_profile(const std::string& path, const Network& network) {
  const std::string source = source_name(path);
  const std::string text = read_to_end(*unpacked(file_source(path), source), source);
  return parse_profile(text, source, network);
}

}  // namespace partita
