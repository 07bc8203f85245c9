#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>

#include "block/sizes.hpp"
#include "kernel/cost.hpp"
#include "kernel/gather/plan.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

namespace {

/// The wavefronts of one request that gathers elements from shared memory. The request for the middle element of each vector
/// stands for all requests of the vector.
double gather_wavefronts(gather_plan const& plan, int vector) {
  auto const& job = plan.job;
  std::array<int, kWarp> places{};
  int const lanes = job.lanes.divisor;
  using sum = tile::decoded_index<std::int64_t>;
  int stand = -1, row_at = 0, head = 0;
  for (int thread = 0; thread < kWarp; ++thread) {
    if (thread / lanes != stand) {
      stand = thread / lanes;
      int const row = stand % job.destination_rows;
      sum const line(job, job.lines, row % job.lines_per_batch.divisor), batch(job, job.batch, row / job.lines_per_batch.divisor);
      row_at = line.smem_offset + batch.smem_offset;
      head = plan.form.ragged ? int(-(line.destination + batch.destination) & (kUnitBytes - 1)) / plan.element_size : 0;
    }
    int const first = head + (thread % lanes + stand / job.destination_rows * lanes) * vector +
                      (vector / 2 ^ (vector == kUnitBytes ? 4 * (job.swaps & thread / 8) : 0));
    sum const element(job, job.vectors, std::min(first, job.vector_elements - 1));
    places[std::size_t(thread)] = element.smem_offset + int(element.destination >> job.log_together) * kUnitBytes + row_at;
  }
  return wavefronts_of(places, plan.element_size);
}

}  // namespace

demand demand_of(gather_plan const& plan, gpu_attributes const& limits) {
  auto const& job = plan.job;
  demand result;
  double const size = plan.element_size, vector = plan.form.single ? 1 : kUnitBytes / size, tiles = job.tiles;
  double const row_units = job.loads.divisor, source_rows = job.source_rows, rows = job.destination_rows,
               row_bytes = job.vector_elements * size;
  double const window = (job.run_part - 1) * std::abs(job.run_step) + job.run_rest;
  bool const source_off = row_units * kUnitBytes > window + 15;

  result.tiles = tiles;
  result.resident =
      std::min(resident_blocks(job.shared_bytes, 256, limits), double(tile::gather_blocks(plan.element_size, plan.form.wide)));
  result.bytes = tiles * rows * row_bytes * 2;
  double const source_sectors = source_rows * (source_off ? window / kSectorBytes + 1 : std::ceil(window / kSectorBytes)),
               destination_sectors = rows * (plan.form.ragged && job.halo == 0 ? row_bytes / kSectorBytes + 2
                                             : job.log_grain < 5 ? row_bytes / kSectorBytes + (plan.form.ragged ? 1 : 0)
                                                                 : row_bytes / kSectorBytes);
  result.sectors = tiles * (source_sectors + destination_sectors);
  // A partly written sector costs less if another row writes the rest of it in whole vectors.
  constexpr double kHalfSector = 0.25;
  bool const halved = !plan.form.ragged && std::fmod(row_bytes, kSectorBytes) != 0;
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

double expected_seconds(gather_plan const& plan, gpu_model const& gpu) {
  return seconds_of(demand_of(plan, gpu.limits), gpu.gather.at(std::size_t(std::countr_zero(unsigned(plan.element_size)))), gpu);
}

}  // namespace cornerturn
