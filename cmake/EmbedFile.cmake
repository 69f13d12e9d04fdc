# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUT=file -DOUTPUT=source.cpp -DHEADER=partita/....h -DFUNCTION=name -P EmbedFile.cmake
#
# Writes a C++ source that holds the bytes of a file: std::string_view partita::detail::name(). Bytes as numbers are the one form
# that every compiler and target takes: string literals have limits of length and rules of encoding, and .incbin differs
# between assemblers.
file(READ "${INPUT}" bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE "${OUTPUT}" "// Made from ${INPUT} by cmake/EmbedFile.cmake.
#include \"${HEADER}\"

namespace partita::detail {
namespace {

constexpr unsigned char k_${FUNCTION}_bytes[] = {
${bytes}};

}  // namespace

std::string_view ${FUNCTION}() { return {reinterpret_cast<const char*>(k_${FUNCTION}_bytes), sizeof(k_${FUNCTION}_bytes)}; }

}  // namespace partita::detail
")
