// SPDX-License-Identifier: Apache-2.0
// What is thrown when an input or a request cannot be used. The library never prints, exits or aborts.
#pragma once

#include <stdexcept>
#include <string>

namespace partita {

// Each kind is one row of the exit-code table in docs/formats.md.
enum class ErrorKind {
  Usage = 2,          // the command line or an option value makes no sense
  Unreadable = 3,     // a file cannot be opened or read
  NotJson = 4,        // not JSON, or a gzip stream that ends early or is damaged
  BadField = 5,       // a field is missing or has the wrong type
  BadGraph = 6,       // duplicate ids, edges to unknown nodes, self-loops, cycles, backward-to-forward edges
  BadNumber = 7,      // NaN, infinite, negative, or too large to add up
  BadPlatform = 8,    // no devices, or counts and limits that make no sense
  Infeasible = 9,     // well-formed, but no split can exist; the message names the constraint
  Unwritable = 10,    // an output file cannot be written
  IllegalSplit = 11,  // `check` found violations (its exit code), or a solution file describes an illegal split
  NoSplitFound = 12,  // a limit came before any split was found, or a certificate verified (never thrown)
  Unsupported = 13,   // a valid request that this version cannot serve
  OutOfMemory = 14,   // the memory limit was reached before there was anything to show (never thrown)
};

// Bad input. `where` is a file with a line or JSON path, or a field of the library's types ("Question::replicas");
// what() is one line made of all parts. Texts name fields in the same way, and what they should be, as in
// "Question::shape = free". A program whose users set them by other names can replace those
// (partita/ask/option_names.h does).
class InputError : public std::runtime_error {
 public:
  InputError(ErrorKind kind, std::string where, const std::string& problem)
      : std::runtime_error(where.empty() ? problem : where + ": " + problem),
        kind_(kind),
        where_(std::move(where)),
        problem_(problem) {}

  ErrorKind kind() const { return kind_; }
  const std::string& where() const { return where_; }
  const std::string& problem() const { return problem_; }

 private:
  ErrorKind kind_;
  std::string where_;
  std::string problem_;
};

}  // namespace partita
