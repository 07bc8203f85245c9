#include "cornerturn/rearrange.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "api/memory.hpp"
#include "api/own_workspace.hpp"
#include "api/rearrange_bits.hpp"
#include "base/refuse.hpp"
#include "cornerturn/permute.hpp"
#include "engine/gpu/write.hpp"
#include "pattern/sides.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The address of the first element of a box on a side.
template <class Pointer>
Pointer box_address(Pointer base, index_box const& box, pattern_side const& side, std::int64_t element_size) {
  using byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, std::byte const, std::byte>;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < box.size(); ++i) offset += box[i].begin * side.mode_strides[i];
  return static_cast<byte*>(base) + offset * element_size;
}

std::vector<std::int64_t> extents_of(index_box const& box) {
  std::vector<std::int64_t> extents;
  for (auto const& [begin, end] : box) extents.push_back(end - begin);
  return extents;
}

/// Writes the element at `pad` to boxes of the destination.
void fill_boxes(void* destination, pattern_side const& side, std::vector<index_box> const& boxes, std::int64_t element_size,
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
  std::vector<std::int64_t> const repeated(side.mode_strides.size(), 0);
  for (auto const& box : boxes)
    strided_copy(pad, repeated, box_address(destination, box, side, element_size), side.mode_strides, extents_of(box),
                 element_size, options);
}

void rearrange_limited(void const* source, void* destination, pattern_move const& move, elements const& element,
                       rearrange_options const& options) {
  auto const& operation = element.operation();
  element_sizes const sizes{operation ? size_of(operation->source) : element.bytes(),
                            operation ? size_of(operation->destination) : element.bytes()};
  auto const boxes = boxes_within(move.extents, move.source.limits, move.destination.limits);
  expect_apart(source, move.source, destination, move.destination, sizes);
  if (!boxes.copied.empty()) refuse_null("source", source);
  if (!boxes.padded.empty()) {
    refuse_null("destination", destination);
    fill_boxes(destination, move.destination, boxes.padded, sizes.destination, options.pad, places_in(options));
  }
  for (auto const& box : boxes.copied)
    strided_copy(box_address(source, box, move.source, sizes.source), move.source.mode_strides,
                 box_address(destination, box, move.destination, sizes.destination), move.destination.mode_strides,
                 extents_of(box), element, places_in(options));
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
  auto const move = move_of(*steps, shape, options);
  if (options.bits != 8) return rearrange_bits(source, destination, move, element, options);
  if (move.is_limited()) return rearrange_limited(source, destination, move, element, options);
  strided_copy(source, move.source.mode_strides, destination, move.destination.mode_strides, move.extents, element,
               places_in(options));
}

}  // namespace cornerturn
