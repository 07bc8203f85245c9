#include "distributed/peers.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "problem/element_types.hpp"
#include "problem/extents.hpp"
#include "problem/permuted.hpp"

namespace cornerturn::distributed {
namespace {

using ranges = std::vector<range>;

range intersection(range const& one, range const& other) {
  return {std::max(one.begin, other.begin), std::min(one.end, other.end)};
}

bool is_empty(ranges const& block) {
  return std::ranges::any_of(block, [](range const& each) { return each.begin >= each.end; });
}

/// Counts through the ranks of a side whose coordinates along each mode of the grid are in a range, in C order.
void visit_ranks(side const& of, ranges const& coordinates, std::function<void(std::int64_t)> const& visit) {
  if (is_empty(coordinates)) return;
  auto const size = coordinates.size();
  std::vector<std::int64_t> at(size);
  for (std::size_t i = 0; i < size; ++i) at[i] = coordinates[i].begin;
  for (;;) {
    std::int64_t rank = 0;
    for (std::size_t i = 0; i < size; ++i) rank = rank * of.grid()[i] + at[i];
    visit(rank);
    std::size_t i = size;
    while (i > 0 && ++at[i - 1] == coordinates[i - 1].end) {
      at[i - 1] = coordinates[i - 1].begin;
      --i;
    }
    if (i == 0) return;
  }
}

/// The coordinates of ranks whose blocks may have some of these indices, one range per mode of the side's grid. If several modes
/// of the grid divide one mode of the array, only the first mode of the grid is narrowed.
ranges coordinates_with(side const& of, ranges const& indices) {
  ranges result;
  for (auto const extent : of.grid()) result.push_back({0, extent});
  for (std::size_t mode = 0; mode < indices.size(); ++mode) {
    auto const blocks = of.blocks_with(mode, indices[mode]);
    std::int64_t inner = 1;  // blocks per coordinate along the first of the grid's modes that divide this mode
    std::size_t first = of.grid().size();
    for (std::size_t i = of.grid().size(); i-- > 0;)
      if (of.modes()[i] == std::int64_t(mode)) {
        if (first < of.grid().size()) inner *= of.grid()[first];
        first = i;
      }
    if (blocks.begin >= blocks.end)
      for (auto& each : result) each.end = each.begin;
    else if (first < of.grid().size())
      result[first] = {blocks.begin / inner, (blocks.end - 1) / inner + 1};
  }
  return result;
}

void visit_overlaps(side const& of, ranges const& coordinates, ranges const& block, auto const& block_of,
                    peer_visitor const& visit) {
  ranges common(block.size());
  visit_ranks(of, coordinates, [&](std::int64_t rank) {
    auto const other = block_of(rank);
    for (std::size_t mode = 0; mode < block.size(); ++mode) {
      common[mode] = intersection(block[mode], other[mode]);
      if (common[mode].begin >= common[mode].end) return;
    }
    visit(rank, common);
  });
}

/// Ranges of the source's modes as ranges of the destination's modes.
ranges permuted(ranges const& of_source, std::vector<std::int64_t> const& axes) {
  ranges result;
  for (auto const axis : axes) result.push_back(of_source[axis]);
  return result;
}

}  // namespace

ranges sharded_permutation::destination_block(std::int64_t rank) const {
  auto const block = destination.block_of(rank);
  ranges result(block.size());
  for (std::size_t i = 0; i < block.size(); ++i) result[axes[i]] = block[i];
  return result;
}

sharded_permutation checked(description const& given) {
  auto const& operation = given.element.operation();
  if (operation && is_affine(*operation))
    refuse(operation->scale ? "operation.scale" : "operation.bias", "an address", "null for an array over ranks");
  auto const whole = permutation(given.shape, {}, given.axes, given.element);
  auto const axes = normalise_axes(given.axes, given.shape.size());
  std::vector<std::int64_t> permuted_shape;
  for (auto const axis : axes) permuted_shape.push_back(given.shape[axis]);
  sharded_permutation result{.axes = axes,
                             .source = side("source", given.shape, given.source),
                             .destination = side("destination", permuted_shape, given.destination),
                             .element_size = whole.element_size,
                             .operation = whole.operation,
                             .elements = product(given.shape)};
  if (result.destination.ranks() != result.source.ranks())
    refuse({"destination.grid", "the number of ranks of {}"}, result.destination.ranks(),
           fmt::format("{}, as that of the source", result.source.ranks()));
  return result;
}

void visit_receivers(sharded_permutation const& all, std::int64_t sender, peer_visitor const& visit) {
  auto const block = all.source.block_of(sender);
  if (is_empty(block)) return;
  auto const own = all.source.coordinates_of(sender);
  visit_overlaps(
      all.destination, coordinates_with(all.destination, permuted(block, all.axes)), block,
      [&](std::int64_t rank) { return all.destination_block(rank); },
      [&](std::int64_t rank, std::span<range const> indices) {
        auto const other = all.source.coordinates_of(rank);
        for (std::size_t i = 0; i < own.size(); ++i)
          if (all.source.modes()[i] == kReplicated && other[i] != own[i]) return;
        visit(rank, indices);
      });
}

void visit_senders(sharded_permutation const& all, std::int64_t receiver, peer_visitor const& visit) {
  auto const block = all.destination_block(receiver);
  if (is_empty(block)) return;
  auto const own = all.source.coordinates_of(receiver);
  auto coordinates = coordinates_with(all.source, block);
  for (std::size_t i = 0; i < own.size(); ++i)
    if (all.source.modes()[i] == kReplicated) coordinates[i] = {own[i], own[i] + 1};
  visit_overlaps(
      all.source, coordinates, block, [&](std::int64_t rank) { return all.source.block_of(rank); }, visit);
}

}  // namespace cornerturn::distributed
