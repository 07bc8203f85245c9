#include "inplace/order_graph.hpp"

#include <array>
#include <utility>

#include "base/hash.hpp"
#include "base/planning_work.hpp"

namespace cornerturn {
namespace {

/// True if the mode before the boundary `first` and the mode after the boundary `second` are neighbours in the result, or its
/// ends.
bool are_neighbours(mode_order const& order, std::size_t first, std::size_t second) {
  int const before = first == 0 ? -1 : order[first - 1], after = second == order.size() ? int(second) : order[second];
  return before + 1 == after;
}

bool is_break(mode_order const& order, std::size_t boundary) { return !are_neighbours(order, boundary, boundary); }

int breaks_in(mode_order const& order) {
  int result = 0;
  for (std::size_t i = 0; i <= order.size(); ++i) result += is_break(order, i);
  return result;
}

}  // namespace

order_graph::order_graph(mode_order const& start, std::vector<std::int64_t> extents, exchange_cost bound, bool separates)
    : extents_(std::move(extents)), bound_(std::move(bound)), separates_(separates) {
  index_of(start);
}

void order_graph::forbid_others() {
  forbids_others_ = true;
  for (std::size_t i = 0; i < costs_.size(); ++i)
    if (!is_set_[i]) costs_[i] = kImpossible;
}

std::span<order_graph::edge const> order_graph::edges_from(int index) {
  if (auto const& from = vertices_[std::size_t(index)]; !from.is_listed) {
    auto edges = list_edges(mode_order(from.order));
    auto& listed = vertices_[std::size_t(index)];
    listed.edges = std::move(edges), listed.is_listed = true;
  }
  return vertices_[std::size_t(index)].edges;
}

std::size_t order_graph::exchange_hash::operator()(exchange const& each) const {
  return numbers_hash()(std::array{each.rows, each.between, each.columns, each.run});
}

int order_graph::index_of(mode_order const& order) {
  auto const [at, is_new] = order_indices_.try_emplace(order, orders());
  if (is_new) vertices_.push_back({order, breaks_in(order), {}});
  return at->second;
}

int order_graph::index_of(exchange const& each) {
  auto const [at, is_new] = exchange_indices_.try_emplace(each, int(exchanges_.size()));
  if (is_new)
    exchanges_.push_back(each), costs_.push_back(forbids_others_ ? kImpossible : bound_(each)), is_set_.push_back(false);
  return at->second;
}

std::vector<order_graph::edge> order_graph::list_edges(mode_order const& order) {
  constexpr std::size_t kModesOfAllExchanges = 8;
  bool const must_join = modes() > kModesOfAllExchanges;
  // The order is cut into groups. `groups` has the product of each group's extents, `inside` the product of all extents after a
  // cut.
  std::vector<std::size_t> cuts;
  std::vector<std::int64_t> groups, inside;
  std::int64_t elements = 1;
  for (std::size_t i = 0; i <= order.size(); ++i) {
    if (separates_ || is_break(order, i)) cuts.push_back(i), groups.push_back(1), inside.push_back(1);
    if (i == order.size()) break;
    auto const extent = extents_[std::size_t(order[i])];
    elements *= extent;
    if (!groups.empty()) groups.back() *= extent;
    for (auto& each : inside) each *= extent;
  }
  // True if an exchange of the groups between these cuts joins more neighbours than it separates. The second and the third cut
  // are equal if the groups are adjacent.
  auto const joins_more = [&](std::size_t first, std::size_t second, std::size_t third, std::size_t end) {
    auto const meet = [&](std::size_t before, std::size_t after) {
      return int(are_neighbours(order, cuts[before], cuts[after]));
    };
    auto const outer = meet(first, third) + meet(second, end) - meet(first, first) - meet(end, end);
    return second == third ? outer + meet(end, first) > meet(second, second)
                           : outer + meet(end, second) + meet(third, first) > meet(second, second) + meet(third, third);
  };
  std::vector<edge> edges;
  mode_order to;
  auto const add = [&](std::size_t first, std::size_t second, std::size_t third, std::size_t end, exchange const& each) {
    ++work_of_planning.edges;
    if (must_join && !joins_more(first, second, third, end)) return;
    if (bound_(each) == kImpossible) return;  // an array that is refused has many such exchanges, which need no index
    auto const by = index_of(each);
    if (cost_of(by) == kImpossible) return;
    auto const append = [&](std::size_t from, std::size_t before) { to.append(order, cuts[from], cuts[before] - cuts[from]); };
    to.assign(order, 0, cuts[first]);
    append(third, end), append(second, third), append(first, second);
    to.append(order, cuts[end]);
    edges.push_back({index_of(to), by});
  };
  for (std::size_t a = 0; a < cuts.size(); ++a) {
    auto const batch = elements / inside[a];
    std::int64_t rows = 1;
    for (auto b = a + 1; b < cuts.size(); ++b) {
      rows *= groups[b - 1];
      std::int64_t middle = 1;
      for (auto c = b + 1; c < cuts.size(); ++c) {
        middle *= groups[c - 1];
        add(a, b, b, c, {batch, rows, 1, middle, inside[c]});
        std::int64_t columns = 1;
        for (auto d = c + 1; d < cuts.size(); ++d) {
          columns *= groups[d - 1];
          add(a, b, c, d, {batch, rows, middle, columns, inside[d]});
        }
      }
    }
  }
  return edges;
}

}  // namespace cornerturn
