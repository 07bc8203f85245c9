#include "cornerturn/rearrange.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "api/memory.hpp"
#include "api/one_shot.hpp"
#include "api/own_workspace.hpp"
#include "api/prepare.hpp"
#include "api/rearrange_bits.hpp"
#include "base/refuse.hpp"
#include "cornerturn/permute.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/write.hpp"
#include "pattern/problems.hpp"
#include "pattern/sides.hpp"
#include "pattern/swizzle.hpp"
#include "plan/request_key.hpp"
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

/// Moves boxes by calls of their own, which elements that change need, and host memory that a GPU moves. The first call refuses
/// what is wrong before anything is written; the pad follows.
void rearrange_boxes(void const* source, void* destination, pattern_move const& move, elements const& element,
                     rearrange_options const& options) {
  auto const sizes = sizes_of(element);
  auto const boxes = boxes_of(move);
  for (auto const& box : boxes.copied) {
    auto const from = layout_of(box, move.source, move), to = layout_of(box, move.destination, move);
    strided_copy(static_cast<std::byte const*>(source) + from.offset * sizes.source, from.strides,
                 static_cast<std::byte*>(destination) + to.offset * sizes.destination, to.strides, extents_of(box), element,
                 places_in(options));
  }
  if (!boxes.padded.empty()) fill_boxes(destination, move, boxes.padded, sizes.destination, options.pad, places_in(options));
}

pattern_copy copy_of(pattern_move const& move, std::int64_t element_size, rearrange_options const& options) {
  auto const* const pad = static_cast<std::byte const*>(options.pad);
  bool const pads = pad && !move.source.limits.empty();
  return {move, element_size, pads ? std::vector<std::byte>(pad, pad + element_size) : std::vector<std::byte>()};
}

void add(request_key& key, pattern_side const& side) {
  for (auto const& list : {side.shape, side.strides, side.mode_strides}) key.add(list);
  key.add(std::int64_t(side.limits.size()));
  for (auto const& each : side.limits) key.add(each.modes), key.add(each.extent);
  key.add(side.swizzle.selectors), key.add(side.swizzle.flipped);
}

bool has_elements(pattern_side const& side) { return std::ranges::count(side.shape, 0) == 0; }

/// A key in which any two copies differ.
request_key key_of(pattern_copy const& copy, where const& at) {
  request_key key(request_key::call::rearrange);
  key.add(copy.move.extents);
  add(key, copy.move.source), add(key, copy.move.destination);
  key.add(copy.element_size);
  key.add(copy.pad);
  key.add(at);
  return key;
}

/// The bytes that a copy from a side reads, and those that a copy to a side writes.
byte_range range_read(pattern_side const& from, std::int64_t element_size) {
  return source_range(strided(from.shape, from.strides, dense_strides(from.shape, storage_order::c), element_size));
}
/// Throws `error` if two elements would be written to one address.
byte_range range_written(pattern_side const& to, std::int64_t element_size) {
  std::vector<std::int64_t> const repeated(to.shape.size(), 0);
  auto const written = strided(to.shape, repeated, to.strides, element_size);
  auto const range = destination_range(written);
  if (has_elements(to)) expect_no_overlap(written);
  return range;
}

/// A plan, without a choice yet, of a copy that is padded, cropped or swizzled.
prepared_plan unplanned_limited(pattern_copy const& copy, where const& at) {
  auto const& from = copy.move.source;
  auto const& to = copy.move.destination;
  prepared_plan plan{.simplest = {},
                     .limited = copy,
                     .read = {},
                     .written = range_written(to, copy.element_size),
                     .aligned = at.aligned,
                     .device = at.place,
                     .threads = at.threads,
                     .device_name = device_name_of(at)};
  if (has_elements(from) && has_elements(to)) plan.read = range_read(from, copy.element_size);
  return plan;
}

/// Rearranges an array that is padded, cropped or swizzled.
void rearrange_limited(void const* source, void* destination, pattern_move const& move, elements const& element,
                       rearrange_options const& options) {
  if (!has_elements(move.destination)) return;
  bool const reads = has_elements(move.source);
  if (reads) refuse_null("source", source);
  refuse_null("destination", destination);
  auto const places = places_in(options);
  auto const [place, waits, reported] = reads ? placement_of(source, destination, places) : placement_of(destination, places);
  if (element.operation() || (place == kHost && options.processor == processor_kind::gpu)) {
    expect_apart(source, move.source, destination, move.destination, sizes_of(element));
    return rearrange_boxes(source, destination, move, element, options);
  }
  auto const copy = copy_of(move, element.bytes(), options);
  where const at(place, alignment_of(reads ? source : destination, destination), threads_given(options.threads));
  auto const plan = one_shot_plan(key_of(copy, at).words(), [&] { return with_choice(unplanned_limited(copy, at)); });
  refuse_overlap({"destination", destination, plan->written}, {"source", source, plan->read});
  refuse_unreadable(place, reported, {source, plan->read}, {destination, plan->written});
  if (waits) gpu::synchronize(options.stream);
  cornerturn::move(*plan, {.source = source, .destination = destination}, options.stream);
}

/// What a call moves. Throws `error` for arguments that do not fit.
pattern_move stated_move(std::string_view pattern, index_list const& shape, elements const& element,
                         std::span<axis_length const> lengths, rearrange_options const& options) {
  if (auto const& operation = element.operation(); operation && (operation->scale || operation->bias))
    refuse(operation->scale ? "operation.scale" : "operation.bias", "given", "null, because rearrange has no layout for it");
  auto const steps = rearrangement_of(pattern, shape, lengths, {.padded = options.pad != nullptr, .shape = options.shape});
  auto move = move_of(*steps, shape, options);
  if (options.bits != 8) expect_packed(element, options);
  auto const [source_bytes, destination_bytes] = sizes_of(element);
  if (source_bytes < 1) refuse("element_size", source_bytes, "1 or more");
  swizzle_sides(move, pattern, *steps, options, {source_bytes * options.bits, destination_bytes * options.bits});
  return move;
}

}  // namespace

void expect_apart(void const* source, pattern_side const& from, void const* destination, pattern_side const& to,
                  element_sizes const& sizes) {
  refuse_overlap({"destination", destination, range_written(to, sizes.destination)},
                 {"source", source, range_read(from, sizes.source)});
}

void rearrange(void const* source, void* destination, std::string_view pattern, index_list shape, elements const& element,
               std::span<axis_length const> lengths, rearrange_options const& options) {
  auto const move = stated_move(pattern, shape, element, lengths, options);
  if (options.bits != 8) return rearrange_bits(source, destination, move, options);
  if (move.is_limited() || move.is_swizzled()) return rearrange_limited(source, destination, move, element, options);
  strided_copy(source, move.source.mode_strides, destination, move.destination.mode_strides, move.extents, element,
               places_in(options));
}

permutation_plan plan_rearrange(std::string_view pattern, index_list shape, elements const& element,
                                std::span<axis_length const> lengths, rearrange_options const& options,
                                plan_options const& where) {
  auto const move = stated_move(pattern, shape, element, lengths, options);
  if (options.bits != 8) refuse("options.bits", options.bits, "8 for a plan");
  if (!move.is_limited() && !move.is_swizzled())
    return plan(move.extents, move.source.mode_strides, move.destination.mode_strides, element, where);
  if (element.operation()) refuse("element", "an operation", "a size, for a plan that pads, crops or swizzles");
  return permutation_plan(
      with_choice(unplanned_limited(copy_of(move, element.bytes(), options), where_given(where)), where.effort));
}

}  // namespace cornerturn
