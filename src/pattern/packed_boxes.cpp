#include "pattern/packed_boxes.hpp"

#include <algorithm>
#include <utility>

#include "pattern/swizzle.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// Returns a canonical problem of elements in bytes. Returns nothing if elements must be moved one by one.
std::optional<packed_box> in_bytes(problem const& p, bit_packing const& packed) {
  auto const per_byte = packed.per_byte();
  auto const is_whole = [&](std::int64_t stride) { return stride % per_byte == 0; };
  if (!is_whole(p.source_offset) || !is_whole(p.destination_offset)) return {};
  packed_box result;
  auto& bytes = result.bytes;
  bytes.element_size = 1;
  bytes.source_offset = p.source_offset / per_byte, bytes.destination_offset = p.destination_offset / per_byte;
  mode const *read = nullptr, *written = nullptr;  // the modes that are innermost on each side
  for (auto const& m : p.modes) {
    if (m.source_stride == 1) read = &m;
    if (m.destination_stride == 1) written = &m;
  }
  if (!read || !written || !is_whole(read->extent) || !is_whole(written->extent)) return {};
  for (auto const& m : p.modes) {
    if (&m == read || &m == written) continue;
    if (!is_whole(m.source_stride) || !is_whole(m.destination_stride)) return {};
    bytes.modes.push_back({m.extent, m.source_stride / per_byte, m.destination_stride / per_byte});
  }
  if (read == written) {
    bytes.modes.push_back({read->extent / per_byte, 1, 1});
    return result;
  }
  if (!is_whole(read->destination_stride) || !is_whole(written->source_stride)) return {};
  auto& matrices = result.matrices.emplace();
  matrices = {.outer = {},
              .source_row = read->extent / per_byte,
              .destination_row = written->extent / per_byte,
              .source_stride = written->source_stride / per_byte,
              .destination_stride = read->destination_stride / per_byte,
              .packed = packed};
  for (auto const& m : bytes.modes) matrices.outer.push_back({m.extent, m.source_stride, m.destination_stride});
  return result;
}

}  // namespace

bool packed_boxes::has_matrices() const {
  return std::ranges::any_of(copied, [](packed_box const& each) { return each.matrices.has_value(); });
}

std::optional<packed_boxes> packed_boxes_of(pattern_move const& move, bit_packing const& packed) {
  packed_boxes result;
  auto const boxes = boxes_of(move);
  auto const between = [&](box_layout const& from, box_layout const& to, index_box const& box) {
    auto moved = strided(extents_of(box), from.strides, to.strides, 1);
    moved.source_offset = from.offset, moved.destination_offset = to.offset;
    return in_bytes(canonical(moved), packed);
  };
  for (auto const& box : boxes.padded) {
    auto const to = layout_of(box, move.destination, move);
    auto const fill = between(to, to, box);
    if (!fill) return {};
    auto& padded = result.padded.emplace_back(fill->bytes);
    padded.source_offset = 0;
    for (auto& each : padded.modes) each.source_stride = 0;
  }
  for (auto const& box : boxes.copied) {
    auto copied = between(layout_of(box, move.source, move), layout_of(box, move.destination, move), box);
    if (!copied) return {};
    result.copied.push_back(*std::move(copied));
  }
  return result;
}

std::byte repeated(std::byte pad, bit_packing const& packed) {
  return std::byte(0xFF / packed.mask() * (int(pad) & packed.mask()));
}

}  // namespace cornerturn
