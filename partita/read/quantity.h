// SPDX-License-Identifier: Apache-2.0
// Numbers with units, as people write them: "55 GB/s", "10 us", "141 GB", "312 TFLOP/s".
#pragma once

#include <optional>
#include <string_view>

namespace partita::detail {

// "17179869184", "1.6e10", "16G", "16GiB", "16 GB": a number of bytes, with a suffix of powers of 1024 (K M G T, KiB
// MiB GiB TiB) or of 1000 (KB MB GB TB), in any case. Nothing for anything else, and for what is negative or not finite.
std::optional<double> parse_bytes(std::string_view text);

// "10", "10s", "500 ms", "10 us", "2min", "1h": a time in seconds, or in what stands behind it. Likewise.
std::optional<double> parse_seconds(std::string_view text);

// "0.01", "1%".
std::optional<double> parse_fraction(std::string_view text);

// "55 GB/s", "100 Gb/s", "100 Gbit/s", "1.6e10": bytes per second. Here, and only here, a small b is a bit.
std::optional<double> parse_bandwidth(std::string_view text);

// "312 TFLOP/s", "4 TOPS", "1.5 GFLOPS", "3e14": operations per second.
std::optional<double> parse_flops(std::string_view text);

}  // namespace partita::detail
