#include "inplace/sequences.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/divisors.hpp"
#include "base/planning_work.hpp"
#include "inplace/order_graph.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// A lower bound of the cost from an order with `breaks` breaks to the result.
double least_cost(int breaks) {
  constexpr int kMostBreaksRemoved = 4;  // an exchange joins at most four pairs of neighbours
  return double((breaks + kMostBreaksRemoved - 1) / kMostBreaksRemoved);
}

/// The first eight modes of an order as a number. For orders of up to eight modes, it sorts them like words.
std::uint64_t rank_of(mode_order const& order) {
  std::uint64_t result = 0;
  for (char const each : order.substr(0, sizeof result)) result = result << CHAR_BIT | std::uint64_t(each);
  return result;
}

/// Finds cheap sequences of exchanges. A search is repeated when costs have changed.
class sequence_search {
 public:
  explicit sequence_search(order_graph& graph) : graph_(graph) {}

  bool visits_all_orders() const { return graph_.modes() <= kModesOfAllOrders; }

  /// The cheapest sequence that is found, as indices of exchanges; empty if no sequence is possible. If there are too many orders
  /// to visit all, each exchange starts from about `visits` / modes^2 orders.
  std::vector<int> cheapest(std::size_t visits) {
    found_ = kImpossible, last_ = kNone;
    steps_.clear();
    for (auto& each : orders_) each.best = kImpossible;
    std::vector<reached> level{{order_graph::kStart, 0, kNone}}, next;
    while (!level.empty()) {
      next.clear();
      for (auto const& from : level) extend(from, next);
      for (auto const& each : next) orders_[std::size_t(each.order)].position = kNone;
      keep_promising(next, visits);
      std::swap(level, next);
    }
    std::vector<int> sequence;
    for (auto at = last_; at != kNone; at = steps_[std::size_t(at)].before) sequence.push_back(steps_[std::size_t(at)].by);
    std::ranges::reverse(sequence);
    return sequence;
  }

 private:
  static constexpr std::size_t kModesOfAllOrders = 6;
  static constexpr int kNone = -1;

  /// The state of the search for one order.
  struct order_state {
    double best = kImpossible;  ///< the lowest cost from the start that is found
    double least;               ///< a lower bound of the cost to the result; 0 for the result
    std::uint64_t rank;         ///< first modes of the order as a number, so that orders are compared like words
    int position = kNone;       ///< index in the next level
  };
  /// The last exchange of a sequence, and the index of the step before it. All sequences are paths of a tree of steps.
  struct step_of_sequence {
    int before, by;
  };
  /// An order that some number of exchanges leads to, their cost, and the index of the last step.
  struct reached {
    int order;
    double cost;
    int last;
  };

  /// Adds the orders that are one more exchange away. Skips an order if a path with the same or a lower cost is known.
  void extend(reached const& from, std::vector<reached>& next) {
    auto const edges = graph_.edges_from(from.order);
    work_of_planning.edges += std::ssize(edges);
    for (auto i = int(orders_.size()); i < graph_.orders(); ++i)
      orders_.push_back({.least = least_cost(graph_.breaks_at(i)), .rank = rank_of(graph_.order_at(i))});
    for (auto const& [order, by] : edges) {
      auto const total = from.cost + graph_.cost_of(by);
      auto& to = orders_[std::size_t(order)];
      if (total + to.least >= found_ || to.best <= total) continue;
      to.best = total;
      steps_.push_back({from.last, by});
      reached const each{order, total, int(steps_.size()) - 1};
      if (to.least == 0) {
        found_ = total, last_ = each.last;
      } else if (to.position != kNone) {
        next[std::size_t(to.position)] = each;
      } else {
        to.position = int(next.size());
        next.push_back(each);
      }
    }
  }

  /// Sorts orders. If not all are visited, keeps those with the lowest expected cost.
  void keep_promising(std::vector<reached>& level, std::size_t visits) const {
    constexpr double kCostOfBreak = 0.6;
    auto const order = [&](reached const& each) -> mode_order const& { return graph_.order_at(each.order); };
    if (visits_all_orders()) {
      std::ranges::sort(level, {}, [&](reached const& each) { return orders_[std::size_t(each.order)].rank; });
      return;
    }
    auto const kept = std::min(level.size(), std::max<std::size_t>(1, visits / (graph_.modes() * graph_.modes())));
    auto const expected = [&](reached const& each) { return each.cost + kCostOfBreak * graph_.breaks_at(each.order); };
    std::ranges::partial_sort(level, level.begin() + std::ptrdiff_t(kept), [&](reached const& a, reached const& b) {
      auto const first = expected(a), second = expected(b);
      return first < second || (first == second && order(a) < order(b));
    });
    level.resize(kept);
  }

  order_graph& graph_;
  std::vector<order_state> orders_;
  std::vector<step_of_sequence> steps_;
  double found_ = kImpossible;  ///< the cost of the cheapest sequence that is found
  int last_ = kNone;            ///< index of its last step
};

/// The orders of a canonical problem's modes.
order_graph orders_of(problem const& given, exchange_cost const& bound, bool separates) {
  std::vector<std::int64_t> extents;  // by falling destination stride, as the canonical order is
  for (auto const& each : given.modes) extents.push_back(each.extent);
  mode_order start(given.modes.size(), '\0');
  std::iota(start.begin(), start.end(), '\0');
  std::ranges::sort(start, std::greater(), [&](char each) { return given.modes[std::size_t(each)].source_stride; });
  return {start, std::move(extents), bound, separates};
}

