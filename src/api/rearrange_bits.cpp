#include "api/rearrange_bits.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "api/memory.hpp"
#include "api/prepare.hpp"
#include "base/log_plan.hpp"
#include "base/refuse.hpp"
#include "cornerturn/permute.hpp"
#include "cpu/bits/gather.hpp"
#include "cpu/bits/transpose.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "kernel/packed/plan.hpp"
#include "pattern/swizzle.hpp"
#include "plan/candidate.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

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

/// A copy of bytes.
struct byte_copy {
  std::vector<std::int64_t> extents, source_strides, destination_strides;
  std::int64_t source_offset = 0, destination_offset = 0;

  void add(std::int64_t extent, std::int64_t source_stride, std::int64_t destination_stride) {
    extents.push_back(extent), source_strides.push_back(source_stride), destination_strides.push_back(destination_stride);
  }
  void run(void const* source, void* destination, copy_options const& options) const {
    strided_copy(static_cast<std::byte const*>(source) + source_offset, source_strides,
                 static_cast<std::byte*>(destination) + destination_offset, destination_strides, extents, 1, options);
  }
};

/// A move of packed elements in canonical form, between the offsets of a copy of bytes.
struct bit_plan {
  byte_copy copy;                           ///< if elements that share a byte stay together
  std::optional<packed_matrices> matrices;  ///< else
};

/// Returns a plan if each byte of one side holds elements of one mode, and all other modes keep bytes whole.
std::optional<bit_plan> plan_of(problem const& p, std::int64_t per_byte, bit_packing const& packed) {
  auto const is_whole = [&](std::int64_t stride) { return stride % per_byte == 0; };
  if (!is_whole(p.source_offset) || !is_whole(p.destination_offset)) return {};
  bit_plan plan;
  plan.copy.source_offset = p.source_offset / per_byte, plan.copy.destination_offset = p.destination_offset / per_byte;
  mode const *read = nullptr, *written = nullptr;  // the modes that are innermost on each side
  for (auto const& m : p.modes) {
    if (m.source_stride == 1) read = &m;
    if (m.destination_stride == 1) written = &m;
  }
  if (!read || !written || !is_whole(read->extent) || !is_whole(written->extent)) return {};
  std::vector<mode> outer;
  for (auto const& m : p.modes) {
    if (&m == read || &m == written) continue;
    if (!is_whole(m.source_stride) || !is_whole(m.destination_stride)) return {};
    outer.push_back({m.extent, m.source_stride / per_byte, m.destination_stride / per_byte});
  }
  if (read == written) {
    for (auto const& m : outer) plan.copy.add(m.extent, m.source_stride, m.destination_stride);
    plan.copy.add(read->extent / per_byte, 1, 1);
    return plan;
  }
  if (!is_whole(read->destination_stride) || !is_whole(written->source_stride)) return {};
  plan.matrices = packed_matrices{.outer = {},
                                  .source_row = read->extent / per_byte,
                                  .destination_row = written->extent / per_byte,
                                  .source_stride = written->source_stride / per_byte,
                                  .destination_stride = read->destination_stride / per_byte,
                                  .packed = packed};
  for (auto const& m : outer) plan.matrices->outer.push_back({m.extent, m.source_stride, m.destination_stride});
  return plan;
}

/// The plans of all boxes of a move.
struct bit_plans {
  std::vector<bit_plan> copied;
  std::vector<byte_copy> padded;  ///< of one byte, which has pads
};

/// Returns plans unless elements must be moved one by one.
std::optional<bit_plans> plans_of(pattern_move const& move, std::int64_t per_byte, bit_packing const& packed) {
  bit_plans plans;
  auto const boxes = boxes_of(move);
  auto const plan_between = [&](box_layout const& from, box_layout const& to, index_box const& box) {
    auto moved = strided(extents_of(box), from.strides, to.strides, 1);
    moved.source_offset = from.offset, moved.destination_offset = to.offset;
    return plan_of(canonical(moved), per_byte, packed);
  };
  for (auto const& box : boxes.padded) {
    auto const to = layout_of(box, move.destination, move);
    auto plan = plan_between(to, to, box);
    if (!plan) return {};
    auto& fill = plans.padded.emplace_back(std::move(plan->copy));
    std::ranges::fill(fill.source_strides, 0), fill.source_offset = 0;
  }
  for (auto const& box : boxes.copied) {
    auto plan = plan_between(layout_of(box, move.source, move), layout_of(box, move.destination, move), box);
    if (!plan) return {};
    plans.copied.push_back(*std::move(plan));
  }
  return plans;
}

/// A byte whose elements all are the lowest bits of `pad`.
std::byte repeated(std::byte pad, bit_packing const& packed) {
  return std::byte(0xFF / packed.mask() * (int(pad) & packed.mask()));
}

void transpose_on_gpu(std::byte const* source, std::byte* destination, packed_matrices const& all, int device, void* stream) {
  auto const plan = single_step(plan_packed(all, alignment_of(source, destination)));
  log_plan([&] { return fmt::format("on device {}: {}; the GPU has one way", device, describe(plan)); });
  gpu::on_device const current(device);
  gpu::run(plan.steps, {.source = source, .destination = destination}, stream);
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
  auto const plans = plans_of(move, per_byte, packed);
  if (!plans && move.is_swizzled())
    refuse(options.swizzle.empty() ? "source_swizzle" : "swizzle", "given",
           "left out for packed elements that are moved one by one");
  auto const places = places_in(options);
  auto const placed = is_read ? placement_of(source, destination, places) : placement_of(destination, places);
  int const threads = threads_given(options.threads);
  if (placed.place != kHost && (!plans || move.is_limited()))
    refuse("options.bits", options.bits,
           "8 on a GPU, unless each byte of both sides has elements of one axis and nothing is padded or cropped");
  bool const is_copy =
      plans && !move.is_limited() && std::ranges::all_of(plans->copied, [](bit_plan const& each) { return !each.matrices; });
  if (placed.place == kHost && !is_copy) {
    if (options.processor == processor_kind::gpu)
      refuse("processor", "gpu", "cpu or automatic for packed elements in host memory that change places within bytes");
    if (placed.waits) gpu::synchronize(options.stream);
  }
  auto const* const read = static_cast<std::byte const*>(source);
  auto* const written = static_cast<std::byte*>(destination);
  if (!plans) return cpu::gather_elements(read, written, move, packed, static_cast<std::byte const*>(options.pad), threads);
  for (auto const& [copy, matrices] : plans->copied) {
    auto const* const first_read = read + copy.source_offset;
    auto* const first_written = written + copy.destination_offset;
    if (!matrices)
      copy.run(source, destination, places);
    else if (placed.place == kHost)
      cpu::transpose_packed(first_read, first_written, *matrices, threads);
    else
      transpose_on_gpu(first_read, first_written, *matrices, placed.place, options.stream);
  }
  if (plans->padded.empty()) return;
  auto const pads = repeated(*static_cast<std::byte const*>(options.pad), packed);
  for (auto const& fill : plans->padded) fill.run(&pads, destination, places);
}

}  // namespace cornerturn
