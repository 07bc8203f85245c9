#include "cornerturn/ladder.hpp"

#include <algorithm>
#include <limits>

#include "api/kernels.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/ladder.hpp"
#include "engine/host/ladder.hpp"
#include "problem/fail.hpp"

namespace cornerturn {

bool ladder_run::all_right() const {
  return std::ranges::none_of(rungs, [](auto const& row) { return row.result == ladder_row::outcome::wrong; });
}

ladder_run run_ladder(ladder_options const& options, std::function<void(std::string_view)> const& progress) {
  int const element_size = type_size(options.type);
  if (options.rows < 1) refuse("rows", options.rows, "1 or more");
  if (options.cols < 1) refuse("cols", options.cols, "1 or more");
  if (options.rows > std::numeric_limits<std::int64_t>::max() / element_size / options.cols)
    refuse("rows x cols", fmt::format("{} x {} of {} bytes", options.rows, options.cols, element_size), "at most 2^63 - 1 bytes");
  if (options.repeats < 1) refuse("repeats", options.repeats, "1 or more");

  std::vector<rung> rungs;
  for (auto const& name : options.kernels) rungs.push_back(kernel_named(name));
  if (rungs.empty())
    for (auto const& each : kRungs) rungs.push_back(each.id);
  return gpu::why_unavailable().empty() ? gpu::climb(options, rungs, progress) : host::climb(options, rungs, progress);
}

}  // namespace cornerturn
