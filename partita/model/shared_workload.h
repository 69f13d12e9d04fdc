// SPDX-License-Identifier: Apache-2.0
// A workload that several problems refer to, so that a question put another way does not copy a graph.
#pragma once

#include <memory>
#include <utility>

#include "partita/model/workload.h"

namespace partita {

class SharedWorkload {
 public:
  SharedWorkload() : SharedWorkload(Workload{}) {}
  SharedWorkload(Workload workload)
      : shared_(std::make_shared<Workload>(std::move(workload))) {}  // NOLINT: a workload is one

  const Workload& operator*() const { return *shared_; }
  const Workload* operator->() const { return shared_.get(); }
  operator const Workload&() const { return *shared_; }  // NOLINT: it may be read like any workload

  // To change it for this problem alone: makes a copy first if others refer to it too.
  Workload& change() {
    if (shared_.use_count() > 1) shared_ = std::make_shared<Workload>(*shared_);
    return *shared_;
  }

 private:
  std::shared_ptr<Workload> shared_;  // never null
};

}  // namespace partita
