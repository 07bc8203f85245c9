#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/round.hpp"
#include "cpu/sizes.hpp"
#include "cpu/tiles/plan.hpp"
#include "kernel/decisions.hpp"
#include "machine/cpu_work.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A loop over boxes, or over rows of a box.
struct convert_loop {
  std::int64_t count = 1;         ///< boxes or rows
  std::int64_t from = 0, to = 0;  ///< bytes from one to the next where they are read, and where they are written
  std::int64_t factor = 0;        ///< elements from one to the next in the operation's scale and bias
  std::size_t smaller = 0;        ///< a loop over boxes adds this to the index of its last box in `boxes`; 0 if all are equal
};

/// A box of indices: the rows that are changed, and the permutation before or after. The elements of a row are contiguous in the
/// memory from which they are read.
struct convert_box {
  cpu_plan permute;                 ///< between an image and the source or the destination; unused without an image
  std::int64_t length = 1;          ///< elements of a row
  std::vector<convert_loop> loops;  ///< over rows; the last one runs fastest

  std::int64_t rows() const { return iterations_of(loops); }
};

/// The place where the elements of a box change. An image is a copy of a box in the level 2 cache.
enum class change_order {
  in_place_of_copy,  ///< rows of the source become rows of the destination, without an image
  first,             ///< from the source to an image in the source's order, which is then permuted to the destination
  last,              ///< after a permutation of the source to an image in the destination's order
};

/// How the CPU moves a canonical problem whose elements change, unless they can change within tiles (src/cpu/tiles/change). They
/// change row by row, in boxes of the problem.
struct cpu_convert {
  static constexpr std::string_view family = "cpu-convert";
  static constexpr int version = 1;

  element_operation operation;
  element_sizes sizes;
  std::vector<convert_loop> loops;  ///< over boxes
  std::vector<convert_box> boxes;   ///< by the sum of `smaller` over the loops that are at their last box
  change_order order = change_order::last;
  bool streams = false;                                    ///< stores are non-temporal, past the caches
  std::int64_t row_step = 1;                               ///< elements of the destination from one element of a row to the next
  std::int64_t factor_step = 0;                            ///< elements of scale and bias from one element of a row to the next
  std::int64_t source_offset = 0, destination_offset = 0;  ///< bytes
  std::int64_t factor_offset = 0;                          ///< elements
  std::int64_t bytes = 0;                                  ///< bytes of the result
  std::int64_t image_bytes = 0;
  cpu_limits limits;

  std::int64_t tasks() const { return iterations_of(loops); }  ///< boxes
  /// A plan of the first boxes, which is timed in place of a large one. It has one box, or more of at most `most_bytes` bytes.
  cpu_convert part(std::int64_t most_bytes) const;
  /// The bytes of the destination that change in the level 1 cache before they are stored: whole cache lines.
  std::int64_t buffer_bytes() const { return round_up(limits.convert_buffer, kCacheLine); }
  /// The bytes of the memory that the plans of boxes need.
  std::int64_t permute_bytes() const;

  auto parameters() const {
    auto const& box = boxes.front();
    return std::tuple_cat(std::tuple(int(order), streams, box.rows(), box.length), box.permute.parameters());
  }

  static plan_decisions<cpu_convert> decisions();
};

/// Plans a canonical problem that has elements and an operation. Throws `error` for a problem that is larger than a processor can
/// address.
cpu_convert plan_cpu_convert(problem const& canonical, cpu_tile_hint const& hint = {});

std::string describe(cpu_convert const& plan);

/// The work of a run of the plan.
cpu_work work_of(cpu_convert const& plan);

}  // namespace cornerturn
