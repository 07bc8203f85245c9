#include "cornerturn/rearrange.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "api/memory.hpp"
#include "api/own_workspace.hpp"
#include "api/rearrange_bits.hpp"
#include "base/refuse.hpp"
#include "cornerturn/permute.hpp"
#include "engine/gpu/write.hpp"
#include "pattern/sides.hpp"
#include "pattern/swizzle.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// Writes the element at `pad` to boxes of the destination.
void fill_boxes(void* destination, pattern_move const& move, std::vector<index_box> const& boxes, std::int64_t element_size,
                void const* pad, copy_options options) {
  auto const place = placement_of(destination, options).place;
  std::optional<own_workspace> on_gpu;
  if (place == kHost) {
    options.processor = processor_kind::cpu;
  } else {
    options.device = place;
    on_gpu.emplace(place, element_size, options.stream);
    gpu::write(on_gpu->get(), {static_cast<std::byte const*>(pad), std::size_t(element_size)}, place, options.stream);
    pad = on_gpu->get();
  }
  std::vector<std::int64_t> const repeated(move.extents.size(), 0);
  for (auto const& box : boxes) {
    auto const to = layout_of(box, move.destination, move);
    strided_copy(pad, repeated, static_cast<std::byte*>(destination) + to.offset * element_size, to.strides, extents_of(box),
                 element_size, options);
  }
}

/// The sizes of an element on both sides, in bytes.
element_sizes sizes_of(elements const& element) {
  auto const& operation = element.operation();
  return operation ? element_sizes(size_of(operation->source), size_of(operation->destination)) : element.bytes();
}

void rearrange_boxes(void const* source, void* destination, pattern_move const& move, elements const& element,
                     rearrange_options const& options) {
  auto const sizes = sizes_of(element);
  auto const boxes = boxes_of(move);
  expect_apart(source, move.source, destination, move.destination, sizes);
  if (!boxes.copied.empty()) refuse_null("source", source);
  if (!boxes.padded.empty()) {
    refuse_null("destination", destination);
    fill_boxes(destination, move, boxes.padded, sizes.destination, options.pad, places_in(options));
  }
  for (auto const& box : boxes.copied) {
    auto const from = layout_of(box, move.source, move), to = layout_of(box, move.destination, move);
    strided_copy(static_cast<std::byte const*>(source) + from.offset * sizes.source, from.strides,
                 static_cast<std::byte*>(destination) + to.offset * sizes.destination, to.strides, extents_of(box), element,
                 places_in(options));
  }
}

}  // namespace

void expect_apart(void const* source, pattern_side const& from, void const* destination, pattern_side const& to,
                  element_sizes const& sizes) {
  std::vector<std::int64_t> const repeated(to.shape.size(), 0);
  auto const read = strided(from.shape, from.strides, dense_strides(from.shape, storage_order::c), sizes.source);
  auto const written = strided(to.shape, repeated, to.strides, sizes.destination);
  refuse_overlap({"destination", destination, destination_range(written)}, {"source", source, source_range(read)});
}

void rearrange(void const* source, void* destination, std::string_view pattern, index_list shape, elements const& element,
               std::span<axis_length const> lengths, rearrange_options const& options) {
  if (auto const& operation = element.operation(); operation && (operation->scale || operation->bias))
    refuse(operation->scale ? "operation.scale" : "operation.bias", "given", "null, because rearrange has no layout for it");
  auto const steps = rearrangement_of(pattern, shape, lengths, {.padded = options.pad != nullptr, .shape = options.shape});
  auto move = move_of(*steps, shape, options);
  if (options.bits != 8) expect_packed(element, options);
  auto const [source_bytes, destination_bytes] = sizes_of(element);
  if (source_bytes < 1) refuse("element_size", source_bytes, "1 or more");
  swizzle_sides(move, pattern, *steps, options, {source_bytes * options.bits, destination_bytes * options.bits});
  if (options.bits != 8) return rearrange_bits(source, destination, move, options);
  if (move.is_limited() || move.is_swizzled()) return rearrange_boxes(source, destination, move, element, options);
  strided_copy(source, move.source.mode_strides, destination, move.destination.mode_strides, move.extents, element,
               places_in(options));
}

}  // namespace cornerturn
