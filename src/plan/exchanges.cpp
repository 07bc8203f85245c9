#include "plan/exchanges.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

/// An order of the modes in memory, outermost first: the positions that they have in the result. A sorted order is the result.
using mode_order = std::string;

/// A sequence of exchanges that leads to an order.
struct path {
  std::vector<exchange> exchanges;
  double cost = 0;
};

/// Finds cheap sequences among the orders of some modes.
class order_search {
 public:
  /// `extents` are those of the modes in the result.
  order_search(mode_order start, std::vector<std::int64_t> extents, bool separates)
      : start_(std::move(start)), extents_(std::move(extents)), separates_(separates) {}

  std::size_t modes() const { return extents_.size(); }
  bool visits_all_orders() const { return modes() <= kModesOfAllOrders; }

  /// The cheapest sequence that is found. Empty if none is possible. If there are too many orders to visit all, each exchange
  /// starts from about `visits` / modes^2 of them.
  std::optional<path> cheapest(exchange_cost const& cost, std::size_t visits) const {
    std::optional<path> found;
    std::map<mode_order, double> best;
    std::vector<std::pair<mode_order, path>> level{{start_, {}}};
    while (!level.empty()) {
      std::map<mode_order, path> next;
      for (auto const& [order, way] : level)
        for_each_exchange(order, cost, [&](mode_order const& to, exchange const& each, double step_cost) {
          auto const total = way.cost + step_cost;
          auto const known = best.find(to);
          if (total + least_cost(to) >= (found ? found->cost : kImpossible) || (known != best.end() && known->second <= total))
            return;
          best[to] = total;
          path extended{way.exchanges, total};
          extended.exchanges.push_back(each);
          if (breaks_in(to) == 0)
            found = std::move(extended);
          else
            next[to] = std::move(extended);
        });
      level.assign(std::make_move_iterator(next.begin()), std::make_move_iterator(next.end()));
      if (!visits_all_orders()) keep_promising(level, visits);
    }
    return found;
  }

 private:
  static constexpr std::size_t kModesOfAllOrders = 6, kModesOfAllExchanges = 8;
  static constexpr int kMostBreaksRemoved = 4;  ///< an exchange joins at most four pairs of neighbours

  /// True if the modes before and after a boundary are not neighbours in the result.
  static bool is_break(mode_order const& order, std::size_t boundary) {
    int const before = boundary == 0 ? -1 : order[boundary - 1],
              after = boundary == order.size() ? int(boundary) : order[boundary];
    return before + 1 != after;
  }

  static int breaks_in(mode_order const& order) {
    int result = 0;
    for (std::size_t i = 0; i <= order.size(); ++i) result += is_break(order, i);
    return result;
  }

  /// A lower bound of the cost from an order to the result.
  static double least_cost(mode_order const& order) {
    return double((breaks_in(order) + kMostBreaksRemoved - 1) / kMostBreaksRemoved);
  }

  std::int64_t product(mode_order const& order, std::size_t first, std::size_t end) const {
    return std::transform_reduce(order.begin() + std::ptrdiff_t(first), order.begin() + std::ptrdiff_t(end), std::int64_t(1),
                                 std::multiplies<>(), [&](char each) { return extents_[std::size_t(each)]; });
  }

