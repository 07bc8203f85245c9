#include "plan/cpu_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/one_exchange.hpp"
#include "problem/print.hpp"

namespace cornerturn {

std::optional<cpu_boxes> plan_cpu_boxes(exchange const& groups, std::int64_t element_size, std::int64_t offset, int threads) {
  constexpr std::int64_t kUsualPart = 256;  // bytes
  cpu_boxes result{.rows = groups.rows,
                   .between = groups.between,
                   .columns = groups.columns,
                   .run = groups.run * element_size,
                   .arrays = groups.batch,
                   .offset = offset * element_size,
                   .threads = threads};
  result.array_stride = result.runs() * result.run;
  // The whole cache lines of each run for which there is room, less the line that the first box may have in addition.
  auto const fitting = [&](std::int64_t bytes) { return bytes / result.runs() / kCacheLine * kCacheLine - kCacheLine; };
  result.part = std::min(result.run, std::max(fitting(kCpuPanel), std::min(fitting(kLongestCpuPanel), kUsualPart)));
  return result.part < kCacheLine ? std::nullopt : std::optional(result);
}

std::string describe(cpu_boxes const& plan) {
  return fmt::format("boxes: {} of {} x {} x {} runs, {} of each", plan.tasks(), plan.rows, plan.between, plan.columns,
                     count_text(plan.part, "byte"));
}

}  // namespace cornerturn
