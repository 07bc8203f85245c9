#include "cpu/convert/convert.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

#include "base/round.hpp"
#include "cpu/image_memory.hpp"
#include "cpu/shared_tiles.hpp"
#include "cpu/sizes.hpp"
#include "cpu/stream_row.hpp"
#include "cpu/tiles/change_row.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn::cpu {
namespace {

/// Changes `count` elements of a row from element `first` on. `factor` is the index of the row's first element in scale and bias.
void change_part(cpu_convert const& plan, element_changer const& changer, std::int64_t first, std::int64_t count,
                 std::byte const* from, std::byte* to, std::int64_t factor) {
  changer.row(from + first * plan.sizes.source, to, count, {factor + first * plan.factor_step, plan.factor_step});
}

/// Changes one row whose elements are contiguous in the destination. Whole cache lines are stored past the caches, the ends of
/// the row to the caches. `head` is the number of elements before the first whole line.
void stream_dense_row(cpu_convert const& plan, element_changer const& changer, std::int64_t length, std::int64_t head,
                      std::byte const* from, std::byte* to, std::int64_t factor) {
  auto const destination = plan.sizes.destination, line = kCacheLine / destination;
  auto const whole = (length - head) / line * line, rest = length - head - whole;
  change_part(plan, changer, 0, head, from, to, factor);
  changer.stream(from + head * plan.sizes.source, to + head * destination, whole,
                 {factor + head * plan.factor_step, plan.factor_step});
  change_part(plan, changer, head + whole, rest, from, to + (head + whole) * destination, factor);
}

/// Changes one row. Elements pass through a buffer if they have gaps in the destination, or if they are streamed and the changer
/// has no `stream`.
void convert_row(cpu_convert const& plan, element_changer const& changer, std::int64_t length, std::byte const* from,
                 std::byte* to, std::int64_t factor, std::byte* buffer) {
  auto const destination = plan.sizes.destination;
  bool const is_dense = plan.order == change_order::first || plan.row_step == 1;
  bool const streams = plan.order != change_order::first && plan.streams;
  bool const reads = plan.operation.beta != 0.0;
  if (is_dense && (!streams || length * destination < 2 * kCacheLine))
    return change_part(plan, changer, 0, length, from, to, factor);
  auto const into_line = std::int64_t(reinterpret_cast<std::uintptr_t>(to) % kCacheLine);
  if (is_dense && changer.has_stream() && into_line % destination == 0)
    return stream_dense_row(plan, changer, length, (kCacheLine - into_line) % kCacheLine / destination, from, to, factor);
  // Parts end with cache lines of the destination.
  auto const room = plan.buffer_bytes();
  auto many = is_dense ? std::max<std::int64_t>(1, (room - into_line) / destination) : room / destination;
  for (std::int64_t first = 0; first < length; many = room / destination) {
    many = std::min(many, length - first);
    assert(many * destination <= room);
    auto* const at = to + first * plan.row_step * destination;
    auto const copy_each = [&](auto const& copy) {
      for (std::int64_t i = 0; i < many; ++i) copy(at + i * plan.row_step * destination, buffer + i * destination);
    };
    auto const bytes = std::size_t(destination);
    if (reads && is_dense) std::memcpy(buffer, at, bytes * std::size_t(many));
    if (reads && !is_dense) copy_each([=](std::byte* array, std::byte* own) { std::memcpy(own, array, bytes); });
    change_part(plan, changer, first, many, from, buffer, factor);
    if (is_dense)
      stream_row(buffer, at, many * destination);
    else
      copy_each([=](std::byte* array, std::byte const* own) { std::memcpy(array, own, bytes); });
    first += many;
  }
}

/// Changes the rows of a box that begins at these addresses.
void convert_rows(cpu_convert const& plan, element_changer const& changer, convert_box const& box, std::byte const* from,
                  std::byte* to, std::int64_t factor, std::byte* buffer) {
  std::vector<std::int64_t> index(box.loops.size());
  for (;;) {
    convert_row(plan, changer, box.length, from, to, factor, buffer);
    auto k = index.size();
    for (; k-- > 0;) {
      auto const& loop = box.loops[k];
      from += loop.from, to += loop.to, factor += loop.factor;
      if (++index[k] < loop.count) break;
      from -= loop.count * loop.from, to -= loop.count * loop.to, factor -= loop.count * loop.factor;
      index[k] = 0;
    }
    if (k == std::size_t(-1)) return;
  }
}

}  // namespace

std::int64_t convert_memory(cpu_convert const& plan) {
  return plan.buffer_bytes() + round_up(plan.image_bytes, kCacheLine) + kCacheLine + plan.permute_bytes();
}

void convert_boxes(cpu_convert const& plan, convert_share const& share) {
  element_changer const changer(plan.operation, plan.limits.convert_at_once);
  auto* const image = share.memory + plan.buffer_bytes();
  auto* const own = image + round_up(plan.image_bytes, kCacheLine) + kCacheLine;
  auto const tasks = plan.tasks();
  for (auto number = share.first; number < share.end; ++number) {
    auto const* from = share.source + plan.source_offset;
    auto* to = share.destination + plan.destination_offset;
    auto factor = plan.factor_offset;
    std::size_t which = 0;
    auto rest = number;
    for (auto k = plan.loops.size(); k-- > 0;) {
      auto const& loop = plan.loops[k];
      auto const index = rest % loop.count;
      rest /= loop.count;
      from += index * loop.from, to += index * loop.to, factor += index * loop.factor;
      if (index == loop.count - 1) which |= loop.smaller;
    }
    auto const& box = plan.boxes[which];
    auto const permute = [&](std::byte const* read, std::byte* written) {
      move_tiles(box.permute, {.source = read, .destination = written, .first = 0, .end = box.permute.tasks(), .image = own});
    };
    switch (plan.order) {
      case change_order::in_place_of_copy:
        convert_rows(plan, changer, box, from, to, factor, share.memory);
        break;
      case change_order::first:
        convert_rows(plan, changer, box, from, image, factor, share.memory);
        permute(image, to);
        break;
      case change_order::last:
        permute(from, image);
        convert_rows(plan, changer, box, image, to, factor, share.memory);
        break;
    }
    // Boxes at the ends are smaller, but the sum over all boxes is exact.
    if (!share.report(plan.bytes * (number + 1) / tasks - plan.bytes * number / tasks)) break;
  }
  if (plan.streams) end_streams();
}

void run(cpu_convert const& plan, void const* source, void* destination, run_context const& context) {
  auto const tasks = plan.tasks();
  int const threads = threads_for(plan.bytes, tasks, plan.limits.threads, context.workers);
  shared_tiles boxes(tasks, plan.bytes, threads);
  do_shares(context, threads, plan.bytes, [&](int index, reporter const& report) {
    image_memory const memory(convert_memory(plan));
    boxes.move_as(index, report, [&](std::int64_t first, std::int64_t end, reporter const& tell) {
      convert_boxes(plan, {.source = static_cast<std::byte const*>(source),
                           .destination = static_cast<std::byte*>(destination),
                           .first = first,
                           .end = end,
                           .memory = memory.first(),
                           .report = tell});
    });
  });
}

}  // namespace cornerturn::cpu
