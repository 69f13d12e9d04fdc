// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/mip/block_schedule.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace partita::detail {
namespace {

class Scheduler {
 public:
  Scheduler(const LatencyInstance& instance, const std::vector<Transfer>& transfers)
      : instance_(instance), transfers_(transfers), block_of_(instance.size()) {}

  BlockSchedule run(const IdVector<GroupId, DeviceId>& device_of, const IdVector<NodeId, std::uint32_t>& subgraph_of) {
    make_blocks(device_of, subgraph_of);
    add_transfer_times();
    find_arcs();
    return in_order(start_all());
  }

 private:
  using Block = BlockSchedule::Block;

  void make_blocks(const IdVector<GroupId, DeviceId>& device_of, const IdVector<NodeId, std::uint32_t>& subgraph_of) {
    for (NodeId v : instance_.nodes.all()) {
      const LatencyNode& node = instance_.nodes[v];
      const DeviceId d = device_of[node.group];
      const bool host = instance_.devices.is_host(d);
      block_of_[v] = blocks_.size();
      if (!host) {
        const std::uint32_t subgraph = subgraph_of.empty() ? 0 : subgraph_of[v];
        const auto [known, fresh] = running_order_.try_emplace({d, node.backward, subgraph}, blocks_.size());
        block_of_[v] = known->second;
        if (!fresh) {
          duration_[known->second] += instance_.time(v, d);
          continue;
        }
      }
      blocks_.push_back({host ? DeviceId() : d, node.backward});
      duration_.push_back(instance_.time(v, d));
    }
  }

  void add_transfer_times() {
    std::vector<std::size_t> readers;
    for (const Transfer& transfer : transfers_) {
      const std::size_t producer = block_of_[transfer.producer];
      readers.clear();
      for (NodeId v : transfer.consumers) {
        if (block_of_[v] != producer) readers.push_back(block_of_[v]);
      }
      std::sort(readers.begin(), readers.end());
      readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
      if (!readers.empty()) duration_[producer] += paid(producer, transfer);
      for (std::size_t reader : readers) duration_[reader] += paid(reader, transfer);
    }
  }

  void find_arcs() {
    waiting_.resize(blocks_.size());
    waits_for_.assign(blocks_.size(), 0);
    const auto add = [&](std::size_t from, std::size_t to) {
      waiting_[from].push_back(to);
      ++waits_for_[to];
    };
    for (NodeId u : instance_.nodes.all()) {
      for (NodeId v : instance_.successors[u]) {
        if (block_of_[u] != block_of_[v]) add(block_of_[u], block_of_[v]);
      }
    }
    // The blocks of an accelerator are neighbours in this map, the forward ones first.
    for (auto at = running_order_.begin(), next = at; at != running_order_.end(); at = next) {
      if (++next == running_order_.end()) break;
      if (std::get<0>(at->first) == std::get<0>(next->first)) add(at->second, next->second);
    }
  }

  std::vector<std::size_t> start_all() {
    std::vector<std::size_t> order;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (waits_for_[b] == 0) order.push_back(b);
    }
    double last = 0;
    for (std::size_t head = 0; head < order.size(); ++head) {
      Block& block = blocks_[order[head]];
      block.finish = block.start + duration_[order[head]];
      last = std::max(last, block.finish);
      for (std::size_t next : waiting_[order[head]]) {
        blocks_[next].start = std::max(blocks_[next].start, block.finish);
        if (--waits_for_[next] == 0) order.push_back(next);
      }
    }
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (waits_for_[b] == 0) continue;
      blocks_[b].start = last;
      blocks_[b].finish = last + duration_[b];
      order.push_back(b);
    }
    return order;
  }

  BlockSchedule in_order(std::vector<std::size_t> order) const {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return blocks_[a].start < blocks_[b].start; });
    BlockSchedule schedule;
    std::vector<std::size_t> place(order.size());
    for (std::size_t b : order) {
      place[b] = schedule.blocks.size();
      schedule.blocks.push_back(blocks_[b]);
    }
    schedule.block_of.resize(instance_.size());
    for (NodeId v : block_of_.all()) schedule.block_of[v] = place[block_of_[v]];
    return schedule;
  }

  double paid(std::size_t block, const Transfer& transfer) const {
    const DeviceId d = blocks_[block].accelerator;
    return d.valid() ? instance_.devices.class_of(d).link.price(transfer.cost) : 0;
  }

  const LatencyInstance& instance_;
  const std::vector<Transfer>& transfers_;
  std::vector<Block> blocks_;
  IdVector<NodeId, std::size_t> block_of_;
  std::map<std::tuple<DeviceId, bool, std::uint32_t>, std::size_t> running_order_;  // blocks of accelerators
  std::vector<double> duration_;
  std::vector<std::vector<std::size_t>> waiting_;
  std::vector<std::size_t> waits_for_;
};

}  // namespace

BlockSchedule schedule_blocks(const LatencyInstance& instance, const std::vector<Transfer>& transfers,
                              const IdVector<GroupId, DeviceId>& device_of,
                              const IdVector<NodeId, std::uint32_t>& subgraph_of) {
  return Scheduler(instance, transfers).run(device_of, subgraph_of);
}

}  // namespace partita::detail
