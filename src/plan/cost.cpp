#include "plan/cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace cornerturn {
namespace {

constexpr int kWarp = 32, kUnit = 16, kSector = 32, kLine = 128, kWarpsPerBlock = 8;

/// What a number's digits add up to in shared memory.
int place_of(gather_job const& job, digit_range const& digits, int number, int spread = kUnit) {
  int at = 0, column = 0;
  for (int i = digits.begin; i < digits.end; ++i) {
    auto const& each = job.digits[std::size_t(i)];
    int const radix = i + 1 < digits.end ? each.radix.divisor : 1 << 30, value = number % radix;
    number /= radix;
    at += value * each.at;
    column += int(value * each.destination);
  }
  return at + (&digits == &job.vectors ? (column >> job.log_together) * spread : 0);
}

/// Wavefronts of a request for the words at these places.
int wavefronts_of(std::array<int, kWarp> const& places, int bytes) {
  // what the request moves in one wavefront is 128 bytes: 8- and 16-byte elements take two and four
  int const together = kWarp * 4 / std::max(bytes, 4);
  int wavefronts = 0;
  for (int first = 0; first < kWarp; first += together) {
    std::array<int, 32> counts{};
    int most = 1;
    for (int lane = first; lane < first + together; ++lane) {
      auto const word = places[std::size_t(lane)] >> 2;  // before the origin where strides are negative
      bool seen = false;
      for (int other = first; other < lane && !seen; ++other) seen = places[std::size_t(other)] >> 2 == word;
      if (!seen) most = std::max(most, ++counts[std::size_t(word & 31)]);
    }
    wavefronts += most;
  }
  return wavefronts;
}

/// Wavefronts of the first request by which a warp gathers elements.
double gather_wavefronts(gather_plan const& plan, int vector) {
  auto const& job = plan.job;
  std::array<int, kWarp> places{};
  int const lanes = job.lanes.divisor;
  for (int thread = 0; thread < kWarp; ++thread) {
    int const stand = thread / lanes, row = stand % job.destination_rows,
              first = std::min((thread % lanes + stand / job.destination_rows * lanes) * vector, job.vector_elements - 1);
    int const line = row % job.lines_per_batch.divisor, batch = row / job.lines_per_batch.divisor;
    places[std::size_t(thread)] =
        place_of(job, job.vectors, first) + place_of(job, job.lines, line) + place_of(job, job.batch, batch);
  }
  return wavefronts_of(places, plan.element_size);
}

/// The same for a warp that turns squares.
double square_wavefronts(gather_plan const& plan) {
  auto const& job = plan.job;
  std::array<int, kWarp> places{};
  int const lanes = job.line_lanes.divisor;
  for (int thread = 0; thread < kWarp; ++thread) {
    int const eight = thread % lanes, four = thread / lanes % job.fours.divisor, group = eight / job.eights.divisor;
    int const row = group * job.lines_together + eight % job.eights.divisor * 8;
    places[std::size_t(thread)] = place_of(job, job.vectors, 4 * four, 2 * kUnit) +
                                  place_of(job, job.lines, row % job.lines_per_batch.divisor) +
                                  place_of(job, job.batch, row / job.lines_per_batch.divisor);
  }
  return wavefronts_of(places, 4);
}

double resident_blocks(double shared_bytes, double threads) {
  constexpr double kShared = 228 << 10, kReserved = 1 << 10, kThreads = 2048;
  return std::clamp(std::floor(kShared / (shared_bytes + kReserved)), 1.0, kThreads / threads);
}

}  // namespace

demand demand_of(gather_plan const& plan) {
  auto const& job = plan.job;
  demand result;
  double const size = plan.element_size, vector = plan.form.single ? 1 : kUnit / size, tiles = job.tiles;
  double const row_units = job.loads.divisor, source_rows = job.source_rows, rows = job.destination_rows,
               row_bytes = job.vector_elements * size, vectors = row_bytes / (vector * size) * rows;
  double const window = (job.run_part - 1) * std::abs(job.run_step) + job.run_rest;
  bool const source_off = row_units * kUnit > window + 15;

  result.tiles = tiles;
  result.resident = resident_blocks(job.shared_bytes, 256);
  result.bytes = tiles * rows * row_bytes * 2;
  double const source_sectors = source_rows * (source_off ? window / kSector + 1 : std::ceil(window / kSector)),
               destination_sectors = rows * (job.ragged && job.halo == 0 ? row_bytes / kSector + 2
                                             : job.grain < kSector       ? row_bytes / kSector + (job.ragged ? 1 : 0)
                                                                         : row_bytes / kSector);
  result.sectors = tiles * (source_sectors + destination_sectors);
  double const source_lines = source_rows * (window / kLine + (source_off ? 1 : 0)),
               destination_lines = rows * (row_bytes / kLine + (job.ragged ? (job.lined_up ? 1 : row_bytes / kLine) : 0));
  result.lines = tiles * (source_lines + destination_lines);

  double const fetches = source_rows * row_units / kWarp, stores = vectors / kWarp * (job.lined_up ? 1.25 : 1),
               tables = (source_rows + rows + job.places) / kWarp,
               ends = job.ragged && job.halo == 0 ? rows * job.ends.divisor / kWarp : 0;
  double instructions = kWarpsPerBlock * 150.0 + tables * 90 + fetches * 28 + ends * 45,
         wavefronts = tables * 4 + fetches * 6 + ends * 6;
  if (plan.form.turns) {
    double const squares = double(job.fours.divisor) * job.line_turns * job.line_lanes.divisor / kWarp;
    bool const narrow = job.lines_together <= 4;
    instructions += squares * (narrow ? 90 : 125) + stores * 60;
    wavefronts += squares * (6 + 4 * (narrow ? 2 : 3) * square_wavefronts(plan) + 8) + stores * 9;
  } else {
    instructions += stores * (38 + vector * (job.ragged ? 4.5 : 3.5));
    wavefronts += stores * (4 + vector * gather_wavefronts(plan, int(vector)) + (job.ragged ? 1.5 : 1) * vector);
  }
  result.instructions = tiles * instructions * (plan.element_size > 2 ? 1 : plan.form.turns ? 1.13 : plan.form.ragged ? 1.25 : 1);
  result.wavefronts = tiles * wavefronts;
  return result;
}

