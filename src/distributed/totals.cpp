#include <algorithm>
#include <limits>

#include "distributed/rank_moves.hpp"

namespace cornerturn::distributed {

totals total(description const& given) {
  auto const all = checked(given);
  totals sum{.ranks = all.source.ranks()};
  sum.smallest_message = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t rank = 0; rank < sum.ranks; ++rank) {
    auto const part = moves_of(all, rank);
    auto const bytes_in = [&](messages const& list) {
      std::int64_t bytes = 0;
      for (auto const& each : list.all) {
        bytes += each.bytes;
        sum.smallest_message = std::min(sum.smallest_message, each.bytes);
        sum.largest_message = std::max(sum.largest_message, each.bytes);
      }
      sum.most_messages = std::max(sum.most_messages, std::int64_t(list.all.size()));
      return bytes;
    };
    auto const sent = bytes_in(part.sends), received = bytes_in(part.receives);
    sum.messages += std::int64_t(part.sends.all.size());
    sum.bytes_on_the_wire += sent;
    sum.bytes_kept += part.bytes_kept;
    sum.most_bytes_sent = std::max(sum.most_bytes_sent, sent);
    sum.most_bytes_received = std::max(sum.most_bytes_received, received);
    sum.largest_source_block = std::max(sum.largest_source_block, part.source_bytes);
    sum.largest_destination_block = std::max(sum.largest_destination_block, part.destination_bytes);
    sum.empty_source_blocks += part.source_bytes == 0;
    sum.empty_destination_blocks += part.destination_bytes == 0;
    sum.most_workspace = std::max(sum.most_workspace, part.workspace_bytes());
  }
  if (sum.messages == 0) sum.smallest_message = 0;
  return sum;
}

}  // namespace cornerturn::distributed