  /// Calls use(order after it, exchange, its cost) for the possible exchanges. If there are many modes, the exchange must join
  /// neighbours.
  template <class Use>
  void for_each_exchange(mode_order const& order, exchange_cost const& cost, Use const& use) const {
    std::vector<std::size_t> cuts;
    for (std::size_t i = 0; i <= order.size(); ++i)
      if (separates_ || is_break(order, i)) cuts.push_back(i);
    bool const must_join = modes() > kModesOfAllExchanges;
    auto const breaks = breaks_in(order);
    auto const try_cuts = [&](std::size_t first, std::size_t second, std::size_t third, std::size_t end) {
      exchange const each{.batch = product(order, 0, first),
                          .rows = product(order, first, second),
                          .between = product(order, second, third),
                          .columns = product(order, third, end),
                          .run = product(order, end, order.size())};
      auto const to = order.substr(0, first) + order.substr(third, end - third) + order.substr(second, third - second) +
                      order.substr(first, second - first) + order.substr(end);
      if (must_join && breaks_in(to) >= breaks) return;
      if (auto const step_cost = cost(each); step_cost < kImpossible) use(to, each, step_cost);
    };
    for (std::size_t a = 0; a < cuts.size(); ++a)
      for (auto b = a + 1; b < cuts.size(); ++b)
        for (auto c = b + 1; c < cuts.size(); ++c) {
          try_cuts(cuts[a], cuts[b], cuts[b], cuts[c]);
          for (auto d = c + 1; d < cuts.size(); ++d) try_cuts(cuts[a], cuts[b], cuts[c], cuts[d]);
        }
  }

  /// Keeps the orders with the lowest expected cost.
  void keep_promising(std::vector<std::pair<mode_order, path>>& level, std::size_t visits) const {
    constexpr double kCostOfBreak = 0.6;
    auto const kept = std::max<std::size_t>(1, visits / (modes() * modes()));
    auto const expected = [](auto const& each) { return each.second.cost + kCostOfBreak * breaks_in(each.first); };
    std::ranges::stable_sort(level, {}, expected);
    if (level.size() > kept) level.resize(kept);
  }

  mode_order start_;
  std::vector<std::int64_t> extents_;
  bool separates_;
};

/// The search for a canonical problem.
order_search search_for(problem const& given, bool separates) {
  std::vector<std::int64_t> extents;  // by falling destination stride, as the canonical order is
  for (auto const& each : given.modes) extents.push_back(each.extent);
  mode_order start(given.modes.size(), '\0');
  std::iota(start.begin(), start.end(), '\0');
  std::ranges::sort(start, std::greater(), [&](char each) { return given.modes[std::size_t(each)].source_stride; });
  return {std::move(start), std::move(extents), separates};
}

}  // namespace

problem problem_of(exchange const& each, std::int64_t element_size) {
  auto const column = each.run, row = each.between * each.columns * each.run, new_row = each.between * each.rows * each.run,
             array = each.rows * row;
  return canonical({.modes = {{each.batch, array, array},
                              {each.columns, column, new_row},
                              {each.between, each.columns * each.run, each.rows * each.run},
                              {each.rows, row, column},
                              {each.run, 1, 1}},
                    .element_size = element_size});
}

std::optional<std::vector<exchange>> exchanges_of(problem const& given, exchange_cost const& bound, exchange_cost const& cost,
                                                  bool separates) {
  constexpr std::size_t kRounds = 2000, kFewVisits = 2000, kManyVisits = 20'000;
  if (given.modes.empty()) return std::nullopt;  // nothing moves
  auto const search = search_for(given, separates);
  auto const rounds = kRounds / (search.modes() * search.modes());
  auto visits = kFewVisits;
  std::map<exchange, double> known;
  // Every round replaces the bounds of the exchanges in the cheapest sequence by their costs, until it has no bound.
  for (std::size_t round = 0;; ++round) {
    auto const cost_or_bound = [&](exchange const& each) {
      if (auto const at = known.find(each); at != known.end()) return at->second;
      return round < rounds ? bound(each) : kImpossible;
    };
    auto const found = search.cheapest(cost_or_bound, visits);
    if (!found && visits == kFewVisits && !search.visits_all_orders()) {
      visits = kManyVisits;
      continue;
    }
    if (!found) return std::nullopt;
    bool is_known = true;
    for (auto const& each : found->exchanges)
      if (!known.contains(each)) known[each] = cost(each), is_known = false;
    if (is_known) return found->exchanges;
  }
}

}  // namespace cornerturn
