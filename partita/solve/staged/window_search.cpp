// SPDX-License-Identifier: Apache-2.0
#include "partita/solve/staged/window_search.h"

#include <algorithm>
#include <limits>

#include "partita/solve/staged/anneal.h"
#include "partita/solve/staged/limit_question.h"
#include "partita/solve/staged/pipeline_window.h"

namespace partita::detail {
namespace {

constexpr double kWorthAsking = 1e-6;  // the least improvement that is asked for, as a share of the load
constexpr double kGoodStep = 0.01, kLeastStep = 6e-4;  // how much less is asked for after a yes, as a share of the load
constexpr int kBuckets = 24, kRounds = 3;
constexpr std::size_t kUsual = 3;                // stages
constexpr std::size_t kMostWindowGroups = 4000;  // presolving more takes longer than it gains
constexpr std::uint64_t kTicksPerGroup = 40;     // what presolving a question takes, about

class WindowSearch {
 public:
  WindowSearch(const StageGraph& graph, const StagePlatform& platform, const StagedSplit& start,
               const WindowSearchOptions& options, WindowMemory& memory, Rng& rng, Budget& budget)
      : graph_(graph),
        platform_(platform),
        options_(options),
        rng_(rng),
        budget_(budget),
        stages_(start.stages),
        memory_(memory) {
    measure();
  }

  std::optional<StagedSplit> run() {
    while (!budget_.exhausted()) {
      const std::optional<Window> window = next_window();
      if (!window) break;
      improve(*window);
    }
    if (!improved_) return std::nullopt;
    return StagedSplit{largest_load(graph_, stages_), std::move(stages_)};
  }

 private:
  struct Window {
    std::size_t first, count;
    bool with_spare;  // may use devices that hold nothing now
    double largest;
    std::uint64_t key;
  };

  double load_of(const Stage& stage) const {
    return stage.on_host ? host_load(graph_, stage.groups) : accelerator_load(graph_, stage.groups);
  }

  void measure() {
    loads_.clear();
    spare_ = platform_;
    for (const Stage& stage : stages_) {
      loads_.push_back(load_of(stage));
      --(stage.on_host ? spare_.hosts : spare_.accelerators);
    }
  }

  std::span<const Stage> stages_of(const Window& window) const {
    return std::span(stages_).subspan(window.first, window.count);
  }

  // Windows with the same stages that are asked the same have the same key; different ones hardly ever.
  std::uint64_t key_of(const Window& window) const {
    std::uint64_t key = (window.with_spare ? 1 : 0) + (has_bottleneck(window) ? 2 : 0);
    const auto mix = [&](std::uint64_t x) {
      key = (key ^ (x + 0x9e3779b97f4a7c15)) * 0xd6e8feb86659fd93, key ^= key >> 32;
    };
    for (const Stage& stage : stages_of(window)) {
      mix(stage.on_host ? 1 : 2);
      for (GroupId v : stage.groups) mix(v.index() + 3);
    }
    return key;
  }

  // Of those still to be asked: the ones with the bottleneck, then others, then the ones with the bottleneck and all
  // devices that hold nothing, then wide ones. Of each kind the narrowest, and of these the one with the largest load.
  std::optional<Window> next_window() const {
    const struct {
      std::size_t narrowest, widest;
      bool bottleneck, with_spare;
    } kinds[] = {{2, kUsual, true, false},
                 {2, kUsual, false, false},
                 {1, kUsual, true, true},
                 {kUsual + 1, options_.widest, true, false}};
    for (const auto& kind : kinds) {
      if (kind.with_spare && spare_.accelerators + spare_.hosts == 0) continue;
      for (std::size_t count = kind.narrowest; count <= std::min(kind.widest, stages_.size()); ++count) {
        if (auto window = next_window(count, kind.bottleneck, kind.with_spare)) return window;
      }
    }
    return std::nullopt;
  }

  std::optional<Window> next_window(std::size_t count, bool bottleneck, bool with_spare) const {
    std::optional<Window> best;
    for (std::size_t first = 0; first + count <= stages_.size(); ++first) {
      Window window{first, count, with_spare, 0, 0};
      window.largest = *std::max_element(loads_.begin() + first, loads_.begin() + first + count);
      if (window.largest <= 0 || has_bottleneck(window) != bottleneck) continue;
      if (best && window.largest <= best->largest) continue;
      window.key = key_of(window);
      const auto asked = memory_.asked.find(window.key);
      if (asked == memory_.asked.end() || asked->second < options_.slice) best = window;
    }
    return best;
  }

  bool has_bottleneck(const Window& window) const {
    return window.largest >= *std::max_element(loads_.begin(), loads_.end()) * (1 - kWorthAsking);
  }

