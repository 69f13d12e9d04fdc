// SPDX-License-Identifier: Apache-2.0
#include "app/shared/exit_codes.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "partita/util/error.h"

namespace partita::app {
namespace {

constexpr int kSuccess = 0;
constexpr int kInternalError = 1;

struct Row {
  int code;
  const char* meaning;
};

constexpr Row row(ErrorKind kind, const char* meaning) { return {static_cast<int>(kind), meaning}; }

constexpr Row kTable[] = {
    {kSuccess, "done (plan: a split was found; check: the split is legal)"},
    {kInternalError, "internal error or out of memory"},
    row(ErrorKind::Usage, "the command line makes no sense"),
    row(ErrorKind::Unreadable, "a file cannot be opened or read"),
    row(ErrorKind::NotJson, "not JSON, or damaged gzip"),
    row(ErrorKind::BadField, "a field is missing or has the wrong type"),
    row(ErrorKind::BadGraph, "duplicate ids, unknown edge ends, self-loops, cycles, backward-to-forward edges"),
    row(ErrorKind::BadNumber, "a number is NaN, infinite, negative or too large to add up"),
    row(ErrorKind::BadPlatform, "no devices, or counts and limits that make no sense"),
    row(ErrorKind::Infeasible, "no split can exist; the message names the constraint"),
    row(ErrorKind::Unwritable, "an output file cannot be written"),
    row(ErrorKind::IllegalSplit, "check, simulate, plan --read-solution: the split is not legal"),
    row(ErrorKind::NoSplitFound,
        "a limit was reached before any split was found, or before a certificate was verified"),
    row(ErrorKind::Unsupported, "a valid request that this version cannot serve"),
};

}  // namespace

std::string exit_code_table() {
  std::string text = "Exit codes:\n";
  for (const Row& r : kTable) text += fmt::format("  {:>2}  {}\n", r.code, r.meaning);
  return text;
}

std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

void print_error(const std::string& program, const std::string& message) {
  const std::string line = program + ": " + one_line(message) + "\n";
  std::fputs(line.c_str(), stderr);
}

int run_guarded(const std::string& program, const std::function<int()>& body) {
  try {
    return body();
  } catch (const InputError& error) {
    print_error(program, error.what());
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    print_error(program, "out of memory");
  } catch (const std::exception& error) {
    print_error(program, std::string("internal error: ") + error.what() + "; this is a bug, please report it");
  }
  return kInternalError;
}

}  // namespace partita::app
