#include "distributed/written_parts.hpp"

#include <algorithm>

#include "base/round.hpp"
#include "problem/canonical.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn::distributed {
namespace {

/// Indices of a contiguous mode by which parts are aligned: whole tiles of every kernel.
constexpr std::int64_t kAlignedIndices = 64;

/// The least bytes of a row for a copy engine, which copies shorter rows more slowly.
constexpr std::int64_t kLeastRow = 4096;

/// The least bytes of a part that stays: a kernel that moves fewer bytes hardly takes longer than its launch.
constexpr std::int64_t kLeastKept = 4 << 20;

/// The copy of a part through a buffer. Returns nothing if the peer's block has the part in short rows or in rows of several
/// pitches, or if the elements in that block are read.
std::optional<staged_copy> staged(problem const& part) {
  if (part.operation && part.operation->beta != 0.0) return {};
  auto const written_size = part.element_size.destination;
  problem pack = part, from_buffer{.modes = {}, .element_size = written_size};
  std::ranges::sort(pack.modes, {}, &mode::destination_stride);
  pack.destination_offset = 0;
  std::int64_t dense = 1;
  for (mode& each : pack.modes) {
    from_buffer.modes.push_back({each.extent, dense, each.destination_stride});
    each.destination_stride = dense;
    dense *= each.extent;
  }
  auto const fused = canonical(from_buffer);
  auto const size = shared_element_size(fused);
  if (fused.modes.empty() || fused.modes.size() > 2 || fused.modes.back().destination_stride != 1) return {};
  auto const run = fused.modes.back().extent * size;
  auto const outer = fused.modes.size() == 2 ? fused.modes[0] : mode{1, 0, fused.modes.back().extent};
  if (run < kLeastRow || outer.destination_stride * size > kIntMax) return {};
  return staged_copy{pack, {part.destination_offset * written_size, run, outer.destination_stride * size, outer.extent}};
}

}  // namespace

std::vector<problem> divided(problem const& whole, std::int64_t count) {
  if (count < 2 || whole.modes.empty()) return {whole};
  auto const unit_of = [](mode const& each) {
    return each.source_stride == 1 || each.destination_stride == 1 ? kAlignedIndices : std::int64_t(1);
  };
  auto found = std::ranges::find_if(whole.modes, [&](mode const& each) { return each.extent >= count * unit_of(each); });
  if (found == whole.modes.end()) found = std::ranges::max_element(whole.modes, {}, &mode::extent);
  auto const extent = found->extent, unit = unit_of(*found), taken = std::max(unit, extent / count / unit * unit);
  std::vector<problem> result;
  for (std::int64_t begin = 0; begin < extent; begin += taken)
    result.push_back(slice(whole, std::size_t(found - whole.modes.begin()), begin, std::min(taken, extent - begin)));
  return result;
}

std::vector<problem> kept_parts(rank_moves const& of, std::int64_t count) {
  if (of.bytes_kept == 0) return {};
  return divided(of.kept, std::min(count, ceil_div(of.bytes_kept, kLeastKept)));
}

std::vector<written_part> written_parts(rank_moves const& of, std::int64_t part_bytes) {
  std::vector<written_part> messages, result;
  for (std::size_t send = 0; send < of.sends.writes.size(); ++send) {
    auto const parts = divided(of.sends.writes[send], ceil_div(bytes_of(of.sends.writes[send]), part_bytes));
    for (auto const& part : parts) {
      auto& added = messages.emplace_back(written_part{part, send});
      if (parts.size() > 1 && bytes_of(part) <= part_bytes) added.staged = staged(part);
    }
  }
  auto const is_divided = messages.size() > of.sends.writes.size();
  auto const kept = kept_parts(of, is_divided ? std::int64_t(messages.size()) : 1);
  std::size_t next = 0;
  for (auto const& each : messages) {
    result.push_back(each);
    if (is_divided && next < kept.size()) result.push_back({kept[next++]});
  }
  while (next < kept.size()) result.push_back({kept[next++]});
  return result;
}

}  // namespace cornerturn::distributed
