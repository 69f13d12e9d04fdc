// SPDX-License-Identifier: Apache-2.0
#include "app/shared/exit_codes.h"

#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>

#include "app/shared/memory_limit.h"
#include "app/shared/standard_streams.h"
#include "partita/ask/option_names.h"
#include "partita/check/names.h"
#include "partita/util/error.h"
#include "partita/util/visible_text.h"

namespace partita::detail::app {
namespace {

constexpr int kSuccess = 0;
constexpr int kInternalError = 1;
constexpr int kReaderGone = 128 + SIGPIPE;  // what a shell says of programs that this ends

struct Row {
  int code;
  const char* meaning;
};

constexpr Row row(ErrorKind kind, const char* meaning) { return {static_cast<int>(kind), meaning}; }

constexpr Row kTable[] = {
    {kSuccess, "done (plan: a split was found; check: the split is legal)"},
    {kInternalError, "internal error"},
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
    row(ErrorKind::OutOfMemory, "the memory limit was reached before there was anything to show"),
};

// Before there is a limit there is no reserve either, so that even the message may be too much.
int fail_for_memory(const std::string& program) {
  use_memory_reserve();
  try {
    const bool limited = std::isfinite(memory_limit());
    print_error(program, limited ? fmt::format("out of memory: the limit is {}", memory_text(memory_limit()))
                                 : "out of memory before it could begin");
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
  }
  return static_cast<int>(ErrorKind::OutOfMemory);
}

// Where an exception cannot be caught: the JSON library allocates in a destructor. If memory is what was missing, that
// is told as elsewhere; anything else is a bug.
void end_at_once() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    std::_Exit(fail_for_memory("partita"));
  } catch (...) {
  }
  std::abort();
}

}  // namespace

std::string exit_code_table() {
  std::string text = "Exit codes:\n";
  for (const Row& r : kTable) text += fmt::format("  {:>2}  {}\n", r.code, r.meaning);
  return text;
}

void print_error(const std::string& program, const std::string& message) {
  const std::string line = program + ": " + visible(message) + "\n";
  std::fputs(line.c_str(), stderr);
}

int run_guarded(const std::string& program, const std::function<int()>& body) {
  std::set_terminate(end_at_once);
  try {
    return body();
  } catch (const InputError& error) {
    print_error(program, in_options(error.what()));
    return static_cast<int>(error.kind());
  } catch (const ReaderGone&) {
    return kReaderGone;
  } catch (const std::bad_alloc&) {
    return fail_for_memory(program);
  } catch (const std::length_error&) {  // a size that no memory holds
    return fail_for_memory(program);
  } catch (const std::exception& error) {
    print_error(program, std::string("internal error: ") + error.what() + "; this is a bug, please report it");
  }
  return kInternalError;
}

}  // namespace partita::detail::app
