#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cpu/run.hpp"
#include "cpu/tiles/plan.hpp"
#include "pattern/problems.hpp"

namespace cornerturn {

/// How the CPU pads, crops and swizzles: boxes of indices, each with tiles of its own. The threads divide pieces of all boxes,
/// because the tiles of some boxes are much smaller than those of others.
struct cpu_limited {
  static constexpr std::string_view family = "cpu-limited";
  static constexpr int version = 1;

  std::vector<cpu_plan> copied;  ///< of the boxes that both sides have
  std::vector<cpu_plan> padded;  ///< of the boxes that only the destination has; they read `pad`
  std::vector<std::byte> pad;    ///< elements, as many as a box has in a row

  /// Pieces of whole tiles of a box, each about as large as is worth a thread.
  static std::int64_t pieces_of(cpu_plan const& box);

  std::int64_t bytes() const;        ///< of the result
  std::int64_t pieces() const;       ///< of all boxes
  std::int64_t image_bytes() const;  ///< of the memory that the boxes need, one after another
  thread_limits const& threads() const { return (copied.empty() ? padded : copied).front().limits.threads; }

  auto parameters() const { return std::tuple(pieces(), bytes()); }

  static plan_decisions<cpu_limited> decisions();
};

/// Plans boxes. Those that are padded get the bytes of `pad`, which is an element or several.
cpu_limited plan_cpu_limited(boxed_problems const& boxes, std::span<std::byte const> pad, cpu_tile_hint const& hint = {});

std::string describe(cpu_limited const& plan);

namespace cpu {

void run(cpu_limited const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cpu
}  // namespace cornerturn
