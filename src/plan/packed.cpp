#include "plan/packed.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/round.hpp"
#include "plan/choose.hpp"
#include "plan/limited.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

constexpr alignment kOfWorkspace{kLargestElement, kLargestElement};

/// Adds steps between two positions in place of the source and the destination.
void add_steps(candidate&& part, buffer_position const& from, buffer_position const& to, candidate& all) {
  auto const moved = [&](buffer_position const& at) {
    auto const& base = at.role == buffer_role::source ? from : to;
    return buffer_position{base.role, base.offset + at.offset};
  };
  for (auto& each : part.steps) {
    each.source = moved(each.source), each.destination = moved(each.destination);
    all.steps.push_back(std::move(each));
  }
  all.seconds += part.seconds;
}

candidate transpose_of(packed_matrices const& matrices, alignment const& aligned, gpu_model const& gpu) {
  auto const plan = plan_packed(matrices, aligned);
  return single_step(plan, expected_seconds(plan, gpu));
}

candidate of_boxes(packed_boxes const& boxes, std::byte pad, alignment const& aligned, gpu_model const& gpu) {
  candidate result{.steps = {}, .is_scaled = gpu.is_scaled};
  buffer_position const source{buffer_role::source}, destination{buffer_role::destination};
  for (auto const& box : boxes.padded) add_steps(fill_of(box, {&pad, 1}, aligned, gpu), source, destination, result);
  for (auto const& [bytes, matrices] : boxes.copied) {
    if (!matrices) {
      add_steps(fastest_candidate(canonical(bytes), aligned, gpu), source, destination, result);
      continue;
    }
    auto const from = bytes.source_offset, to = bytes.destination_offset;
    alignment const at{int(std::gcd(aligned.source, from)), int(std::gcd(aligned.destination, to))};
    add_steps(transpose_of(*matrices, at, gpu), {buffer_role::source, from}, {buffer_role::destination, to}, result);
  }
  return result;
}

std::int64_t count_of(std::vector<std::int64_t> const& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies());
}

/// The rows of a side of packed elements, and an array of a byte for each element: the repeats of its axes but the last.
/// `strides` are those of the side in bytes.
std::vector<packed_matrices::repeat> rows_of(pattern_side const& side, std::int64_t per_byte) {
  auto const dense = dense_strides(side.shape, storage_order::c);
  std::vector<packed_matrices::repeat> result;
  for (std::size_t axis = 0; axis + 1 < side.shape.size(); ++axis)
    if (side.shape[axis] > 1) result.push_back({side.shape[axis], side.strides[axis] / per_byte, dense[axis]});
  return result;
}

/// The move of a byte for each element, between dense arrays.
candidate of_elements(pattern_move move, std::byte pad, gpu_model const& gpu) {
  for (auto* const side : {&move.source, &move.destination})
    set_strides(*side, dense_strides(side->shape, storage_order::c), move.extents);
  if (move.is_limited()) return limited_candidates({std::move(move), 1, {pad}}, kOfWorkspace, gpu).front();
  auto const whole = strided(move.extents, move.source.mode_strides, move.destination.mode_strides, 1);
  return fastest_candidate(canonical(whole), kOfWorkspace, gpu);
}

/// Elements become bytes of which all elements are equal, because a matrix whose rows are the same row is transposed. After the
/// move another transpose makes rows that are the same row, and the first of them is copied.
candidate one_by_one(pattern_move const& move, bit_packing const& packed, std::byte pad, alignment const& aligned,
                     gpu_model const& gpu) {
  auto const per_byte = packed.per_byte(), read = count_of(move.source.shape), written = count_of(move.destination.shape),
             room = round_up(std::max(read, written), kLargestElement);
  candidate result{.steps = {}, .workspace_bytes = room + written, .is_scaled = gpu.is_scaled};
  buffer_position const source{buffer_role::source}, destination{buffer_role::destination}, first{buffer_role::workspace},
      second{buffer_role::workspace, room};
  if (read > 0) {
    packed_matrices const spread{.outer = rows_of(move.source, per_byte),
                                 .source_row = move.source.shape.back() / per_byte,
                                 .destination_row = 1,
                                 .source_stride = 0,
                                 .destination_stride = 1,
                                 .packed = packed};
    add_steps(transpose_of(spread, {aligned.source, kLargestElement}, gpu), source, first, result);
  }
  add_steps(of_elements(move, pad, gpu), first, second, result);
  auto const row = move.destination.shape.back() / per_byte;
  packed_matrices gathered{.outer = rows_of(move.destination, per_byte),
                           .source_row = 1,
                           .destination_row = row,
                           .source_stride = 1,
                           .destination_stride = row,
                           .packed = packed};
  problem rows{.modes = {{row, 1, 1}}, .element_size = 1};
  for (auto& each : gathered.outer) {
    auto const to = std::exchange(each.source_stride, each.destination_stride);
    rows.modes.push_back({each.extent, each.destination_stride, to});
  }
  add_steps(transpose_of(gathered, kOfWorkspace, gpu), second, first, result);
  add_steps(fastest_candidate(canonical(rows), {kLargestElement, aligned.destination}, gpu), first, destination, result);
  return result;
}

}  // namespace

candidate packed_candidate(pattern_move const& move, bit_packing const& packed, std::byte pad, alignment const& aligned,
                           gpu_model const& gpu) {
  auto const all = repeated(pad, packed);
  if (auto const boxes = packed_boxes_of(move, packed)) return of_boxes(*boxes, all, aligned, gpu);
  return one_by_one(move, packed, all, aligned, gpu);
}

}  // namespace cornerturn
