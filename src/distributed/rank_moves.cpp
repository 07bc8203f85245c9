#include "distributed/rank_moves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/refuse.hpp"
#include "base/round.hpp"
#include "distributed/written_parts.hpp"
#include "problem/extents.hpp"
#include "problem/permuted.hpp"

namespace cornerturn::distributed {
namespace {

using list = std::vector<std::int64_t>;

/// Messages begin at multiples of this number of bytes in the buffer, so that vector stores are aligned.
constexpr std::int64_t kAlignment = 64;

/// A dense array in memory: its ranges of the source's modes, and its order of these modes, the slowest first.
struct dense_box {
  std::vector<range> ranges;
  list order;

  list extents() const {
    list result;
    for (auto const axis : order) result.push_back(ranges[axis].end - ranges[axis].begin);
    return result;
  }

  /// The strides of the source's modes in elements.
  list strides() const {
    auto const dense = dense_strides(extents(), storage_order::c);
    list result(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = dense[i];
    return result;
  }

  std::int64_t elements() const { return product(extents()); }

  /// The number of elements of this array before the first element of a box.
  std::int64_t offset_of(std::span<range const> indices) const {
    auto const all = strides();
    std::int64_t result = 0;
    for (std::size_t i = 0; i < all.size(); ++i) result += (indices[i].begin - ranges[i].begin) * all[i];
    return result;
  }

  /// The number of slow modes, in this array's order, in which each contiguous run of a box has one index.
  std::size_t modes_before_runs(std::span<range const> indices) const {
    auto const extent_in = [&](std::vector<range> const& all, std::size_t i) { return all[order[i]].end - all[order[i]].begin; };
    std::vector<range> const box(indices.begin(), indices.end());
    auto i = order.size();
    while (i > 0 && extent_in(box, i - 1) == extent_in(ranges, i - 1)) --i;
    if (i > 0) --i;  // runs end within this mode
    while (i > 0 && extent_in(box, i - 1) == 1) --i;
    return i;
  }

  /// True if the elements of a box are contiguous in this array.
  bool has_contiguous(std::span<range const> indices) const { return modes_before_runs(indices) == 0; }

  /// The number of elements of each run of a box.
  std::int64_t run_of(std::span<range const> indices) const {
    std::int64_t result = 1;
    for (auto i = modes_before_runs(indices); i < order.size(); ++i) result *= indices[order[i]].end - indices[order[i]].begin;
    return result;
  }
};

/// The problem that copies a box from one array to another, or changes its elements.
problem copy_of(std::span<range const> indices, dense_box const& from, dense_box const& to, element_sizes const& sizes,
                std::optional<element_operation> const& operation) {
  problem result{.modes = {},
                 .element_size = sizes,
                 .source_offset = from.offset_of(indices),
                 .destination_offset = to.offset_of(indices),
                 .operation = operation};
  auto const source = from.strides(), destination = to.strides();
  for (auto const axis : to.order)
    result.modes.push_back({indices[axis].end - indices[axis].begin, source[axis], destination[axis]});
  return result;
}

/// A message between two ranks.
struct ordered_message {
  dense_box box;
  std::size_t modes_before_runs = 0;  ///< number of slow modes; the message is divided into runs with one index of each
};

/// The message between two ranks with these blocks. Both ranks make the same choice. The message has the order of a block in
/// which the box is contiguous, or else of a block with runs of at least `run` bytes, so that only the other rank copies. The
/// destination's block is preferred, also if neither block has such runs. A rank that changes the elements copies them in any
/// case.
ordered_message message_between(sharded_permutation const& all, std::span<range const> indices, dense_box const& source,
                                dense_box const& destination, std::int64_t run) {
  constexpr std::int64_t kMostRuns = 128;  // each run of a message takes some microseconds to start
  dense_box const box{{indices.begin(), indices.end()}, destination.order};
  auto const ordered_as = [&](dense_box const& block) {
    return ordered_message{{box.ranges, block.order}, block.modes_before_runs(indices)};
  };
  auto const has_long_runs = [&](dense_box const& block) {
    auto const elements = block.run_of(indices);
    return elements * all.message_element_size() >= run && box.elements() / elements <= kMostRuns;
  };
  bool const may_send = !all.packing_changes(), may_receive = !all.unpacking_changes();
  if (may_receive && destination.has_contiguous(indices)) return ordered_as(destination);
  if (may_send && source.has_contiguous(indices)) return ordered_as(source);
  if (may_receive && has_long_runs(destination)) return ordered_as(destination);
  if (may_send && has_long_runs(source)) return ordered_as(source);
  return {box};
}

/// True if the elements of a message are contiguous in a block and in the message's order. The order of modes of extent 1 does
/// not matter, because their strides are not used.
bool is_direct(dense_box const& wire, dense_box const& block) {
  if (!block.has_contiguous(wire.ranges)) return false;
  auto const longer = [&](list const& order) {
    list result;
    for (auto const axis : order)
      if (wire.ranges[axis].end - wire.ranges[axis].begin > 1) result.push_back(axis);
    return result;
  };
  return longer(wire.order) == longer(block.order);
}

/// Divides a message into its runs, if there are any, else into at most `count` boxes of about the same size. Each box is
/// contiguous in the message, and so in a block in which the message is contiguous.
std::vector<std::vector<range>> pieces_of(ordered_message const& message, std::int64_t count) {
  std::vector<std::vector<range>> result{message.box.ranges};
  auto const runs = message.modes_before_runs;
  for (std::size_t i = 0; i < (runs > 0 ? runs : message.box.order.size()); ++i) {
    auto const axis = message.box.order[i];
    auto const [begin, end] = message.box.ranges[axis];
    auto taken = runs > 0 ? 1 : ceil_div(end - begin, count);
    if (runs == 0 && end - begin >= count * kAlignment)
      taken = round_up(taken, kAlignment);  // indices, so that pieces are aligned, too
    std::vector<std::vector<range>> finer;
    for (auto const& each : result)
      for (auto first = begin; first < end; first += taken) {
        finer.push_back(each);
        finer.back()[axis] = {first, std::min(first + taken, end)};
      }
    result = std::move(finer);
    if (taken > 1) break;
    if (runs == 0) count /= end - begin;
  }
  return result;
}

/// A box that this rank exchanges with a peer.
struct exchanged_box {
  std::int64_t peer;
  std::int64_t distance;  ///< from the sender to the receiver, in ranks
  std::vector<range> indices;
  dense_box source, destination;  ///< the sender's block, and the receiver's
};

/// The number of batches, which is the same for all ranks. Packing the first batch and unpacking the last one take time in
/// proportion to sent / batches, and each batch takes some time to start. The sum of both times is smallest if the number of
/// batches grows with the square root of the bytes.
std::int64_t count_batches(sharded_permutation const& all, std::int64_t unit) {
  auto const ranks = all.source.ranks();
  auto const sent = all.elements * all.message_element_size() / ranks / ranks * (ranks - 1);
  return std::max(std::int64_t(1), std::int64_t(std::sqrt(double(sent / unit))));
}

/// The messages of one direction, for boxes in the order of their distances. Both ranks of a box divide it into the same pieces
/// and assign each to the same batch, because the batch depends only on the box, its distance and the number of batches.
messages messages_of(sharded_permutation const& all, std::vector<exchanged_box> const& boxes, bool is_send, std::int64_t batches,
                     division const& by) {
  struct piece {
    std::int64_t batch;
    message described;
    std::optional<problem> copy;
    problem write;
  };
  std::vector<piece> pieces;
  messages result;
  auto const peers = all.source.ranks() - 1, size = all.message_element_size();
  bool const changes = is_send ? all.packing_changes() : all.unpacking_changes();
  auto const operation = changes ? all.operation : std::nullopt;
  for (auto const& [peer, distance, indices, source, destination] : boxes) {
    auto const message = message_between(all, indices, source, destination, by.run);
    auto const& whole = message.box;
    auto const& block = is_send ? source : destination;
    auto const bytes = whole.elements() * size, begin = round_up(result.buffer_bytes, kAlignment);
    auto const parts = pieces_of(message, std::clamp(bytes / by.unit / 2, std::int64_t(1), batches));
    auto const direct = !changes && std::ranges::all_of(parts, [&](auto const& part) {
      return is_direct({part, whole.order}, block);
    });
    if (!direct) result.buffer_bytes = begin + bytes;
    auto const copy_of_indices = [&](std::vector<range> const& copied, dense_box const& wire) {
      return is_send ? copy_of(copied, source, wire, {all.element_size.source, size}, operation)
                     : copy_of(copied, wire, destination, {size, all.element_size.destination}, operation);
    };
    for (std::int64_t i = 0; auto const& part : parts) {
      dense_box const wire{part, whole.order};
      auto const offset = direct ? block.offset_of(part) * size : begin + whole.offset_of(part) * size;
      auto const place = i * peers + distance - 1;  // the position if each peer had this number of pieces
      auto& added = pieces.emplace_back(piece{place * batches / (peers * std::int64_t(parts.size())),
                                              {int(peer), box_of(part), wire.elements() * size, direct, offset},
                                              {},
                                              {}});
      if (!direct && message.modes_before_runs == 0) added.copy = copy_of_indices(part, wire);
      if (!direct && message.modes_before_runs > 0 && i == (is_send ? 0 : std::int64_t(parts.size()) - 1)) {
        added.copy = copy_of_indices(indices, whole);
        (is_send ? added.copy->destination_offset : added.copy->source_offset) -= whole.offset_of(part);
      }
      ++i;
      if (is_send) added.write = copy_of(part, source, destination, all.element_size, all.operation);
    }
  }
  std::ranges::stable_sort(pieces, {}, &piece::batch);
  for (auto& each : pieces) {
    result.all.push_back(std::move(each.described));
    result.copies.push_back(std::move(each.copy));
    if (is_send) result.writes.push_back(std::move(each.write));
  }
  for (std::int64_t batch = 0; batch < batches; ++batch)
    result.ends.push_back(std::size_t(std::ranges::upper_bound(pieces, batch, {}, &piece::batch) - pieces.begin()));
  return result;
}

}  // namespace

box box_of(std::span<range const> indices) {
  box result;
  for (auto const& each : indices) {
    result.begin.push_back(each.begin);
    result.extents.push_back(each.end - each.begin);
  }
  return result;
}

std::int64_t rank_moves::receive_offset() const { return round_up(sends.buffer_bytes, kAlignment); }

void expect_rank(sharded_permutation const& all, std::int64_t rank) {
  auto const ranks = all.source.ranks();
  if (rank < 0 || rank >= ranks) refuse("rank", rank, fmt::format("0 to {}, as the grid has {} ranks", ranks - 1, ranks));
}

rank_moves moves_of(sharded_permutation const& all, std::int64_t rank, division const& by) {
  expect_rank(all, rank);
  auto const ranks = all.source.ranks();
  list c_order(all.axes.size());
  std::iota(c_order.begin(), c_order.end(), 0);
  auto const source_of = [&](std::int64_t of) { return dense_box{all.source.block_of(of), c_order}; };
  auto const destination_of = [&](std::int64_t of) { return dense_box{all.destination_block(of), all.axes}; };
  auto const source = source_of(rank), destination = destination_of(rank);
  rank_moves result{.rank = int(rank),
                    .ranks = int(ranks),
                    .source_block = source.ranges,
                    .destination_shape = destination.extents(),
                    .source_bytes = source.elements() * all.element_size.source,
                    .destination_bytes = destination.elements() * all.element_size.destination,
                    .sends = {},
                    .receives = {},
                    .batches = {},
                    .kept = {},
                    .kept_parts = {}};

  // Messages are sorted by the distance from their sender to their receiver, so that each rank begins with a different peer.
  auto const distance = [&](std::int64_t sender, std::int64_t receiver) { return (receiver - sender + ranks) % ranks; };
  auto const batches = count_batches(all, by.unit);
  auto const messages_with = [&](std::vector<exchanged_box>& boxes, bool is_send) {
    std::ranges::sort(boxes, {}, &exchanged_box::distance);
    return messages_of(all, boxes, is_send, batches, by);
  };
  std::vector<exchanged_box> sent, received;
  visit_receivers(all, rank, [&](std::int64_t peer, std::span<range const> indices) {
    if (peer != rank)
      return sent.push_back({peer, distance(rank, peer), {indices.begin(), indices.end()}, source, destination_of(peer)});
    result.kept = copy_of(indices, source, destination, all.element_size, all.operation);
    result.bytes_kept = dense_box{{indices.begin(), indices.end()}, c_order}.elements() * all.message_element_size();
  });
  visit_senders(all, rank, [&](std::int64_t peer, std::span<range const> indices) {
    if (peer != rank)
      received.push_back({peer, distance(peer, rank), {indices.begin(), indices.end()}, source_of(peer), destination});
  });
  result.sends = messages_with(sent, true);
  result.receives = messages_with(received, false);
  for (std::size_t i = 0; i < std::size_t(batches); ++i)
    result.batches.push_back({i > 0 ? result.sends.ends[i - 1] : 0, result.sends.ends[i], i > 0 ? result.receives.ends[i - 1] : 0,
                              result.receives.ends[i]});
  result.kept_parts = kept_parts(result, batches);
  return result;
}

}  // namespace cornerturn::distributed
