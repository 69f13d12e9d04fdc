// SPDX-License-Identifier: Apache-2.0
#include "partita/util/statistics.h"

#include <new>

namespace partita {
namespace {

thread_local Technique* innermost = nullptr;

}  // namespace

void Statistics::add(const char* technique, const char* unit, double seconds, double yield) {
  const std::lock_guard lock(mutex_);
  Row& row = rows_[technique];
  if (row.calls == 0) {
    row.technique = technique;
    row.unit = unit;
  }
  ++row.calls;
  row.seconds += seconds;
  row.yield += yield;
}

std::vector<Statistics::Row> Statistics::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<Row> rows;
  for (const auto& [name, row] : rows_) rows.push_back(row);
  return rows;
}

void Technique::begin() {
  around_ = innermost;
  innermost = this;
  start_ = Clock::now();
}

void Technique::end() {
  const Clock::duration whole = Clock::now() - start_;
  innermost = around_;
  if (around_) around_->inside_ += whole;
  try {
    statistics_->add(name_, unit_, std::chrono::duration<double>(whole - inside_).count(), yield_);
  } catch (const std::bad_alloc&) {  // a use that is not counted is no reason to end
  }
}

}  // namespace partita
