// SPDX-License-Identifier: Apache-2.0
#include "partita/portfolio/shared_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "partita/check/certificate.h"
#include "partita/model/shared_links.h"
#include "partita/portfolio/best_so_far.h"
#include "partita/portfolio/dearer_transfers.h"
#include "partita/portfolio/vary.h"
#include "partita/util/error.h"

namespace partita::detail {
namespace {

constexpr double kWeights[] = {1, 0.5, 0.75, 0.25, 0.875};  // of the link against a device's own load
constexpr double kWeightOnFewer = 0.5;
constexpr int kMostQuestions = 40;                // beside the first
constexpr double kPartOfFirst = 0.75;             // of the time that is left, for the question without links
constexpr double kPartOfOthers = 0.25;            // for each of the others
constexpr std::uint64_t kLeastTicks = 2'000'000;  // for each of the others, or twice those of the first
constexpr double kRoundingOfValue = 1e-9;
constexpr double kRoundingOfBound = 1e-12;  // prices are sums in another order

class SharedLinkSearch {
 public:
  SharedLinkSearch(const Problem& problem, const PlanOptions& options, const AskPlain& ask, Budget& budget,
                   const Sink& sink, Plan& plan)
      : problem_(problem),
        platform_(problem.workload->platform),
        plain_(without_shared_links(problem)),
        ask_(ask),
        budget_(budget),
        plan_(plan),
        best_(problem, options, budget, sink, plan) {}

  void run() {
    if (!ask_without_links()) return;
    if (links_matter_) look_for_less_traffic();
    if (!plan_.result.unverified && best_.bound() > best_.value() * (1 + kOptimalGap)) {
      throw std::logic_error(fmt::format("the bound {} of a question with dearer transfers is above the value {}",
                                         best_.bound(), best_.value()));
    }
    best_.settle();
  }

 private:
  void look_for_less_traffic() {
    for (const double weight : kWeights) {
      if (!best_.done()) ask_with_dearer_transfers(weight);
    }
    if (!platform_.clusters) ask_on_fewer_devices();
    const bool plain_splits =
        !platform_.clusters && problem_.replicas == 1 && problem_.memory_model == MemoryModel::Flat;
    if (plain_splits) best_.try_every_split();
  }

  std::uint64_t ticks_left(double part) const {
    constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
    if (budget_.limits().ticks == kAll) return kAll;
    return static_cast<std::uint64_t>(part * static_cast<double>(budget_.ticks_left())) + 1;
  }

  // False where there is no split, with the reason in the plan.
  bool ask_without_links() {
    const Sink news = [this](const Progress& progress) {
      if (progress.event == Progress::Event::Done) return;
      Progress known = progress;  // values are those without the links
      if (known.event == Progress::Event::Split) known.event = Progress::Event::Searching;
      best_.pass_on(known, kUnlimited, progress.bound);
    };
    Budget part(budget_, ticks_left(kPartOfFirst), kPartOfFirst * budget_.seconds_left());
    Plan first = ask_(plain_, part, news);
    ticks_ = std::max(kLeastTicks, 2 * part.ticks_used());
    if (!first.result.split) {
      const std::uint64_t seed = plan_.result.seed;
      plan_ = std::move(first);  // the same splits are legal
      plan_.result.seed = seed;
      return false;
    }
    if (first.certificate && !verify(problem_, *first.certificate, &budget_).holds) first.certificate.reset();
    best_.raise_bound(first.result.bound, "without the shared links: " + first.result.proof, first.result.unverified,
                      std::move(first.certificate));
    const double without = first.result.value;
    best_.offer(std::move(*first.result.split));
    links_matter_ = best_.value() > without * (1 + kRoundingOfValue);
    best_.tell(Progress::Event::Split, 0, "");
    return true;
  }

  // Nothing where it has no answer for want of time, or because its numbers are too far apart.
  std::optional<Plan> ask(const Problem& question) {
    if (best_.done() || ++questions_ > kMostQuestions) return std::nullopt;
    Budget part(budget_, std::min(ticks_, ticks_left(kPartOfOthers)), kPartOfOthers * budget_.seconds_left());
    try {
      return ask_(question, part, {});
    } catch (const InputError&) {
      return std::nullopt;
    }
  }

