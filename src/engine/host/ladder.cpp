#include "engine/host/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "engine/host/host.hpp"

namespace cornerturn::host {
namespace {

/// A few tiles across for each rung; larger matrices would only take longer.
constexpr std::int64_t kMostRows = 512, kMostCols = 384;

std::int64_t count_wrong(std::vector<std::byte> const& source, std::vector<std::byte> const& result, std::int64_t rows,
                         std::int64_t cols, int size, bool transposed) {
  std::int64_t wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c)
      wrong += std::memcmp(&source[std::size_t((r * cols + c) * size)],
                           &result[std::size_t((transposed ? c * rows + r : r * cols + c) * size)], std::size_t(size)) != 0;
  return wrong;
}

/// Runs one rung on rows x cols and fills in how; says what was wrong, if anything.
std::string verify(rung id, std::int64_t rows, std::int64_t cols, int size, ladder_row& row) {
  std::vector<std::byte> source(std::size_t(rows * cols * size)), result(source.size(), std::byte(0x5A));
  std::mt19937 random(1);
  std::ranges::generate(source, [&] { return std::byte(random()); });

  bool const straight = id == rung::copy;
  job const shape{.rows = rows, .cols = cols, .source_pitch = cols, .destination_pitch = straight ? cols : rows};
  plan const chosen = plan_rung(id, shape, size, alignment_of(source.data(), result.data()));
  host::run(chosen, source.data(), result.data());
  row.tile = fmt::format("{}x{}", chosen.tile.rows, chosen.tile.cols);
  row.threads = chosen.tile.threads;
  row.load_bytes = chosen.load_bytes();
  row.store_bytes = chosen.store_bytes();
  auto const wrong = count_wrong(source, result, rows, cols, size, !straight);
  return wrong ? fmt::format("{} of {} elements are wrong in {} x {}", wrong, rows * cols, rows, cols) : std::string();
}

}  // namespace

ladder_run climb(ladder_options const& options, std::vector<rung> const& rungs,
                 std::function<void(std::string_view)> const& progress) {
  ladder_run run{.rows = std::min(options.rows, kMostRows), .cols = std::min(options.cols, kMostCols), .type = options.type};
  int const size = type_size(options.type);
  for (auto const id : rungs) {
    if (progress) progress(fmt::format("verifying {}", name_of(id)));
    ladder_row row{.name = std::string(name_of(id)), .result = ladder_row::outcome::verified};
    row.reason = verify(id, run.rows + 3, run.cols + 5, size, row);  // ragged on every side
    if (auto const wrong = verify(id, run.rows, run.cols, size, row); !wrong.empty()) row.reason = wrong;
    if (!row.reason.empty()) row.result = ladder_row::outcome::wrong;
    run.rungs.push_back(std::move(row));
  }
  return run;
}

}  // namespace cornerturn::host
