// SPDX-License-Identifier: Apache-2.0
// From items to stages.
//
// Order. A part of the plan is one stage, unless parts wait for each other in circles, as they do in free splits: then it
// is several. Items that are planned are the vertices of a coloured graph, parts their colours; fewest_runs() orders
// them. A loose item is no vertex: what it is made of, planned items before it, counts as read by whoever reads it.
//
// In a pipeline, one dependency is none: a plan knows nothing of how values that are known when the model is read come
// about, so that what reads one may stand before what it would be computed from (a shape of a later tensor). Such values
// are written into the stage as initializers, and have no edge.
//
// Placement, from the last stage to the first. A stage needs what its planned items read and what later stages
// want of it. The maker of a value that is needed and not planned here is
//   - copied, if it is cheap and all that it reads is here anyway: made here, read here by planned items, or stored;
//   - copied, if it is as large as the weight that it only shapes: its inputs are sent instead;
//   - put here, if it is loose and this is its home: the last stage that makes something it is computed from, or the
//     first that uses it if all comes from the model's inputs;
//   - else its value is sent: from the stage where it is planned, or from its home, which then needs it too.
// A home is never behind a stage that needs it, because of the edges above. So every planned item that somebody reads is
// in its own stage, or copied to all its readers, and each value comes from one place: stages that run in order find what
// they read. Items that no output depends on, and stages that nobody reads, are left out.
//
// O(stages * (items + reads)), and what fewest_runs() takes. Tests: tests/write/split_onnx_test.cpp, tests/cli/test_split.py.
#include "partita/write/onnx/stages.h"

#include <algorithm>
#include <set>

#include "partita/util/error.h"
#include "partita/util/fewest_runs.h"

namespace partita::detail::onnx {

namespace {

// Pairs of a loose item and a planned one that it is computed from.
constexpr std::size_t kMostDependencies = 20'000'000;

class StageMaker {
 public:
  StageMaker(const CutGraph& graph, const StageRules& rules)
      : graph_(graph), rules_(rules), values_(graph.model->values) {}

  StageRow run() {
    find_live();
    find_dependencies();
    order();
    find_homes();
    demanded_.assign(row_.stages.size(), {});
    row_.made_in.assign(values_.size(), StageId());
    for (ValueId output : graph_.model->graph.outputs) {
      if (output.valid()) send(output, source(output));
    }
    for (std::size_t i = row_.stages.size(); i-- > 0;) fill(StageId(i));
    leave_out_empty();
    if (rules_.chain) pass_on();
    row_.home = home_;
    for (Stage& stage : row_.stages) tidy(stage);
    return std::move(row_);
  }

 private:
  const Item& item(ItemId i) const { return graph_.items[i]; }
  bool is_loose(ItemId i) const { return !item(i).part.valid(); }

  // Items that no output of the model depends on are in no stage.
  void find_live() {
    is_live_.assign(graph_.items.size(), false);
    std::vector<bool> needed(values_.size(), false);
    for (ValueId output : graph_.model->graph.outputs) {
      if (output.valid()) needed[output.index()] = true;
    }
    bool any = false;
    for (std::size_t i = graph_.items.size(); i-- > 0;) {
      const Item& one = item(ItemId(i));
      is_live_[ItemId(i)] = std::ranges::any_of(one.outputs, [&](ValueId v) { return v.valid() && needed[v.index()]; });
      if (!is_live_[ItemId(i)]) {
        ++row_.unused;
        continue;
      }
      any = any || one.part.valid();
      for (ValueId value : one.reads) needed[value.index()] = true;
    }
    if (!any) {
      throw InputError(ErrorKind::BadGraph, graph_.model->file->source,
                       "no output depends on an operator, expected a model that computes something");
    }
  }

