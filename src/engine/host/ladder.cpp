#include "engine/host/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "engine/host/host.hpp"

namespace cornerturn::host {
namespace {

/// The most rows and columns: a few tiles across for each rung. Larger matrices would only take longer.
constexpr std::int64_t kMostRows = 512, kMostCols = 384;

/// Both sides of one dense matrix.
struct matrix_sides {
  matrix_sides(std::int64_t rows, std::int64_t cols, int element_size)
      : rows(rows),
        cols(cols),
        element_size(element_size),
        source(std::size_t(rows * cols * element_size)),
        result(source.size()) {
    std::mt19937 random(1);
    std::ranges::generate(source, [&] { return std::byte(random()); });
  }

  alignment aligned() const { return alignment_of(source.data(), result.data()); }

  /// Runs a plan. Returns an error message; empty if the result is right.
  std::string verify(rung_plan const& chosen) {
    std::ranges::fill(result, std::byte(0x5A));
    host::run(chosen, source.data(), result.data());
    bool const straight = info_of(chosen.kernel).is_copy;
    auto const size = std::size_t(element_size);
    std::int64_t wrong = 0;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c)
        wrong += std::memcmp(&source[std::size_t(r * cols + c) * size],
                             &result[std::size_t(straight ? r * cols + c : c * rows + r) * size], size) != 0;
    return wrong ? fmt::format("{} of {} elements are wrong in {} x {}", wrong, rows * cols, rows, cols) : std::string();
  }

  std::int64_t rows, cols;
  int element_size;
  std::vector<std::byte> source, result;
};

}  // namespace

ladder_run run_ladder(ladder_options const& options, std::vector<rung> const& rungs, tile_choice const& tiles,
                      std::function<void(std::string_view)> const& progress) {
  ladder_run run{.rows = std::min(options.rows, kMostRows), .cols = std::min(options.cols, kMostCols), .type = options.type};
  int const size = type_size(options.type);
  // odd rows, and rows of whole 16-byte units, which TMA takes, that end within a tile
  matrix_sides whole(run.rows, run.cols, size), odd(run.rows + 3, run.cols + 5, size), ragged(run.rows + 16, run.cols + 48, size);
  for (auto const id : rungs) {
    if (progress) progress(fmt::format("verifying {}", name_of(id)));
    std::string wrong;
    for (auto* const each : {&odd, &ragged})
      for (auto const& [row, chosen] : entries_of(id, each->rows, each->cols, size, each->aligned(), {}))
        if (chosen && wrong.empty()) wrong = each->verify(*chosen);
    for (auto& [row, chosen] : entries_of(id, run.rows, run.cols, size, whole.aligned(), tiles)) {
      if (chosen) {
        row.reason = wrong.empty() ? whole.verify(*chosen) : wrong;
        row.result = row.reason.empty() ? ladder_row::outcome::verified : ladder_row::outcome::wrong;
      }
      run.rungs.push_back(row);
    }
  }
  return run;
}

}  // namespace cornerturn::host
