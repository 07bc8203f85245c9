#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "problem/exchange.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The canonical problem that a sequence of exchanges solves. Members are not trusted: returns nothing if the sequence is empty,
/// a member is less than 1, or the exchanges do not fit the modes of one array.
std::optional<problem> problem_of(std::vector<exchange> const& sequence, std::int64_t element_size);

/// The cost of an exchange that is not possible.
inline constexpr double kImpossible = std::numeric_limits<double>::infinity();

/// Returns the cost of an exchange, at least 1, or `kImpossible`.
using exchange_cost = std::function<double(exchange const&)>;

/// A sequence of exchanges that together permute an array, with a low sum of the costs; nothing if no possible sequence is found.
/// `given` is a canonical problem whose source and destination are one dense array. `bound` is quick and returns a lower bound of
/// `cost`. `cost` is only called for exchanges of promising sequences, once for each. With up to six modes, all sequences are
/// compared; with more modes, the most promising ones. If `separates` is true, an exchange may separate modes that are neighbours
/// in the result.
std::optional<std::vector<exchange>> exchanges_of(problem const& given, exchange_cost const& bound, exchange_cost const& cost,
                                                  bool separates = false);

/// The sequence that `exchanges_of` finds. If it finds none, it is asked again with exchanges that separate neighbours, and then
/// with the longest modes split, until there are six modes or one more than before. So a rectangle with a long side becomes
/// smaller ones.
std::optional<std::vector<exchange>> any_exchanges_of(problem const& canonical, exchange_cost const& bound,
                                                      exchange_cost const& cost);

}  // namespace cornerturn