  // Of each loose item: the planned ones that it is computed from; and whether it can be written as numbers instead.
  void find_dependencies() {
    before_.resize(graph_.items.size());
    is_known_.assign(graph_.items.size(), false);
    std::size_t pairs = 0;
    for (ItemId i : graph_.items.all()) {
      if (!is_loose(i)) continue;
      std::set<ItemId> before;
      bool from_known = true;
      for (ValueId value : item(i).reads) {
        const ItemId maker = graph_.maker[value];
        if (!maker.valid()) continue;
        if (is_loose(maker)) {
          before.insert(before_[maker].begin(), before_[maker].end());
          from_known = from_known && is_known_[maker];
        } else {
          before.insert(maker);
          from_known = false;
        }
      }
      is_known_[i] = std::ranges::all_of(item(i).outputs, [&](ValueId value) {
        return !value.valid() || can_be_written(value) || (values_[value].weight && from_known);
      });
      before_[i].assign(before.begin(), before.end());
      pairs += before.size();
      if (pairs > kMostDependencies) {
        throw InputError(ErrorKind::Unsupported, graph_.model->file->source,
                         "the constants of the graph are computed from too many operators to keep track of: simplify "
                         "the model before it is planned");
      }
    }
  }

  bool can_be_written(ValueId id) const {
    const Value& value = values_[id];
    if (!value.constant || !value.constant->all_known()) return false;
    using enum DataType;
    return value.type == Int64 || value.type == Int32 || value.type == Bool || value.type == Float32 ||
           value.type == Float64;
  }

  void order() {
    ColouredDag dag;
    IdVector<ItemId, VertexId> vertex(graph_.items.size());
    std::vector<ItemId> item_of;
    IdVector<PartId, std::size_t> rank;
    std::size_t parts = 0;
    for (const Item& one : graph_.items) {
      if (one.part.valid()) parts = std::max(parts, one.part.index() + 1);
    }
    rank.assign(parts, 0);
    std::vector<ColourId> preferred;
    for (std::size_t i = 0; i < rules_.order.size(); ++i) {
      if (rules_.order[i].index() >= parts) continue;
      rank[rules_.order[i]] = i;
      preferred.emplace_back(rules_.order[i].index());
    }
    for (ItemId i : graph_.items.all()) {
      if (is_loose(i) || !is_live_[i]) continue;
      vertex[i] = dag.colour_of.push_back(ColourId(item(i).part.index()));
      item_of.push_back(i);
    }
    dag.colour_count = parts;
    const bool is_pipeline = !rules_.order.empty();
    for (ItemId i : item_of) {
      for (ValueId value : item(i).reads) {
        const ItemId maker = graph_.maker[value];
        if (!maker.valid()) continue;
        if (!is_loose(maker)) {
          dag.edges.emplace_back(vertex[maker], vertex[i]);
          continue;
        }
        const bool comes_later = is_pipeline && std::ranges::any_of(before_[maker], [&](ItemId from) {
                                   return rank[item(from).part] > rank[item(i).part];
                                 });
        if (comes_later && is_known_[maker]) continue;
        for (ItemId from : before_[maker]) dag.edges.emplace_back(vertex[from], vertex[i]);
      }
    }
    const Runs runs = fewest_runs(dag, preferred);
    for (ColourId colour : runs.colour_of) {
      Stage stage;
      stage.part = PartId(colour.index());
      row_.stages.push_back(std::move(stage));
    }
    home_.assign(graph_.items.size(), StageId());
    for (ItemId i : item_of) home_[i] = StageId(runs.run_of[vertex[i]]);
  }