demand demand_of(unaligned_plan const& plan) {
  auto const& job = plan.job;
  auto const shape = plan.shape();
  demand result;
  double const size = plan.element_size, tiles = job.count;
  double const rows = std::min(job.tile_rows, job.row_count), cols = std::min(job.tile_cols, job.col_count),
               read = std::min<double>(rows + kUnit / size, job.row_count), warps = shape.threads / double(kWarp);
  result.tiles = tiles;
  result.resident = shape.blocks;
  result.bytes = tiles * rows * cols * size * 2;
  result.sectors = tiles * (read * (cols * size / kSector + 1) + cols * (rows * size / kSector + 0.5));
  result.lines = tiles * (read * (cols * size / kLine + 1) + cols * (rows * size / kLine + 1));
  // The threads of a warp that have nothing to do in a phase do not shorten it, but whole warps skip it.
  double const units = std::ceil(cols * size / kUnit), fetches = read * (units + 1) / kWarp,
               squares = std::ceil(read * size / 4 / 4) * 4 * std::max(units, 8.0) / kWarp,
               stores = cols * std::max(std::ceil(rows * size / kUnit), 4.0) / kWarp;
  result.instructions = tiles * (warps * 175 + fetches * 29 + squares * (29 + 175 / size) + stores * 46);
  result.wavefronts = tiles * (warps * 1.4 + fetches + squares * 7 / size + stores * 2);
  return result;
}

namespace {

// An H200, and constants fitted to runs on it of both programs with elements of up to 2 bytes, and of gather with larger ones
// (docs/performance.md).
constexpr double kProcessors = 132, kClock = 1.755e9;
struct rates {
  double bytes, sectors, lines;     ///< a second
  double instructions, wavefronts;  ///< a cycle
  double tile_seconds, sharpness, alone, start_seconds;
};
constexpr rates kSmallElements{2e13, 9.8e11, 9.2e10, 6.57, 2.6, 2.64e-6, 1.51, 1, 4.9e-6},
    kLargeElements{4.4e12, 8.0e11, 6.75e10, 5.2, 1, 5.4e-6, 4.9, 0.47, 3.3e-6};
constexpr double kStartSeconds = 3.3e-6;
constexpr double kCopyBytes = 4.4e12;  // a second, of kernels that wait for nothing else

/// How much longer a launch takes because its last blocks leave multiprocessors idle.
double idling(double blocks) {
  double const each = std::max(blocks, 1.0) / kProcessors;
  return std::ceil(each) / each;
}

double seconds_of(demand const& each, int element_size) {
  auto const& rate = element_size <= 2 ? kSmallElements : kLargeElements;
  double const waves = std::max(1.0, each.tiles / (kProcessors * each.resident));
  double total = 0;
  for (double const seconds : {each.bytes / rate.bytes, each.sectors / rate.sectors + each.lines / rate.lines,
                               each.wavefronts / (kProcessors * kClock * rate.wavefronts),
                               each.instructions / (kProcessors * kClock * rate.instructions), waves * rate.tile_seconds})
    total += std::pow(seconds, rate.sharpness);
  // The phases of few blocks at once hide each other less.
  return std::pow(total, 1 / rate.sharpness) * (1 + rate.alone / each.resident) * idling(each.tiles) + rate.start_seconds;
}

}  // namespace

double expected_seconds(gather_plan const& plan) { return seconds_of(demand_of(plan), plan.element_size); }
double expected_seconds(unaligned_plan const& plan) { return seconds_of(demand_of(plan), plan.element_size); }

double expected_seconds(rung_plan const& plan) {
  double const bytes = 2.0 * double(plan.shape.rows) * double(plan.shape.cols) * double(plan.shape.batch) * plan.element_size;
  double const tile_bytes = 2.0 * plan.tile.rows * plan.tile.cols * plan.element_size * plan.tile.tiles;
  bool const whole = plan.load_bytes() == kUnit && plan.store_bytes() == kUnit;
  // Tiles that stand out of the matrix keep threads busy with nothing.
  double const idle = std::max(0.0, double(plan.blocks) * tile_bytes - bytes);
  double const share = !whole ? 0.4 : plan.kernel == rung::copy ? 0.98 : 0.94;
  // Of a rung's tiles the first is the best where the matrix is large.
  bool const first = plan.tile == tiles_of(plan.kernel, plan.element_size, plan.widths).front();
  return (bytes + idle) / (kCopyBytes * share) * (first ? 1 : 1.02) * std::sqrt(idling(double(plan.blocks))) + kStartSeconds;
}

double expected_seconds(interleave_plan const& plan) {
  double const bytes = 2.0 * plan.job.count * plan.few * kUnit, blocks = plan.job.count / 256.0;
  return bytes / (kCopyBytes * 0.98) * idling(blocks) + kStartSeconds;
}

}  // namespace cornerturn
