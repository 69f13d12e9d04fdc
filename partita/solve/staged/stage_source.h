// SPDX-License-Identifier: Apache-2.0
// What the search over ideals asks of whoever knows the loads: which larger ideals one more device can reach. The plain
// answer is StageEnumerator, for one limit on every load; gpipe/pass_stages.h has one limit for each pass.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "partita/util/bit_matrix.h"
#include "partita/util/ids.h"

namespace partita {

class StageSource {
 public:
  struct Found {
    std::span<const Word> ideal;
    std::uint64_t hash;
    double time;    // accelerator time of the ideal
    double memory;  // memory of the ideal
  };
  // Where the walk starts, and the level that it leads to.
  struct Base {
    std::span<const Word> ideal;
    std::uint64_t hash;
    double time, memory;
  };
  struct Level {
    int hosts, accelerators;
  };
  // Returns false to stop.
  using Visit = std::function<bool(const Found&)>;

  virtual ~StageSource() = default;

  // Calls `visit` for each ideal larger than the base that one accelerator (or host) can reach and that no other such
  // ideal dominates, at the places that the windows allow for the level. The whole graph is not among them: see
  // rest_fits. False if the budget ended or `visit` stopped.
  virtual bool run(const Base& base, bool host, Level level, const Visit& visit) = 0;

  // Whether one accelerator (or host) can hold all that is outside the base.
  virtual bool rest_fits(std::span<const Word> base, bool host) const = 0;

  // Whether leaving v to a later stage spares that stage nothing, once all that is in `ideal` is placed. Precondition:
  // v is outside, its predecessors inside.
  virtual bool absorbs(std::span<const Word> ideal, GroupId v) const = 0;

  virtual std::uint64_t visited() const = 0;  // steps of all walks
};

}  // namespace partita