  // Of loose items, as the essay says; those that nobody uses have none.
  void find_homes() {
    IdVector<ItemId, StageId> first_use(graph_.items.size());
    for (std::size_t i = graph_.items.size(); i-- > 0;) {
      const ItemId reader(i);
      const StageId stage = is_loose(reader) ? first_use[reader] : home_[reader];  // none where nothing comes of it
      for (ValueId value : item(reader).reads) {
        const ItemId maker = graph_.maker[value];
        if (!maker.valid() || !is_loose(maker) || !stage.valid()) continue;
        if (!first_use[maker].valid() || stage < first_use[maker]) first_use[maker] = stage;
      }
    }
    for (ValueId output : graph_.model->graph.outputs) {
      const ItemId maker = output.valid() ? graph_.maker[output] : ItemId();
      if (maker.valid() && is_loose(maker) && !first_use[maker].valid()) first_use[maker] = StageId(0);
    }
    for (ItemId i : graph_.items.all()) {
      if (!is_loose(i)) continue;
      for (ItemId from : before_[i]) {
        if (!home_[i].valid() || home_[i] < home_[from]) home_[i] = home_[from];
      }
      if (!home_[i].valid()) home_[i] = first_use[i];
    }
    // Those that only an output reads were not met above: they follow their readers, which stand behind them.
    for (std::size_t i = graph_.items.size(); i-- > 0;) {
      for (ValueId value : item(ItemId(i)).reads) {
        const ItemId maker = graph_.maker[value];
        if (maker.valid() && is_loose(maker) && !home_[maker].valid()) home_[maker] = home_[ItemId(i)];
      }
    }
  }

  // Where a value comes from for stages that have to be sent it. What nobody computes comes from the first.
  StageId source(ValueId value) const {
    const ItemId maker = graph_.maker[value];
    return maker.valid() && home_[maker].valid() ? home_[maker] : StageId(0);
  }

  void send(ValueId value, StageId from) {
    row_.made_in[value] = from;
    demanded_[from].insert(value);
  }

  void fill(StageId q) {
    const std::vector<bool> free = free_items(q);
    std::vector<bool> needed(values_.size(), false);
    Stage& stage = row_.stages[q];
    for (ValueId value : demanded_[q]) {
      needed[value.index()] = true;
      stage.outputs.push_back(value);
    }
    for (std::size_t i = graph_.items.size(); i-- > 0;) {
      const ItemId id(i);
      const Item& one = item(id);
      if (std::ranges::none_of(one.outputs, [&](ValueId v) { return v.valid() && needed[v.index()]; })) continue;
      const bool is_here = home_[id] == q || (one.cheap && free[i]) || one.stored;
      if (is_here && home_[id] != q) ++stage.copies;
      if (is_here) {
        stage.items.push_back(id);
        for (ValueId value : one.reads) needed[value.index()] = true;
        continue;
      }
      for (ValueId value : one.outputs) {
        if (!value.valid() || !needed[value.index()]) continue;
        if (home_[id] < q) {
          send(value, home_[id]);
          stage.inputs.push_back({value, home_[id]});
        } else {
          stage.known.push_back(value);
        }
      }
    }
    std::ranges::reverse(stage.items);
    for (ValueId value : values_.all()) {
      if (!needed[value.index()] || graph_.maker[value].valid()) continue;
      if (is_initializer(graph_, value)) {
        stage.weights.push_back(value);
      } else {
        stage.inputs.push_back({value, StageId()});
      }
    }
  }

  // Which cheap items could be computed in stage `q` from what is there anyway.
  std::vector<bool> free_items(StageId q) const {
    std::vector<bool> is_here(values_.size(), false);
    for (ItemId i : graph_.items.all()) {
      if (is_loose(i) || home_[i] != q) continue;
      for (ValueId value : item(i).reads) {
        const ItemId maker = graph_.maker[value];
        if (!maker.valid() || !item(maker).cheap) is_here[value.index()] = true;
      }
      for (ValueId value : item(i).outputs) {
        if (value.valid()) is_here[value.index()] = true;
      }
    }
    std::vector<bool> free(graph_.items.size(), false);
    for (ItemId i : graph_.items.all()) {
      if (!item(i).cheap) continue;
      const bool all = std::ranges::all_of(
          item(i).reads, [&](ValueId value) { return is_here[value.index()] || is_initializer(graph_, value); });
      if (!all) continue;
      free[i.index()] = true;
      for (ValueId value : item(i).outputs) {
        if (value.valid()) is_here[value.index()] = true;
      }
    }
    return free;
  }

