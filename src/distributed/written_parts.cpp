#include "distributed/written_parts.hpp"

#include <algorithm>
#include <limits>

#include "kernel/round.hpp"
#include "problem/canonical.hpp"

namespace cornerturn::distributed {
namespace {

/// Indices of a contiguous mode by which parts are aligned: whole tiles of every kernel.
constexpr std::int64_t kAlignedIndices = 64;

/// Bytes of a row from which on a copy engine is as fast as for one row.
constexpr std::int64_t kLeastRow = 4096;

constexpr std::int64_t kMostPitch = std::numeric_limits<int>::max();

/// A problem whose destination is dense, with the modes in the order of their destination strides.
problem packed(problem const& given) {
  problem result = given;
  std::ranges::sort(result.modes, std::ranges::greater{}, &mode::destination_stride);
  std::int64_t stride = 1;
  for (auto each = result.modes.rbegin(); each != result.modes.rend(); ++each) {
    each->destination_stride = stride;
    stride *= each->extent;
  }
  result.destination_offset = 0;
  return result;
}

/// The copy of a part through a buffer. Empty if the peer's block has it in short rows, or in rows of several pitches.
std::optional<staged_copy> staged(problem const& part) {
  auto const pack = packed(part);
  problem rows{.modes = pack.modes, .element_size = part.element_size};
  auto sorted = part.modes;
  std::ranges::sort(sorted, std::ranges::greater{}, &mode::destination_stride);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    rows.modes[i].source_stride = pack.modes[i].destination_stride;
    rows.modes[i].destination_stride = sorted[i].destination_stride;
  }
  auto const fused = canonical(rows);
  auto const size = shared_element_size(fused);
  if (fused.modes.empty() || fused.modes.size() > 2 || fused.modes.back().destination_stride != 1) return {};
  auto const run = fused.modes.back().extent * size;
  auto const outer = fused.modes.size() == 2 ? fused.modes[0] : mode{1, 0, fused.modes.back().extent};
  if (run < kLeastRow || outer.destination_stride * size > kMostPitch) return {};
  return staged_copy{pack,
                     {part.destination_offset * shared_element_size(part), run, outer.destination_stride * size, outer.extent}};
}

}  // namespace

std::vector<problem> divided(problem const& whole, std::int64_t count) {
  if (count < 2 || whole.modes.empty()) return {whole};
  auto const unit_of = [](mode const& each) {
    return each.source_stride == 1 || each.destination_stride == 1 ? kAlignedIndices : std::int64_t(1);
  };
  auto found = std::ranges::find_if(whole.modes, [&](mode const& each) { return each.extent >= count * unit_of(each); });
  if (found == whole.modes.end()) found = std::ranges::max_element(whole.modes, {}, &mode::extent);
  auto const extent = found->extent, taken = round_up(ceil_div(extent, count), unit_of(*found));
  std::vector<problem> result;
  for (std::int64_t begin = 0; begin < extent; begin += taken) {
    auto& part = result.emplace_back(whole);
    auto& cut = part.modes[std::size_t(found - whole.modes.begin())];
    cut.extent = std::min(taken, extent - begin);
    part.source_offset += begin * cut.source_stride;
    part.destination_offset += begin * cut.destination_stride;
  }
  return result;
}

std::vector<written_part> written_parts(exchange const& of, std::int64_t part_bytes) {
  std::vector<written_part> messages, result;
  for (std::size_t send = 0; send < of.writes.size(); ++send)
    for (auto const& part : divided(of.writes[send], ceil_div(of.sends.all[send].bytes, part_bytes)))
      messages.push_back({part, send, staged(part)});
  std::vector<problem> kept;
  auto const is_divided = messages.size() > of.writes.size();
  if (of.bytes_kept > 0) kept = divided(of.kept, is_divided ? std::int64_t(messages.size()) : 1);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    result.push_back(messages[i]);
    if (is_divided && i < kept.size()) result.push_back({kept[i]});
  }
  for (auto i = is_divided ? messages.size() : 0; i < kept.size(); ++i) result.push_back({kept[i]});
  return result;
}

}  // namespace cornerturn::distributed
