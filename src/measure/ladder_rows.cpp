#include "measure/ladder_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "measure/statistics.hpp"

namespace cornerturn {

bool add_row(ladder_run& run, ladder_row row, std::int64_t wrong) {
  row.result = wrong ? ladder_row::outcome::wrong : ladder_row::outcome::verified;
  if (wrong) row.reason = fmt::format("{} of {} elements are wrong", wrong, run.rows * run.cols);
  run.rungs.push_back(std::move(row));
  return wrong == 0;
}

void set_times(ladder_run& run, std::vector<std::vector<double>> const& ms, std::int64_t bytes) {
  auto samples = ms.begin();
  for (auto& row : run.rungs) {
    if (row.result != ladder_row::outcome::verified) continue;
    auto const time = spread_of(*samples++);
    row.mean_ms = time.mean, row.median_ms = time.median, row.iqr_ms = time.iqr;
    row.gbs = 2e-6 * double(bytes) / time.median;
  }
  run.memcpy_gbs = run.rungs.front().gbs;
  for (auto& row : run.rungs) row.ratio = row.gbs / run.memcpy_gbs;
}

}  // namespace cornerturn
