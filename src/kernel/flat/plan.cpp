#include "kernel/flat/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kEnoughRows = 16;  ///< more modes of the destination give no longer runs

/// The modes that number the rows, and those that number the columns, fastest first.
struct matrix_modes {
  std::vector<mode> rows, cols;
};

/// Nothing if the fastest mode is the same on both sides, or if no mode is left for the columns.
std::optional<matrix_modes> split(problem const& p) {
  matrix_modes result{.rows = {}, .cols = p.modes};
  auto& cols = result.cols;
  std::ranges::sort(cols, {}, &mode::destination_stride);
  std::int64_t rows = 1;
  while (!cols.empty() && std::abs(cols.front().source_stride) != 1 && rows < kEnoughRows &&
         std::ssize(result.rows) < kFlatForms[std::size(kFlatForms) - 1].row_digits) {
    rows *= cols.front().extent;
    result.rows.push_back(cols.front());
    cols.erase(cols.begin());
  }
  std::ranges::stable_sort(cols, {}, [](mode const& m) { return std::abs(m.source_stride); });
  if (result.rows.empty() || cols.empty()) return {};
  return result;
}

/// The first compiled form that has enough digits.
std::optional<int> form_of(matrix_modes const& modes) {
  auto const found = std::ranges::find_if(kFlatForms, [&](flat_form const& each) {
    return std::ssize(modes.rows) <= each.row_digits && std::ssize(modes.cols) <= each.col_digits;
  });
  if (found == std::end(kFlatForms)) return {};
  return int(found - std::begin(kFlatForms));
}

/// Copies modes to digits, and returns the number of their combinations.
template <std::size_t Most>
int to_digits(std::vector<mode> const& modes, std::array<flat_digit, Most>& digits) {
  int count = 1;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    digits[i] = {fast_divmod(int(modes[i].extent)), int(modes[i].source_stride), int(modes[i].destination_stride)};
    count *= int(modes[i].extent);
  }
  return count;
}

/// Elements that follow each other along the fastest digits.
template <std::size_t Most>
int run_of(std::array<flat_digit, Most> const& digits, int flat_digit::*stride) {
  int run = 1;
  for (auto const& each : digits) {
    if (each.*stride != run) break;
    run *= each.radix.divisor;
  }
  return run;
}

}  // namespace

std::string_view idea_of(flat_plan const&) {
  return "few tiles of any axes: a thread decodes its column, and its few elements pass through shared memory";
}

std::string describe(flat_plan const& plan) {
  auto const& job = plan.job;
  auto const& digits = kFlatForms[plan.form];
  return fmt::format("flat {}x{}, {} threads, {}, {}: {} x {} of {}", plan.shape().rows, plan.shape().cols, plan.shape().threads,
                     count_text(digits.row_digits, "digit") + " a row", count_text(digits.col_digits, "digit") + " a column",
                     job.rows, job.cols, count_text(plan.element_size, "byte"));
}

std::vector<flat_plan> plan_flat(problem const& p, gpu_model const& gpu) {
  std::vector<flat_plan> result;
  auto const elements = bytes_of(p) / shared_element_size(p);
  if (elements == 0 || elements > kIntMax || !has_int_offsets(p.modes)) return result;
  auto const modes = split(p);
  if (!modes) return result;
  auto const form = form_of(*modes);
  if (!form) return result;
  flat_plan plan{.job = {}, .form = *form, .element_size = int(shared_element_size(p))};
  auto& job = plan.job;
  job.rows = to_digits(modes->rows, job.row_digits), job.cols = to_digits(modes->cols, job.col_digits);
  plan.source_run = run_of(job.col_digits, &flat_digit::source);
  plan.destination_run = run_of(job.row_digits, &flat_digit::destination);
  plan.source_offset = p.source_offset, plan.destination_offset = p.destination_offset;
  for (int i = 0; i < int(std::size(kFlatTiles)); ++i) {
    auto const& tile = kFlatTiles[i];
    if (tile.rows > kFlatTiles[0].rows && job.rows <= kFlatTiles[0].rows) continue;  // half of it would be empty
    auto const across = ceil_div(job.cols, tile.cols), down = ceil_div(job.rows, tile.rows);
    if (double(across) * double(down) > std::min(gpu.flat.blocks, double(grid_shape::kMostRows))) continue;
    plan.tile = i, job.tiles = {int(across), int(down), 1}, plan.blocks = int(job.tiles.blocks());
    result.push_back(plan);
  }
  return result;
}

std::vector<flat_plan> flat_plan::candidates(problem const& refitted, alignment const&, gpu_model const& gpu) {
  auto const all = plan_flat(refitted, gpu);
  auto const fastest = std::ranges::min_element(all, {}, [&](flat_plan const& plan) { return expected_seconds(plan, gpu); });
  return fastest == all.end() ? std::vector<flat_plan>() : std::vector{*fastest};
}

plan_decisions<flat_plan> flat_plan::decisions() {
  return {{element_decision<flat_plan>(),
           {"digits",
            {"1 and 2 digits", "2 and 4 digits", "3 and 6 digits", "4 and 8 digits"},
            [](flat_plan const& plan) { return plan.form; }},
           {"tile", {"16x32", "16x64", "32x32"}, [](flat_plan const& plan) { return plan.tile; }},
           {"tiles", {"one tile", "several tiles"}, [](flat_plan const& plan) { return plan.blocks > 1; }}}};
}

}  // namespace cornerturn
