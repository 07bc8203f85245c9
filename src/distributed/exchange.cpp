#include "distributed/exchange.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "kernel/round.hpp"
#include "problem/extents.hpp"
#include "problem/fail.hpp"
#include "problem/permuted.hpp"

namespace cornerturn::distributed {
namespace {

using list = std::vector<std::int64_t>;

/// Messages begin at multiples of this number of bytes in the buffer, so that vector stores are aligned.
constexpr std::int64_t kAlignment = 64;

/// While the messages of a batch are on their way, those of the next batch are packed.
constexpr std::int64_t kMostBatches = 4;

/// The bytes of a rank's part of the array below which all messages are one batch, because packing takes no longer than a start.
constexpr std::int64_t kLeastInBatches = 16 << 20;

/// A dense array in memory: the ranges of the source's modes that it has, and its order of these modes, the slowest first.
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

  /// The elements before the first one of a box that this array has.
  std::int64_t offset_of(std::span<range const> indices) const {
    auto const all = strides();
    std::int64_t result = 0;
    for (std::size_t i = 0; i < all.size(); ++i) result += (indices[i].begin - ranges[i].begin) * all[i];
    return result;
  }

  /// True if the elements of a box follow one another in this array.
  bool has_contiguous(std::span<range const> indices) const {
    bool is_whole = true;  // the box has all of the modes further in
    for (std::size_t i = order.size(); i-- > 0;) {
      auto const axis = order[i];
      auto const extent = indices[axis].end - indices[axis].begin;
      if (!is_whole && extent != 1) return false;
      is_whole = is_whole && extent == ranges[axis].end - ranges[axis].begin;
    }
    return true;
  }
};

/// The problem that copies a box from one array to another.
problem copy_of(std::span<range const> indices, dense_box const& from, dense_box const& to, std::int64_t element_size) {
  problem result{.modes = {},
                 .element_size = element_size,
                 .source_offset = from.offset_of(indices),
                 .destination_offset = to.offset_of(indices)};
  auto const source = from.strides(), destination = to.strides();
  for (auto const axis : to.order)
    result.modes.push_back({indices[axis].end - indices[axis].begin, source[axis], destination[axis]});
  return result;
}

box box_of(std::span<range const> indices) {
  box result;
  for (auto const& each : indices) {
    result.begin.push_back(each.begin);
    result.extents.push_back(each.end - each.begin);
  }
  return result;
}

/// A message between two ranks with these blocks. Both ranks make the same choice: the message has the destination's order, and
/// its sender permutes, unless only the source's block has the box contiguously.
dense_box message_between(std::span<range const> indices, dense_box const& source, dense_box const& destination) {
  bool const in_source_order = source.has_contiguous(indices) && !destination.has_contiguous(indices);
  return {{indices.begin(), indices.end()}, in_source_order ? source.order : destination.order};
}

/// True if a block has the elements of a message contiguously and in the message's order. The order of modes of extent 1 does not
/// matter, because their strides never count.
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

/// Appends a message, which lies in the buffer unless it is direct. `copy` is the problem of its copy to or from the buffer.
void append(messages& into, std::int64_t peer, dense_box const& wire, dense_box const& block, problem const& copy,
            std::int64_t element_size) {
  auto const bytes = wire.elements() * element_size;
  if (is_direct(wire, block)) {
    into.all.push_back({int(peer), box_of(wire.ranges), bytes, true, block.offset_of(wire.ranges) * element_size});
    into.copies.emplace_back();
    return;
  }
  into.buffer_bytes = round_up(into.buffer_bytes, kAlignment);
  into.all.push_back({int(peer), box_of(wire.ranges), bytes, false, into.buffer_bytes});
  into.copies.push_back(copy);
  into.buffer_bytes += bytes;
}

/// A peer and the box that this rank exchanges with it.
using peer_box = std::pair<std::int64_t, std::vector<range>>;

/// The distance from the sender of a message to its receiver, in a job of some ranks. Messages are in the order of their
/// distances, so that each rank has another first peer.
std::int64_t distance(std::int64_t sender, std::int64_t receiver, std::int64_t ranks) {
  return (receiver - sender + ranks) % ranks;
}

/// Peers in the order of distance_to(peer).
std::vector<peer_box> sorted(std::vector<peer_box> peers, auto const& distance_to) {
  std::ranges::sort(peers, {}, [&](peer_box const& each) { return distance_to(each.first); });
  return peers;
}

/// The batches of messages that are in the order of their distances. The bytes are those of the whole array.
std::vector<batch> batches_of(exchange const& part, std::int64_t bytes) {
  auto const ranks = std::int64_t(part.ranks);
  auto const count = bytes / ranks < kLeastInBatches ? 1 : std::clamp(ranks - 1, std::int64_t(1), kMostBatches);
  std::vector<batch> result(std::size_t(count), batch{});
  auto const assign = [&](std::vector<message> const& all, auto const& distance_to, auto first, auto end) {
    std::size_t next = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      result[i].*first = next;
      while (next < all.size() && (distance_to(all[next].peer) - 1) * count / (ranks - 1) == i) ++next;
      result[i].*end = next;
    }
  };
  assign(
      part.sends.all, [&](int peer) { return distance(part.rank, peer, ranks); }, &batch::first_send, &batch::end_send);
  assign(
      part.receives.all, [&](int peer) { return distance(peer, part.rank, ranks); }, &batch::first_receive, &batch::end_receive);
  return result;
}

}  // namespace

