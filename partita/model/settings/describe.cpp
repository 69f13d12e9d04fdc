// SPDX-License-Identifier: Apache-2.0
// What each setting means and when to touch it: the text of `partita help settings` and docs/options.md.
#include "partita/model/settings.h"

namespace partita {

SettingFields describe(PresolveSettings& s) {
  return {
      {"cheap_neighbour", &s.cheap_neighbour,
       "Join a group with its only neighbour where moving it there raises no load. Off to see what it saves."},
      {"unaffordable_pair", &s.unaffordable_pair,
       "Join two groups if keeping them apart alone would exceed the limit. Off to see what it saves."},
      {"unaffordable_cut", &s.unaffordable_cut,
       "Join two groups if every way of keeping them apart, by a minimum cut, would exceed the limit. Off where "
       "presolve "
       "takes too much of the time."},
      {"windows", &s.windows,
       "The relaxation that sees of an ideal only how much work it holds: it refutes limits and joins groups. Off to "
       "see "
       "what is left without it; most proofs on large graphs rest on it."},
      {"window_flows", &s.window_flows, "Minimum cuts between windows of presolve. Off for quicker, weaker windows."},
      {"window_buckets", &s.window_buckets, 1, 512, "buckets",
       "How finely work is divided at first; refined up to four times. Time grows with the square."},
      {"window_rounds", &s.window_rounds, 0, 1000, "rounds",
       "Windows and joins at most so often in turn. More where the later rounds still remove groups, as statistics "
       "show."},
  };
}

SettingFields describe(StagedSettings& s) {
  return {
      {"annealing", &s.annealing,
       "Better splits by simulated annealing. Off to see what orders and search find alone."},
      {"window_search", &s.window_search,
       "Better splits by splitting two or three neighbouring stages anew, exactly. Off to see what the others find."},
      {"two_orders", &s.two_orders,
       "Better splits where much work floats beside the rest, by cutting two orders side by side. Off to see what one "
       "order finds."},
      {"coarse_splits", &s.coarse_splits,
       "Better splits by cutting coarse graphs, where a whole branch is one group. Off to see what the others find."},
      {"windows", &s.windows,
       "The exact search looks through windows (presolve.windows) at every step. Off to see the bare search over "
       "ideals; presolve has a switch of its own."},
      {"shrink", &s.shrink,
       "Ask first of smaller graphs, without views and without what may sit in any of many stages. Off to see what "
       "these cost the search."},
      {"convex_sets", &s.convex_sets,
       "Refute limits by the configuration LP over convex sets. Off to see what windows and search do alone."},
      {"boundaries", &s.boundaries,
       "Join groups that no boundary between stages separates, by what boundaries hold and cost, before the search. "
       "Off "
       "to see what it saves."},
      {"host_cases", &s.host_cases,
       "With one host: ask a limit that stays open again for each place of the host. Off to see what cases give."},
      {"first_orders", &s.first_orders, 0, 100'000, "orders",
       "Random orders that the linearised program cuts at first. More for better splits without a search."},
      {"orders_per_failure", &s.orders_per_failure, 0, 100'000, "orders", "The same after each limit that stays open."},
      {"bisections", &s.bisections, 0, 100, "steps",
       "First bound by limits that presolve alone refutes; 0 turns it off."},
      {"search_buckets", &s.search_buckets, 1, 1024, "buckets",
       "How finely the exact search divides the work of an ideal. Fewer on small graphs, where windows cost more than "
       "they save."},
      {"first_moves", &s.first_moves, 0, 1e12, "moves",
       "Length of the first annealing; on small graphs it is shorter."},
      {"first_slice", &s.first_slice, 1, 1e15, "ticks",
       "For one limit at first, about a second; three times as much whenever all limits stay open."},
  };
}

SettingFields describe(SetupSettings& s) {
  return {
      {"relaxation", &s.relaxation,
       "Ask first of smaller graphs, and as if devices stood next to each other and idle groups had no weights to "
       "exchange. Off to see what it saves."},
      {"both_ends", &s.both_ends, "With clusters: search from either end in turn. Off to see which end is the harder."},
      {"windows", &s.windows,
       "The exact search looks through windows (presolve.windows) at every step. Off to see the bare search over "
       "ideals; presolve has a switch of its own."},
      {"first_orders", &s.first_orders, 1, 100'000, "orders",
       "Orders that the linearised program cuts at first. More for better splits without a search."},
      {"orders_per_failure", &s.orders_per_failure, 0, 100'000, "orders", "The same after each limit that stays open."},
      {"bisections", &s.bisections, 0, 100, "steps",
       "First bound by limits that windows alone refute; 0 turns it off."},
      {"search_buckets", &s.search_buckets, 1, 1024, "buckets",
       "How finely the exact search divides the work of an ideal; a quarter of it with clusters."},
      {"first_slice", &s.first_slice, 1, 1e15, "ticks",
       "For one limit at first; three times as much whenever all limits stay open."},
      {"line_ticks", &s.line_ticks, 1, 1e15, "ticks", "With clusters: for the questions about one order."},
  };
}

SettingFields describe(FreeSettings& s) {
  return {
      {"volume_bound", &s.volume_bound,
       "A first bound by the volume of work. Off to see what the configuration LP proves alone."},
      {"configuration_lp", &s.configuration_lp,
       "Refute limits by column generation. Off for the best split without a proof."},
      {"shrink", &s.shrink, "Refute limits on smaller graphs first. Off to see what the whole graph proves alone."},
      {"dives", &s.dives,
       "Make splits of what the configuration LP allows. Off to see what the search finds without it."},
      {"pair_resplit", &s.pair_resplit,
       "Split pairs of devices anew after annealing. Off to see what annealing finds alone."},
      {"pair_share", &s.pair_share, 0, 1000, "ticks for each proposal of the annealing before",
       "How long pairs are split anew."},
      {"split_share", &s.split_share, 0.001, 1000, "turns of the bound",
       "How long the search's turns are. More for better splits, less for better bounds."},
      {"share_when_stagnating", &s.share_when_stagnating, 0.001, 1000, "turns of the bound",
       "The same once nothing better was found for long."},
      {"first_turn", &s.first_turn, 1, 1e15, "ticks", "Length of the first turns. Longer where graphs are large."},
      {"turn_growth", &s.turn_growth, 1.01, 100, "times", "How much longer each turn is than the last."},
      {"widest_layer", &s.widest_layer, 16, 1e9, "states",
       "Of a layer of the trellis, at most: nets beyond are left out, and the bound is weaker. More where it stalls."},
      {"most_states", &s.most_states, 16, 1e12, "states", "Of the whole trellis, at most. More memory, better bounds."},
  };
}

SettingFields describe(LatencySettings& s) {
  return {
      {"annealing", &s.annealing, "Better splits by simulated annealing. Off: segments of random orders only."},
      {"spines", &s.spines,
       "Bounds along a spine of the graph, with the number of accelerators in them. Off to see labels alone."},
      {"spine_suggestions", &s.spine_suggestions,
       "Begin annealing with the blocks that a spine would like to see. Off to see what they give."},
      {"labels", &s.labels, "Bounds by how soon each subgraph can finish. Off to see spines alone."},
      {"tolls", &s.tolls,
       "Labels in which each subgraph pays a toll, as accelerators are few. Off to see plain labels."},
      {"packing", &s.packing, "Bounds by how many parallel branches share an accelerator. Off to see labels alone."},
      {"pairs", &s.pairs, "Labels that look at edges into a subgraph two by two. Off to see single ones alone."},
      {"branching", &s.branching, "Branch and bound on what labels leave open. Off to see what bounds prove alone."},
      {"most_orders", &s.most_orders, 1, 1e9, "orders", "Random orders cut into segments before annealing, at most."},
      {"longest_run", &s.longest_run, 100, 1e12, "proposals", "Of an annealing run. Longer for long limits."},
      {"run_growth", &s.run_growth, 1, 100, "times", "How much longer each run is than the last."},
      {"spine_states", &s.spine_states, 16, 1e6, "states", "Of one module of a spine at first."},
      {"spine_detail", &s.spine_detail, 16, 1e6, "states",
       "The same where nothing else helps. More for harder proofs."},
      {"split_share", &s.split_share, 1, 1000, "turns of the bound",
       "How long the search's turns are. More for better splits, less for better bounds."},
      {"turn_growth", &s.turn_growth, 1.01, 100, "times", "How much longer each turn is than the last."},
  };
}

SettingFields describe(MipSettings& s) {
  return {
      {"backend",
       &s.backend,
       {"auto", "cbc", "highs"},
       "Who solves them; auto is HiGHS, which mostly proves more, where this build has it, and else CBC. The other one "
       "for a second opinion: docs/algorithms/integer-programs.md compares them."},
      {"preprocessing", &s.preprocessing, "The solver's preprocessing. Off to see what it saves."},
      {"cuts", &s.cuts,
       "The solver's cutting planes. Off to see branch and bound alone; HiGHS keeps those at the root."},
      {"heuristics", &s.heuristics, "The solver's own heuristics for solutions. Off to leave splits to ours."},
      {"start", &s.start, "Hand the solver our best split as a solution to start from."},
      {"objective_limit", &s.objective_limit,
       "Limit the objective by our best split, which lets the solver rule out much at once. Off: as if none were "
       "known."},
      {"ordered_ranks", &s.ordered_ranks, 0, 1000, "groups for each device",
       "How many groups have rows that break the symmetry of equal devices; 0 turns it off."},
      {"largest_program", &s.largest_program, 0, 1e9, "nodes times devices",
       "Larger programs are not handed to a solver."},
  };
}

SettingFields describe(PortfolioSettings& s) {
  return {
      {"staged_start", &s.staged_start,
       "Begin the search for free splits, and for latency, with a staged split. Off to see how they do without."},
      {"convex_bound", &s.convex_bound,
       "Bound contiguous splits by the configuration LP over convex sets. Off to see what the others prove alone."},
      {"free_bound", &s.free_bound,
       "Bound contiguous splits by free ones. Off to see what the integer program proves alone."},
      {"every_split", &s.every_split,
       "Look at every split where there are few. Off to see the solvers on small graphs."},
      {"integer_program", &s.integer_program,
       "Close what is left by an integer program, where the portfolio has one. The algorithm ip asks it anyway."},
      {"simpler_question", &s.simpler_question,
       "With clusters or samples in flight: first ask the question without them, whose bound holds here too. Off to "
       "see what the search for the whole question does alone."},
      {"start_share", &s.start_share, 0, 1, "of the time",
       "For the staged start of free and contiguous splits, at most."},
      {"latency_start_share", &s.latency_start_share, 0, 1, "of the time", "For the staged start of latency, at most."},
      {"contiguous_share", &s.contiguous_share, 0, 1, "of the time", "To make a contiguous start better."},
      {"convex_bound_share", &s.convex_bound_share, 0, 1, "of the time",
       "For the bounds of contiguous splits, over convex sets and of free splits by turns."},
      {"free_bound_share", &s.free_bound_share, 0, 1, "of the time",
       "For the bound of contiguous splits by free ones."},
      {"flat_clusters_share", &s.flat_clusters_share, 0, 1, "of the time", "For the question without clusters."},
      {"few_samples_share", &s.few_samples_share, 0, 1, "of the time",
       "For the question with fewest samples in flight."},
      {"ip_start_share", &s.ip_start_share, 0, 1, "of the time", "For the split that the algorithm ip starts from."},
  };
}

}  // namespace partita