  // Where all that a stage would compute is copied to its readers, nobody reads anything of it.
  void leave_out_empty() {
    IdVector<StageId, StageId> now(row_.stages.size());
    IdVector<StageId, Stage> kept;
    for (StageId q : row_.stages.all()) {
      if (!row_.stages[q].outputs.empty()) now[q] = kept.push_back(std::move(row_.stages[q]));
    }
    row_.stages = std::move(kept);
    const auto renumber = [&now](StageId& stage) {
      if (stage.valid()) stage = now[stage];
    };
    for (Stage& stage : row_.stages) {
      for (StageInput& input : stage.inputs) renumber(input.from);
    }
    for (StageId& stage : row_.made_in) renumber(stage);
    for (StageId& stage : home_) renumber(stage);
  }

  // Each value goes from one stage to the next, from the last that has it to the one that needs it; the model's inputs
  // enter at the first stage, its outputs leave at the last.
  void pass_on() {
    const StageId last(row_.stages.size() - 1);
    std::vector<std::pair<ValueId, StageId>> needed;
    IdVector<ValueId, std::vector<StageId>> has(values_.size());
    for (StageId q : row_.stages.all()) {
      Stage& stage = row_.stages[q];
      for (const StageInput& input : stage.inputs) needed.emplace_back(input.value, q);
      for (ItemId i : stage.items) {
        for (ValueId value : item(i).outputs) {
          if (value.valid()) has[value].push_back(q);
        }
      }
      for (ValueId value : stage.weights) has[value].push_back(q);
      for (ValueId value : stage.known) has[value].push_back(q);
      stage.inputs.clear();
      stage.outputs.clear();
    }
    for (ValueId output : graph_.model->graph.outputs) {
      if (output.valid()) needed.emplace_back(output, last);
    }
    for (const auto& [value, q] : needed) {
      // The last stage up to `q` that has it; none: it is given.
      const auto behind = std::ranges::upper_bound(has[value], q);
      const bool is_given = behind == has[value].begin();
      if (is_given) row_.stages[StageId(0)].inputs.push_back({value, StageId()});
      for (std::size_t at = is_given ? 0 : std::prev(behind)->index(); at < q.index(); ++at) {
        row_.stages[StageId(at)].outputs.push_back(value);
        row_.stages[StageId(at + 1)].inputs.push_back({value, StageId(at)});
      }
    }
    for (ValueId output : graph_.model->graph.outputs) {
      if (!output.valid()) continue;
      row_.stages[last].outputs.push_back(output);
      row_.made_in[output] = last;
    }
  }

  static void tidy(Stage& stage) {
    std::ranges::sort(stage.inputs, {}, &StageInput::value);
    const auto same = [](const StageInput& a, const StageInput& b) { return a.value == b.value; };
    stage.inputs.erase(std::unique(stage.inputs.begin(), stage.inputs.end(), same), stage.inputs.end());
    for (std::vector<ValueId>* list : {&stage.outputs, &stage.known}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
  }

  const CutGraph& graph_;
  const StageRules& rules_;
  const IdVector<ValueId, Value>& values_;
  IdVector<ItemId, bool> is_live_;
  IdVector<ItemId, std::vector<ItemId>> before_;  // of loose items
  IdVector<ItemId, bool> is_known_;               // likewise
  IdVector<ItemId, StageId> home_;                // of planned items: their stage
  IdVector<StageId, std::set<ValueId>> demanded_;
  StageRow row_;
};

}  // namespace

bool is_initializer(const CutGraph& graph, ValueId value) {
  const Value& one = graph.model->values[value];
  return !graph.maker[value].valid() && one.weight;
}

StageRow make_stages(const CutGraph& graph, const StageRules& rules) { return StageMaker(graph, rules).run(); }

}  // namespace partita::detail::onnx
