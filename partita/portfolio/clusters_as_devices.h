// SPDX-License-Identifier: Apache-2.0
// A relaxation of questions about clusters that a much simpler solver answers: each cluster as one device, as fast as
// all that are in it.
//
// Let every load be at most T, and let every cluster of the platform hold at most k devices, all of one class of
// accelerators. What a cluster holds is computed by its devices, so their compute adds up to that of one device with
// all of it. Of each transfer that leaves the cluster, some device in it pays the platform's factor: the producer's for
// what goes out, as the largest factor to a reader counts, and some reader's for what comes in. So a device that holds
// all of the cluster, on links of that factor, has at most the sum of their compute, of their in and of their out, hence
// in every transfer mode at most the sum of their loads: k T. A host has at most T; with its times k times as long, k T.
// Clusters and hosts stand in an order that takes every edge forward, which makes a staged split of these devices. So
// the best value of that question, without limits on the accelerators' memory, is at most k T. Recomputing only adds
// time. Test: tests/portfolio/clusters_as_devices_test.cpp.
#pragma once

#include <optional>

#include "partita/model/problem.h"

namespace partita::detail {

struct ClustersAsDevices {
  Problem problem;
  int devices_in_one = 1;  // a bound on the problem, divided by this, is one on the question it was made from
};

// None without clusters, with copies, with several classes of accelerators, or with accelerators in no cluster.
std::optional<ClustersAsDevices> clusters_as_devices(const Problem& problem);

}  // namespace partita::detail
