// SPDX-License-Identifier: Apache-2.0
// A proof that no split has a latency of at most the limit, as it grows: labels, and what follows from them.
//
// For a toll x >= 0, let every block of an accelerator take x longer than its load. There are at most b such blocks, so
// a split with a path of at most kLoadLimit then has none longer than kLoadLimit + x b, its *end*. Labels of an edge
// (u, w) hold for every split within the limit that cuts it, that is, has u and w in different blocks (a host node is a
// block by itself):
//   forward:   u's block does not finish before this;
//   reversed:  from the start of w's block to the end of all it takes at least so long.
// A label is believed if the labels so far imply it. The block is that of a host, which starts u when its inputs are
// there, or one of an accelerator (earliest_finish.h); the lesser of the two counts. What follows:
//  - if both labels of an edge add up to more than the end, no split within the limit cuts it: if its nodes are of two
//    passes, and so always in two blocks, there is no such split; else they are in one block, on an accelerator;
//  - if the labels into a node, its time on a host and the labels out of it do, its group is not on a host;
//  - if a node's block cannot finish by the end, whatever else is in it, there is no split within the limit.
//
// The check tries a certificate's labels with this, and whoever makes one finds them with it, so that they are exact in
// the integers of the check. Tests: tests/check/latency_certificate_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "partita/check/certificate.h"
#include "partita/check/earliest_finish.h"

namespace partita::detail {

class LabelProof {
 public:
  using Int = LatencyClaim::Int;
  static constexpr Int kLongestEnd = Int{1} << 48;

  // Which labels: with what toll, and seen from which end.
  struct Track {
    Int toll = 0;
    bool reversed = false;
  };

  LabelProof(const Problem& problem, double limit);
  LabelProof(const LabelProof&) = delete;

  // Nothing was proved yet, and labels would take more memory than this: nothing else can be asked.
  bool needs_more_than(std::size_t bytes) const;
  bool proved() const { return proved_; }
  const LatencyClaim& claim() const { return claim_; }
  // Of a toll that is not negative and not too large.
  std::optional<Int> end(Int toll) const;

  // The best label of the node, and of the edge that leads to `other` (seen from the other end if reversed), that the
  // labels so far imply; no more than `enough`.
  Int least(const Track& track, std::size_t node, std::optional<std::size_t> other, Int enough);
  // The label of that edge, or 0.
  Int label(const Track& track, std::size_t node, std::size_t other);
  // Believes a label that least() gave.
  void raise(const Track& track, std::size_t node, std::optional<std::size_t> other, Int time);
  // Draws conclusions from the labels with this toll. True if there is something new.
  bool learn(Int toll);

 private:
  struct Labels {
    std::vector<Int> of;      // by edge
    std::vector<Int> levels;  // see EarliestFinish
  };
  Labels& labels(const Track& track);
  void prepare();
  std::optional<std::size_t> edge_of(const Track& track, std::size_t node, std::size_t other) const;
  Int largest(const std::vector<Int>& labels, const std::vector<std::size_t>& edges) const;
  void sort_levels(Labels& of);

  LatencyClaim claim_;
  std::optional<JoinedNodes> joined_;
  std::optional<EarliestFinish> finish_;
  std::map<std::pair<Int, bool>, Labels> labels_;
  bool proved_ = false;
};

// Do the labels of a certificate prove it? For verify() in certificate.h.
CertificateVerdict verify_labels(const Problem& problem, const Certificate& certificate, Budget& budget);

}  // namespace partita::detail
