#include "api/rearrange_bits.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "api/memory.hpp"
#include "api/own_workspace.hpp"
#include "api/prepare.hpp"
#include "base/log_plan.hpp"
#include "base/refuse.hpp"
#include "cornerturn/permute.hpp"
#include "cpu/bits/gather.hpp"
#include "cpu/bits/transpose.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "pattern/packed_boxes.hpp"
#include "plan/packed.hpp"

namespace cornerturn {
namespace {

/// A side as bytes. Throws `error` unless its last axis consists of whole bytes and the other axes keep them together.
pattern_side in_bytes(std::string_view name, pattern_side side, std::int64_t per_byte) {
  auto const is_result = name == "destination";
  auto const shape_name = is_result ? "result_shape" : "shape";
  if (side.shape.empty()) refuse({shape_name, "the length of {}"}, 0, "1 or more for packed elements");
  if (side.shape.back() % per_byte != 0)
    refuse(fmt::format("{}[{}]", shape_name, side.shape.size() - 1), side.shape.back(),
           fmt::format("a multiple of {}, whole bytes", per_byte));
  bool const is_empty = std::ranges::count(side.shape, 0) > 0;
  for (std::size_t i = 0; i + 1 < side.shape.size(); ++i)
    if (!is_empty && side.shape[i] > 1 && side.strides[i] % per_byte != 0)
      refuse(fmt::format("{}_strides[{}]", name, i), side.strides[i], fmt::format("a multiple of {}, whole bytes", per_byte));
  if (!is_empty && side.shape.back() > 1 && side.strides.back() != 1)
    refuse(fmt::format("{}_strides[{}]", name, side.shape.size() - 1), side.strides.back(), "1 for packed elements");
  for (auto& stride : side.strides) stride /= per_byte;
  side.strides.back() = 1;
  side.shape.back() /= per_byte;
  return side;
}

void copy_bytes(problem const& p, void const* source, void* destination, copy_options const& options) {
  std::vector<std::int64_t> extents, from, to;
  for (auto const& m : p.modes) extents.push_back(m.extent), from.push_back(m.source_stride), to.push_back(m.destination_stride);
  strided_copy(static_cast<std::byte const*>(source) + p.source_offset, from,
               static_cast<std::byte*>(destination) + p.destination_offset, to, extents, 1, options);
}

void move_on_cpu(packed_boxes const& boxes, void const* source, void* destination, std::byte pad, copy_options const& options) {
  for (auto const& [bytes, matrices] : boxes.copied)
    if (matrices)
      cpu::transpose_packed(static_cast<std::byte const*>(source) + bytes.source_offset,
                            static_cast<std::byte*>(destination) + bytes.destination_offset, *matrices,
                            threads_given(options.threads));
    else
      copy_bytes(bytes, source, destination, options);
  for (auto const& fill : boxes.padded) copy_bytes(fill, &pad, destination, options);
}

void move_on_gpu(candidate const& way, void const* source, void* destination, int device, void* stream) {
  log_plan([&] { return fmt::format("on device {}: {}; the GPU has one way", device, describe(way)); });
  gpu::on_device const current(device);
  std::optional<own_workspace> workspace;
  if (way.workspace_bytes > 0) workspace.emplace(device, way.workspace_bytes, stream);
  gpu::run(way.steps, {.source = source, .destination = destination, .workspace = workspace ? workspace->get() : nullptr},
           stream);
}

}  // namespace

void expect_packed(elements const& element, rearrange_options const& options) {
  if (options.bits != 4 && options.bits != 2 && options.bits != 1) refuse("options.bits", options.bits, "8, 4, 2 or 1");
  if (element.bytes() != 1) refuse("element_size", element.bytes(), "1 for packed elements");
}

void rearrange_bits(void const* source, void* destination, pattern_move const& move, rearrange_options const& options) {
  bit_packing const packed{options.bits, options.order == bit_order::big};
  auto const per_byte = packed.per_byte();
  auto const from = in_bytes("source", move.source, per_byte), to = in_bytes("destination", move.destination, per_byte);
  expect_apart(source, from, destination, to, 1);
  if (std::ranges::count(to.shape, 0)) return;
  bool const is_read = !std::ranges::count(from.shape, 0);
  if (is_read) refuse_null("source", source);
  refuse_null("destination", destination);
  auto const boxes = packed_boxes_of(move, packed);
  if (!boxes && move.is_swizzled())
    refuse(options.swizzle.empty() ? "source_swizzle" : "swizzle", "given",
           "left out for packed elements that are moved one by one");
  auto const places = places_in(options);
  auto const placed = is_read ? placement_of(source, destination, places) : placement_of(destination, places);
  auto const* const pad = static_cast<std::byte const*>(options.pad);
  if (boxes && !boxes->has_matrices() && boxes->padded.empty()) {
    for (auto const& each : boxes->copied) copy_bytes(each.bytes, source, destination, places);
  } else if (placed.place != kHost) {
    auto const way = packed_candidate(move, packed, pad ? *pad : std::byte(),
                                      alignment_of(is_read ? source : destination, destination), gpu::model_of(placed.place));
    move_on_gpu(way, source, destination, placed.place, options.stream);
  } else {
    if (options.processor == processor_kind::gpu)
      refuse("processor", "gpu",
             "cpu or automatic for packed elements in host memory that are padded or change places within bytes");
    if (placed.waits) gpu::synchronize(options.stream);
    if (boxes)
      move_on_cpu(*boxes, source, destination, repeated(pad ? *pad : std::byte(), packed), places);
    else
      cpu::gather_elements(static_cast<std::byte const*>(source), static_cast<std::byte*>(destination), move, packed, pad,
                           threads_given(options.threads));
  }
}

}  // namespace cornerturn