  bool offer(std::optional<Split> split) {
    if (!split || !best_.offer(std::move(*split))) return false;
    best_.tell(Progress::Event::Split, 0, "");
    return true;
  }

  // The link that is busiest with the best split so far.
  const SharedLink* busiest_link() const {
    const auto& links = plan_.report.shared_links;
    const auto busiest = std::ranges::max_element(links, {}, &SharedLinkReport::load);
    return busiest == links.end() ? nullptr : &platform_.shared_links[busiest->link];
  }

  void ask_with_dearer_transfers(double weight) {
    const SharedLink* link = busiest_link();
    if (!link) return;
    const std::optional<Problem> question = with_dearer_transfers(problem_, *link, weight);
    if (!question) return;
    std::optional<Plan> answer = ask(*question);
    if (!answer) return;
    const Result& result = answer->result;
    const double bound = result.bound * (1 - kRoundingOfBound);
    if (!result.unverified && bound > best_.bound() &&
        best_.raise_bound(bound, "with a shared link in the loads: " + result.proof))
      best_.tell(Progress::Event::Bound, 0, best_.proof());
    offer(std::move(answer->result.split));
  }

  // How many devices of each class the best split uses.
  IdVector<ClassId, int> devices_used() const {
    IdVector<ClassId, int> used(platform_.classes.size(), 0);
    for (DeviceId d : plan_.report.devices.all()) {
      if (plan_.report.devices[d].original.valid()) ++used[platform_.class_of(d)];
    }
    return used;
  }

  // With one device less of each class behind the busiest link than the best split uses, for as long as that helps. Where
  // a class has but one such question to follow, it goes on until that cannot help any more.
  void ask_on_fewer_devices() {
    IdVector<ClassId, int> counts = devices_used();
    for (bool helps = true; helps && !best_.done();) {
      helps = false;
      const SharedLink* link = busiest_link();
      if (!link) return;
      std::vector<ClassId> behind;
      for (ClassId c : counts.all()) {
        if (counts[c] > 0 && goes_over(platform_, *link, c)) behind.push_back(c);
      }
      for (ClassId c : behind) {
        IdVector<ClassId, int> fewer = counts;
        --fewer[c];
        const bool promising = ask_on(fewer, *link);
        if (behind.size() == 1) {
          counts = fewer;
          helps = promising;
        } else {
          helps = helps || devices_used() != counts;
        }
      }
      if (behind.size() != 1) counts = devices_used();
    }
  }

  // Of classes that are not behind the link, all are there. True unless no split on so many devices can be the best.
  bool ask_on(const IdVector<ClassId, int>& counts, const SharedLink& link) {
    Problem fewer = problem_;
    Platform& platform = fewer.workload.change().platform;
    for (ClassId c : counts.all()) {
      if (goes_over(platform_, link, c)) platform.classes[c].count = counts[c];
    }
    if (platform.device_count() == 0) return false;
    const std::optional<Plan> answer = ask(without_shared_links(fewer));
    if (!answer || answer->result.status == Status::Infeasible || answer->result.bound >= best_.value()) return false;
    if (answer->result.split) offer(moved(platform, *answer->result.split, platform_));
    if (const std::optional<Problem> dearer = with_dearer_transfers(fewer, link, kWeightOnFewer)) {
      const std::optional<Plan> other = ask(*dearer);
      if (other && other->result.split) offer(moved(platform, *other->result.split, platform_));
    }
    return true;
  }

  const Problem& problem_;
  const Platform& platform_;
  const Problem plain_;
  const AskPlain& ask_;
  Budget& budget_;
  Plan& plan_;
  BestSoFar best_;
  std::uint64_t ticks_ = kLeastTicks;  // for each further question
  int questions_ = 0;
  bool links_matter_ = false;  // the best split without the links costs more with them
};

}  // namespace

void plan_shared_links(const Problem& problem, const PlanOptions& options, const AskPlain& ask, Budget& budget,
                       const Sink& sink, Plan& plan) {
  SharedLinkSearch(problem, options, ask, budget, sink, plan).run();
}

}  // namespace partita::detail