  // First for anything less than the largest load; after a yes for as much less again as it was, or half of that. Where
  // the bottleneck is not concerned, any good step will do: if it moves others, this one is asked again.
  void improve(const Window& window) {
    std::uint64_t& asked = memory_.asked[window.key];
    asked = options_.slice;
    const StagePlatform devices = devices_of(window);
    std::size_t groups = 0;
    for (const Stage& stage : stages_of(window)) groups += stage.groups.size();
    if (groups > kMostWindowGroups) return;
    const bool bottleneck = has_bottleneck(window);
    double high = window.largest, step = kGoodStep;
    double limit = high * (1 - (bottleneck ? kWorthAsking : kGoodStep));
    std::vector<Stage> best;
    const std::vector<Stage> before(stages_of(window).begin(), stages_of(window).end());
    for (; step >= kLeastStep && !budget_.exhausted(); limit = high * (1 - step)) {
      budget_.spend(kTicksPerGroup * groups);
      auto found = ask(devices, before, limit, asked);
      if (found && found->value < high) {
        high = found->value;
        best = std::move(found->stages);
      } else {
        step /= 4;
      }
      if (best.empty() || !bottleneck) break;
    }
    if (!best.empty()) replace(window, std::move(best));
  }

  StagePlatform devices_of(const Window& window) const {
    StagePlatform devices = spare_;
    if (!window.with_spare) devices.accelerators = devices.hosts = 0;
    for (const Stage& stage : stages_of(window)) ++(stage.on_host ? devices.hosts : devices.accelerators);
    return devices;
  }

  // A split of the window with all loads within the limit, or at least below what they were; of the whole graph.
  std::optional<StagedSplit> ask(const StagePlatform& devices, const std::vector<Stage>& before, double limit,
                                 std::uint64_t& asked) {
    const PipelineWindow window(graph_, devices, before, limit);
    if (!window.graph().has_closure()) return std::nullopt;
    LimitOptions options{options_.settings, options_.presolve};
    options.settings.host_cases = options.settings.host_cases && !window.reaches_out();
    // A few stages need no windows of work as fine as a whole pipeline does.
    options.presolve.window_buckets = std::min(options.presolve.window_buckets, kBuckets);
    options.presolve.window_rounds = std::min(options.presolve.window_rounds, kRounds);
    options.settings.search_buckets = PresolveSettings::kMostRefined * options.presolve.window_buckets;
    const LimitAnswer reply = ask_limit(
        window.graph(), Threshold{window.platform(), limit}, options_.slice, budget_,
        [](std::size_t, const std::string&) {}, options);
    if (reply.split) {
      if (auto found = measured(window, reply.split->stages); found && found->value <= limit) return found;
    }
    // Annealing aims below the limit, where the outside is already if it keeps others off a host by its time.
    const bool blocked = window.reaches_out() && devices.hosts > 0;
    if (reply.answer == Answer::No) asked = std::numeric_limits<std::uint64_t>::max();
    if (reply.answer == Answer::No || blocked || !options_.settings.annealing) return std::nullopt;
    std::vector<Stage> start = window.lower(before);
    const double value = largest_load(window.graph(), start);
    AnnealOptions annealing;
    annealing.moves = options_.slice;
    const auto annealed =
        anneal(window.graph(), window.platform(), {value, std::move(start)}, annealing, rng_, budget_);
    return annealed ? measured(window, annealed->stages) : std::nullopt;
  }

  // Lifted, with its largest load on the whole graph, if no device is overfull.
  std::optional<StagedSplit> measured(const PipelineWindow& window, const std::vector<Stage>& stages) const {
    auto lifted = window.lift(stages);
    if (!lifted) return std::nullopt;
    for (const Stage& stage : *lifted) {
      double memory = 0;
      for (GroupId v : stage.groups) memory += graph_.group(v).memory;
      if (memory > (stage.on_host ? platform_.host_memory : platform_.accelerator_memory)) return std::nullopt;
    }
    return StagedSplit{largest_load(graph_, *lifted), std::move(*lifted)};
  }

  void replace(const Window& window, std::vector<Stage> stages) {
    const auto at = stages_.erase(stages_.begin() + window.first, stages_.begin() + window.first + window.count);
    stages_.insert(at, std::make_move_iterator(stages.begin()), std::make_move_iterator(stages.end()));
    improved_ = true;
    measure();
  }

  const StageGraph& graph_;
  const StagePlatform& platform_;
  const WindowSearchOptions& options_;
  Rng& rng_;
  Budget& budget_;
  std::vector<Stage> stages_;
  std::vector<double> loads_;
  StagePlatform spare_;
  WindowMemory& memory_;
  bool improved_ = false;
};

}  // namespace

std::optional<StagedSplit> search_windows(const StageGraph& graph, const StagePlatform& platform,
                                          const StagedSplit& start, const WindowSearchOptions& options,
                                          WindowMemory& memory, Rng& rng, Budget& budget) {
  return WindowSearch(graph, platform, start, options, memory, rng, budget).run();
}

}  // namespace partita::detail