/// Splits the longest mode whose extent is not prime, at the divisor next to its square root. Returns nothing if all are prime.
std::optional<problem> split_longest(problem given) {
  auto const middle_divisor = [](mode const& each) {
    return divisors_of(each.extent, std::int64_t(std::sqrt(double(each.extent)))).back();
  };
  auto longest = given.modes.end();
  for (auto each = given.modes.begin(); each != given.modes.end(); ++each)
    if ((longest == given.modes.end() || each->extent > longest->extent) && middle_divisor(*each) > 1) longest = each;
  if (longest == given.modes.end()) return std::nullopt;
  auto const whole = *longest;
  auto const inner = middle_divisor(whole);
  *longest = {whole.extent / inner, whole.source_stride * inner, whole.destination_stride * inner};
  given.modes.insert(longest + 1, {inner, whole.source_stride, whole.destination_stride});
  return given;
}

/// The number of elements of an exchange with unchecked members. Returns nothing if a member is less than 1 or the product does
/// not fit.
std::optional<std::int64_t> elements_of(exchange const& each) {
  std::int64_t result = 1;
  for (auto const count : {each.batch, each.rows, each.between, each.columns, each.run})
    if (count < 1 || __builtin_mul_overflow(result, count, &result)) return std::nullopt;
  return result;
}

/// Moves the first modes, which together have `count` indices, from one list to the other. The last mode may be split. Returns
/// false if no modes have this product.
bool take(std::vector<mode>& from, std::int64_t count, std::vector<mode>& to) {
  while (count > 1) {
    auto& first = from.front();
    auto const taken = std::min(first.extent, count), inner = first.extent / taken;
    if (first.extent % taken != 0 || count % taken != 0) return false;
    to.push_back({taken, first.source_stride * inner});
    count /= taken;
    first.extent = inner;
    if (inner == 1) from.erase(from.begin());
  }
  return true;
}

}  // namespace

std::optional<problem> problem_of(std::vector<exchange> const& sequence, std::int64_t element_size) {
  auto const elements = sequence.empty() ? std::nullopt : elements_of(sequence.front());
  if (!elements) return std::nullopt;
  // The modes after some exchanges, slowest first. Their source strides are strides of the first array.
  std::vector<mode> modes{{*elements, 1}};
  if (*elements == 1) modes.clear();
  for (auto const& each : sequence) {
    if (elements_of(each) != elements) return std::nullopt;
    std::vector<mode> batch, rows, between, columns, run;
    if (!take(modes, each.batch, batch) || !take(modes, each.rows, rows) || !take(modes, each.between, between) ||
        !take(modes, each.columns, columns) || !take(modes, each.run, run))
      return std::nullopt;
    modes = std::move(batch);
    for (auto const& group : {columns, between, rows, run}) modes.insert(modes.end(), group.begin(), group.end());
  }
  std::int64_t stride = 1;
  for (auto each = modes.rbegin(); each != modes.rend(); stride *= each++->extent) each->destination_stride = stride;
  return canonical({.modes = std::move(modes), .element_size = element_size});
}

std::optional<std::vector<exchange>> exchanges_of(problem const& given, exchange_cost const& bound, exchange_cost const& cost,
                                                  bool separates) {
  constexpr std::size_t kRounds = 2000, kFewVisits = 2000, kManyVisits = 20'000;
  if (given.modes.empty()) return std::nullopt;  // nothing moves
  auto graph = orders_of(given, bound, separates);
  sequence_search search(graph);
  auto const rounds = kRounds / (graph.modes() * graph.modes());
  auto visits = kFewVisits;
  // Every round replaces the bounds of the exchanges in the cheapest sequence by their costs, until it has no bound.
  for (std::size_t round = 0;; ++round) {
    if (round == rounds) graph.forbid_others();
    auto const found = search.cheapest(visits);
    if (found.empty() && visits == kFewVisits && !search.visits_all_orders()) {
      visits = kManyVisits;
      continue;
    }
    if (found.empty()) return std::nullopt;
    bool is_known = true;
    for (auto const each : found)
      if (!graph.is_set(each)) graph.set_cost(each, cost(graph.exchange_at(each))), is_known = false;
    if (!is_known) continue;
    std::vector<exchange> result;
    for (auto const each : found) result.push_back(graph.exchange_at(each));
    return result;
  }
}

std::optional<std::vector<exchange>> any_exchanges_of(problem const& canonical, exchange_cost const& bound,
                                                      exchange_cost const& cost) {
  auto const most_modes = std::max<std::size_t>(6, canonical.modes.size() + 1);
  if (std::ranges::all_of(canonical.modes, stays)) return std::nullopt;
  if (auto found = exchanges_of(canonical, bound, cost)) return found;
  for (auto split = std::optional(canonical); split && split->modes.size() <= most_modes;
       split = split_longest(*std::move(split)))
    if (split->modes.size() > 2)
      if (auto found = exchanges_of(*split, bound, cost, true)) return found;
  return std::nullopt;
}

}  // namespace cornerturn
