#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "inplace/sequences.hpp"

namespace cornerturn {

/// An order of modes in memory, outermost first. Each mode is written as its position in the result, so the result is sorted.
using mode_order = std::string;

/// The orders of some modes, and the exchanges that lead from one order to another. Orders and exchanges have indices. Each is
/// listed once, at its first use, because a search visits it many times.
class order_graph {
 public:
  /// An exchange, and the order to which it leads.
  struct edge {
    int order, by;  ///< indices of the order and of the exchange
  };

  static constexpr int kStart = 0;  ///< index of the order in which a search begins

  /// `extents` are the extents of the modes in the result. If `separates` is true, an exchange may separate modes that are
  /// neighbours in the result. Exchanges cost their bounds until their costs are set.
  order_graph(mode_order const& start, std::vector<std::int64_t> extents, exchange_cost bound, bool separates);

  std::size_t modes() const { return extents_.size(); }
  int orders() const { return int(vertices_.size()); }
  mode_order const& order_at(int index) const { return vertices_[std::size_t(index)].order; }
  /// The number of neighbours in an order that are not neighbours in the result; 0 for the result.
  int breaks_at(int index) const { return vertices_[std::size_t(index)].breaks; }

  exchange const& exchange_at(int index) const { return exchanges_[std::size_t(index)]; }
  double cost_of(int exchange) const { return costs_[std::size_t(exchange)]; }
  bool is_set(int exchange) const { return is_set_[std::size_t(exchange)]; }
  void set_cost(int exchange, double cost) { costs_[std::size_t(exchange)] = cost, is_set_[std::size_t(exchange)] = true; }
  /// Makes all exchanges impossible, except those whose costs are set.
  void forbid_others();

  /// The possible exchanges of an order. If there are many modes, only exchanges that join neighbours.
  std::span<edge const> edges_from(int order);

 private:
  struct vertex {
    mode_order order;
    int breaks;
    std::vector<edge> edges;
    bool is_listed = false;  ///< true if `edges` are filled in
  };
  struct exchange_hash {
    std::size_t operator()(exchange const& each) const;
  };

  int index_of(mode_order const& order);
  int index_of(exchange const& each);
  std::vector<edge> list_edges(mode_order const& order);

  std::vector<std::int64_t> extents_;
  exchange_cost bound_;
  bool separates_, forbids_others_ = false;
  std::vector<vertex> vertices_;
  std::unordered_map<mode_order, int> order_indices_;
  // by exchange
  std::vector<exchange> exchanges_;
  std::vector<double> costs_;
  std::vector<bool> is_set_;
  std::unordered_map<exchange, int, exchange_hash> exchange_indices_;
};

}  // namespace cornerturn
