// SPDX-License-Identifier: Apache-2.0
// How times are written for people: in the workload's unit where it is known, and never in one that was guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace partita::detail {

// "1.82413 ms"; the number alone where nobody said the unit.
std::string time_text(double time, const std::string& unit);

// The heading of a column of times: "load [ms]"; "load" where nobody said the unit.
std::string time_heading(const std::string& name, const std::string& unit);

// "548 samples/s"; empty where the unit, or how long it is, is not known, and where samples take no time.
std::string throughput_text(double time_per_sample, const std::string& unit);

// "1.82413 ms per sample, 548 samples/s", or "1.82413 per sample (in the file's unit of time)".
std::string per_sample_text(double time_per_sample, const std::string& unit);

// How long a unit of time is: "s", "ms", "us" or "ns"; nothing for any other word.
std::optional<double> seconds_in(std::string_view unit);

// What a unit that nobody names is taken for in a trace, which has one: a millisecond, in seconds.
inline constexpr double kUnnamedUnit = 1e-3;

}  // namespace partita::detail
