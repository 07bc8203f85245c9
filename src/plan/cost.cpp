#include "plan/cost.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "tile/digit_sum.hpp"

namespace cornerturn {
namespace {

constexpr int kWarp = 32, kUnit = 16, kSector = 32, kBanks = 32, kWarpsPerBlock = 8;

/// The wavefronts of one request of a warp, whose lanes load `bytes` bytes each at these shared-memory offsets.
int wavefronts_of(std::array<int, kWarp> const& places, int bytes) {
  // One wavefront moves 128 bytes, so 8- and 16-byte elements take at least two and four.
  int const together = kWarp * 4 / std::max(bytes, 4);
  int wavefronts = 0;
  for (int first = 0; first < kWarp; first += together) {
    std::array<std::array<int, kWarp>, kBanks> words;
    std::array<int, kBanks> counts{};
    int most = 1;
    for (int lane = first; lane < first + together; ++lane) {
      auto const word = places[std::size_t(lane)] >> 2;  // negative strides give offsets before the origin
      auto const bank = std::size_t(word & (kBanks - 1));
      auto const end = words[bank].begin() + counts[bank];
      if (std::find(words[bank].begin(), end, word) != end) continue;
      *end = word;
      most = std::max(most, ++counts[bank]);
    }
    wavefronts += most;
  }
  return wavefronts;
}

/// The wavefronts of one request that gathers elements from shared memory. The request for the middle element of each vector
/// stands for all requests of the vector.
double gather_wavefronts(gather_plan const& plan, int vector) {
  auto const& job = plan.job;
  std::array<int, kWarp> places{};
  int const lanes = job.lanes.divisor;
  using sum = tile::digit_sum<std::int64_t>;
  int stand = -1, row_at = 0, head = 0;
  for (int thread = 0; thread < kWarp; ++thread) {
    if (thread / lanes != stand) {
      stand = thread / lanes;
      int const row = stand % job.destination_rows;
      sum const line(job, job.lines, row % job.lines_per_batch.divisor), batch(job, job.batch, row / job.lines_per_batch.divisor);
      row_at = line.at + batch.at;
      head = plan.form.ragged ? int(-(line.destination + batch.destination) & (kUnit - 1)) / plan.element_size : 0;
    }
    int const first = head + (thread % lanes + stand / job.destination_rows * lanes) * vector +
                      (vector / 2 ^ (vector == kUnit ? 4 * (job.swaps & thread / 8) : 0));
    sum const element(job, job.vectors, std::min(first, job.vector_elements - 1));
    places[std::size_t(thread)] = element.at + int(element.destination >> job.log_together) * kUnit + row_at;
  }
  return wavefronts_of(places, plan.element_size);
}

double resident_blocks(double shared_bytes, double threads, gpu_attributes const& limits) {
  return std::clamp(std::floor(limits.shared_bytes_per_sm / (shared_bytes + limits.reserved_shared_bytes)), 1.0,
                    limits.threads_per_sm / threads);
}

}  // namespace

demand demand_of(gather_plan const& plan, gpu_attributes const& limits) {
  auto const& job = plan.job;
  demand result;
  double const size = plan.element_size, vector = plan.form.single ? 1 : kUnit / size, tiles = job.tiles;
  double const row_units = job.loads.divisor, source_rows = job.source_rows, rows = job.destination_rows,
               row_bytes = job.vector_elements * size;
  double const window = (job.run_part - 1) * std::abs(job.run_step) + job.run_rest;
  bool const source_off = row_units * kUnit > window + 15;

  result.tiles = tiles;
  result.resident =
      std::min(resident_blocks(job.shared_bytes, 256, limits), double(tile::gather_blocks(plan.element_size, plan.form.wide)));
  result.bytes = tiles * rows * row_bytes * 2;
  double const source_sectors = source_rows * (source_off ? window / kSector + 1 : std::ceil(window / kSector)),
               destination_sectors = rows * (plan.form.ragged && job.halo == 0 ? row_bytes / kSector + 2
                                             : job.log_grain < 5               ? row_bytes / kSector + (plan.form.ragged ? 1 : 0)
                                                                               : row_bytes / kSector);
  result.sectors = tiles * (source_sectors + destination_sectors);
  // A partly written sector costs less if another row writes the rest of it in whole vectors.
  constexpr double kHalfSector = 0.25;
  bool const halved = !plan.form.ragged && std::fmod(row_bytes, kSector) != 0;
  result.split_rows = plan.form.ragged && job.halo == 0 ? tiles * rows : halved ? kHalfSector * tiles * rows : 0;

  // The factors were counted by the recorder and in the machine code that the rates of gpu_model were fitted to. They count whole
  // warps, including idle lanes. That code fetched all rows unit by unit; a lower count for rows fetched at once chose no better.
  bool const ragged = plan.form.ragged;
  double const fetches = source_rows * row_units / kWarp, stores = kWarpsPerBlock * std::ceil(rows * job.stores / job.stands),
               tables = (1.4 * source_rows + rows + 0.7 * job.places) / kWarp,
               edges = !ragged         ? 0
                       : job.halo == 0 ? 1
                                       : std::min(1.0, double(job.vector_reach) / double(job.vector_extent)),
               ends = edges * rows * 2 * std::min(vector, 4.0) / kWarp;
  int const outer = job.outer.end - job.outer.begin;
  result.instructions = tiles * (kWarpsPerBlock * 130.0 + (size > 2 ? 0 : outer * 44) + tables * (size > 2 ? 90 : 150) +
                                 fetches * 24 + ends * (size < 4 ? 65 : 45) + stores * ((ragged ? 58 : 42) + 4.1 * vector));
  result.wavefronts =
      tiles *
      (kWarpsPerBlock * 4 + tables * 4 + (job.by_rows ? 0 : fetches * 7) + ends * 5 * std::max(1.0, 4 / size) +
       stores * (4 + vector * gather_wavefronts(plan, int(vector)) + (vector < 8 ? vector : vector / 4 * (ragged ? 3 : 2))));
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
  // Idle threads of a warp do not shorten a phase, but idle warps skip it.
  double const units = std::ceil(cols * size / kUnit), fetches = read * (units + 1) / kWarp,
               squares = std::ceil(read * size / 4 / 4) * 4 * std::max(units, 8.0) / kWarp,
               stores = cols * std::max(std::ceil(rows * size / kUnit), 4.0) / kWarp;
  // the warps' turns for the ends of rows that begin or end in the tile, one element a thread
  double const ends = std::min(1.0, 2.0 * job.tile_rows / job.row_count) * cols * 2 * kUnit / size / kWarp;
  result.instructions = tiles * (warps * 115 + fetches * 29 + squares * (29 + 175 / size) + stores * 46 + ends * 55);
  result.wavefronts = tiles * (warps * 1.4 + fetches + squares * 7 / size + stores * 2);
  return result;
}

/// The demand of an interleave plan whose rows begin unaligned. A tile counts as full, although the last tile of a row may not
/// be.
demand demand_of(interleave_plan const& plan, gpu_attributes const& limits) {
  constexpr double kTile = 255 * kUnit;
  demand result;
  double const few = plan.few, units = few * kTile / 512;
  result.tiles = plan.job.count;
  result.resident = resident_blocks(few * 256 * kUnit, 256, limits);
  result.bytes = result.tiles * few * kTile * 2;
  result.sectors = result.tiles * (2 * few * kTile / kSector + few * 2);
  result.instructions = result.tiles * (kWarpsPerBlock * 100 + units * 100);
  result.wavefronts = result.tiles * units * 32;
  return result;
}

namespace {

/// The factor by which a launch takes longer because its last wave of blocks leaves SMs idle.
double idling(double blocks, gpu_model const& gpu) {
  double const each = std::max(blocks, 1.0) / gpu.limits.sm_count;
  return std::ceil(each) / each;
}

double seconds_of(demand const& each, kernel_rates const& rate, gpu_model const& gpu) {
  double const sms = gpu.limits.sm_count, waves = std::max(1.0, each.tiles / (sms * each.resident));
  double total = 0;
  for (double const seconds :
       {each.bytes / rate.bytes_per_second, each.sectors / rate.sectors_per_second + each.split_rows * gpu.split_row_seconds,
        each.wavefronts / (sms * gpu.clock_hz * rate.wavefronts_per_cycle),
        each.instructions / (sms * gpu.clock_hz * rate.instructions_per_cycle), waves * rate.tile_seconds})
    total += std::pow(seconds, rate.sharpness);
  // With few blocks on an SM, the load phase of one block hides less of another's store phase.
  return std::pow(total, 1 / rate.sharpness) * (1 + rate.lone_block_share / each.resident) * idling(each.tiles, gpu) +
         rate.start_seconds;
}

}  // namespace

double expected_seconds(gather_plan const& plan, gpu_model const& gpu) {
  return seconds_of(demand_of(plan, gpu.limits), gpu.gather.at(std::size_t(std::countr_zero(unsigned(plan.element_size)))), gpu);
}
double expected_seconds(unaligned_plan const& plan, gpu_model const& gpu) {
  return seconds_of(demand_of(plan), gpu.unaligned.at(std::size_t(std::countr_zero(unsigned(plan.element_size)))), gpu);
}

namespace {

double bytes_of(rung_plan const& plan) {
  return 2.0 * double(plan.shape.rows) * double(plan.shape.cols) * double(plan.shape.batch) * plan.element_size;
}

/// The factor by which a rung takes longer on a large matrix with this tile than with the first of `tiles_of`.
double slowness_of(rung_plan const& plan, gpu_model const& gpu) {
  auto const& tile = plan.tile;
  if (tile == tiles_of(plan.kernel, plan.element_size, plan.widths).front()) return 1;
  if (plan.kernel == rung::copy) return 1.02;
  double const narrowest = std::min(tile.rows, tile.cols) * plan.element_size,
               of_thread = double(tile.rows) * tile.cols * plan.element_size / tile.threads;
  if (narrowest > 128) return of_thread > kUnit ? 1.02 : 1.07;
  // True if some of the tile's rows begin within a sector.
  auto const& shape = plan.shape;
  std::int64_t const pitches =
      (shape.source_pitch | shape.destination_pitch | shape.source_batch_stride | shape.destination_batch_stride) *
      plan.element_size;
  bool const off = pitches % kSector != 0;
  return off && bytes_of(plan) > gpu.cached_bytes ? 1.25 : 1.05;
}

}  // namespace

double expected_seconds(rung_plan const& plan, gpu_model const& gpu) {
  double const bytes = bytes_of(plan);
  double const tile_bytes = 2.0 * plan.tile.rows * plan.tile.cols * plan.element_size * plan.tile.tiles;
  bool const whole = plan.load_bytes() == kUnit && plan.store_bytes() == kUnit;
  // The part of a tile outside the matrix moves no bytes, but its threads take some time.
  double const weight = plan.kernel == rung::copy ? 1 : plan.element_size > 2 ? 0.07 : 0.13;
  double const idle = std::max(0.0, double(plan.blocks) * tile_bytes - bytes) * weight;
  double const share = !whole ? 0.4 : plan.kernel == rung::copy ? 0.98 : 0.97;
  double const blocks = double(plan.blocks),
               moving = (bytes + idle) / (gpu.copy_bytes_per_second * share) * slowness_of(plan, gpu);
  // A block takes its latency even if the matrix fills only a small part of its tile.
  double const threads = double(gpu.limits.sm_count) * gpu.limits.threads_per_sm;
  return std::max(moving * std::sqrt(idling(blocks, gpu)), blocks * plan.tile.threads / threads * gpu.block_seconds) +
         gpu.start_seconds;
}

/// The small kernel starts earlier than a rung, but keeps fewer bytes in flight.
double expected_seconds(small_plan const& plan, gpu_model const& gpu) {
  double const bytes = 2.0 * plan.blocks * plan.shape().rows * plan.shape().cols * plan.element_size;
  constexpr double kShare = 0.94;
  return bytes / (gpu.copy_bytes_per_second * kShare) * std::sqrt(idling(plan.blocks, gpu)) + gpu.start_seconds -
         gpu.small_lead_seconds;
}

namespace {

/// The bytes that one block moves contiguously in each row.
double run_of_rows(interleave_plan const& plan) {
  struct step {
    std::int64_t stride, count;
  };
  std::vector<step> steps;
  std::int64_t left = 256;
  for (int i = plan.job.counted.begin; i < plan.job.counted.end && left > 1; ++i) {
    auto const& each = plan.job.digits[std::size_t(i)];
    steps.push_back({plan.together ? each.source : each.destination, std::min<std::int64_t>(left, each.radix.divisor)});
    left /= steps.back().count;
  }
  std::int64_t run = kUnit;
  std::ranges::sort(steps, {}, &step::stride);
  for (auto const& each : steps)
    if (each.stride == run) run *= each.count;
  return double(run);
}

}  // namespace

double expected_seconds(interleave_plan const& plan, gpu_model const& gpu) {
  if (plan.anywhere) return seconds_of(demand_of(plan, gpu.limits), gpu.interleave, gpu);
  double const bytes = 2.0 * plan.job.count * plan.few * kUnit, blocks = plan.job.count / 256.0;
  double const row = run_of_rows(plan);
  // each jump to another address costs as much as 96 bytes, on either side
  return bytes / (gpu.copy_bytes_per_second * 0.98) * (1 + 48 / row + 48 / (row * plan.few)) * idling(blocks, gpu) +
         gpu.start_seconds;
}

}  // namespace cornerturn