std::int64_t exchange::receive_offset() const { return round_up(sends.buffer_bytes, kAlignment); }

exchange exchange_of(sharded_permutation const& all, std::int64_t rank) {
  auto const ranks = all.source.ranks();
  if (rank < 0 || rank >= ranks) refuse("rank", rank, fmt::format("0 to {}, as the grid has {} ranks", ranks - 1, ranks));
  list c_order(all.axes.size());
  std::iota(c_order.begin(), c_order.end(), 0);
  auto const source_of = [&](std::int64_t of) { return dense_box{all.source.block_of(of), c_order}; };
  auto const destination_of = [&](std::int64_t of) { return dense_box{all.destination_block(of), all.axes}; };
  auto const source = source_of(rank), destination = destination_of(rank);
  auto const size = all.element_size;
  exchange result{.rank = int(rank),
                  .ranks = int(ranks),
                  .source_block = source.ranges,
                  .destination_shape = destination.extents(),
                  .source_bytes = source.elements() * size,
                  .destination_bytes = destination.elements() * size,
                  .sends = {},
                  .receives = {},
                  .batches = {},
                  .writes = {},
                  .kept = {}};

  std::vector<peer_box> peers;
  auto const remember = [&](std::int64_t peer, std::span<range const> indices) {
    if (peer != rank) return peers.emplace_back(peer, std::vector(indices.begin(), indices.end())), void();
    result.kept = copy_of(indices, source, destination, size);
    result.bytes_kept = bytes_of(result.kept);
  };
  visit_receivers(all, rank, remember);
  for (auto const& [peer, indices] : sorted(std::exchange(peers, {}), [&](auto each) { return distance(rank, each, ranks); })) {
    auto const destination_of_peer = destination_of(peer);
    auto const wire = message_between(indices, source, destination_of_peer);
    auto copy = copy_of(indices, source, wire, size);
    append(result.sends, peer, wire, source, copy, size);
    result.writes.push_back(copy_of(indices, source, destination_of_peer, size));
  }
  visit_senders(all, rank, remember);
  for (auto const& [peer, indices] : sorted(std::exchange(peers, {}), [&](auto each) { return distance(each, rank, ranks); })) {
    auto const wire = message_between(indices, source_of(peer), destination);
    auto copy = copy_of(indices, wire, destination, size);
    append(result.receives, peer, wire, destination, copy, size);
  }
  result.batches = batches_of(result, all.bytes);
  return result;
}

}  // namespace cornerturn::distributed
