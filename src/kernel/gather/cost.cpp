#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "block/sizes.hpp"
#include "block/wavefronts.hpp"
#include "kernel/gather/offset_table.hpp"
#include "kernel/gather/plan.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn {

namespace {

constexpr int kWarpsPerBlock = kGatherThreads / kWarp;

using tile::within_unit;

int vector_of(gather_plan const& plan) { return plan.form.single ? 1 : kUnitBytes / plan.element_size; }

}  // namespace

gather_requests wavefronts_of(gather_plan const& plan) {
  int const vector = vector_of(plan);
  auto const& job = plan.job;
  // One wavefront moves 128 bytes, so elements of 8 and 16 bytes take at least two and four.
  int const together = std::min(kWarp, kWavefrontBytes / plan.element_size), lanes = job.store.lanes.divisor;
  tile::offset_table_form const table(vector, plan.form.ragged);
  constexpr int kLoadBytes = tile::offset_table_form::kPerLoad * int(sizeof(std::uint16_t));
  using decoded = tile::decoded_index<std::int64_t>;
  int group = -1, row_offset = 0, head = 0;
  gather_requests result;
  bank_schedule elements, entries;
  for (int thread = 0; thread < kWarp; ++thread) {
    if (thread % together == 0) {
      result.elements += elements.count();
      elements.clear();
    }
    if (thread / lanes != group) {
      group = thread / lanes;
      int const row = group % job.store.rows.divisor;
      decoded const in_batch(job, job.destination_row_digits, row % job.store.rows_per_batch.divisor),
          batch(job, job.batch_digits, row / job.store.rows_per_batch.divisor);
      row_offset = in_batch.smem_offset + batch.smem_offset + within_unit(batch.source);
      head = plan.form.ragged ? within_unit(-(in_batch.destination + batch.destination)) / plan.element_size : 0;
    }
    int const from = head + (thread % lanes + group / job.store.rows.divisor * lanes) * vector,
              word = vector == kUnitBytes ? 4 * (job.store.word_xor & thread / 8) : 0;
    decoded const element(job, job.element_digits, std::min(from + (vector / 2 ^ word), job.store.elements - 1));
    elements.serve(element.smem_offset + int(element.destination >> job.table.log_gap_rows) * kUnitBytes +
                       within_unit(element.source) + row_offset,
                   plan.element_size);
    if (table.packed) {
      if (thread % (kWavefrontBytes / kLoadBytes) == 0) {
        result.entries += entries.count();
        entries.clear();
      }
      int const entry = from % job.table.period.divisor + table.before(), copy = entry & (table.copies - 1);
      entries.serve(copy * job.table.copy_bytes + (entry - copy) * int(sizeof(std::uint16_t)) + 2 * word, kLoadBytes);
    }
  }
  result.elements += elements.count(), result.entries += entries.count();
  return result;
}

launch_work work_of(gather_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  launch_work result;
  double const size = plan.element_size, vector = vector_of(plan), tiles = job.tiles;
  double const row_units = job.load.units.divisor, source_rows = job.load.rows, rows = job.store.rows.divisor,
               row_bytes = job.store.elements * size;
  double const window = (job.load.cut.row_indices - 1) * std::abs(job.load.cut_step) + job.load.uncut_span;
  bool const source_off = row_units * kUnitBytes > window + 15;

  result.tiles = tiles;
  result.resident = std::min(resident_blocks({.threads = kGatherThreads, .shared_bytes = double(job.shared.bytes)}, gpu.limits),
                             double(tile::gather_blocks(plan.element_size, plan.form.wide)));
  // Rows are loaded with their gaps. The L2 cache has the bytes that halos load again.
  constexpr double kMostHalo = 1.7;  // loaded bytes as a ratio to stored bytes; more are due to gaps
  double const loaded = source_rows * window, stored = rows * row_bytes;
  result.bytes = tiles * (stored + (loaded > kMostHalo * stored ? loaded : stored));
  double const source_sectors = source_rows * (source_off ? window / kSectorBytes + 1 : std::ceil(window / kSectorBytes)),
               destination_sectors = rows * (plan.form.ragged && job.store.halo == 0 ? row_bytes / kSectorBytes + 2
                                             : job.store.log_granule < 5 ? row_bytes / kSectorBytes + (plan.form.ragged ? 1 : 0)
                                                                         : row_bytes / kSectorBytes);
  result.sectors = tiles * (source_sectors + destination_sectors);
  bool const halved = !plan.form.ragged && std::fmod(row_bytes, kSectorBytes) != 0;
  result.split_rows = plan.form.ragged && job.store.halo == 0 ? tiles * rows : halved ? gpu.halved_row_share * tiles * rows : 0;

  // The factors were counted in recordings and in the machine code to which the rates of gpu_model were fitted. They count whole
  // warps, including idle lanes. That code copied all rows unit by unit. A lower count for bulk copies gave no better choices.
  bool const ragged = plan.form.ragged;
  double const fetches = source_rows * row_units / kWarp,
               stores = kWarpsPerBlock * std::ceil(rows * job.store.passes / job.store.lane_groups),
               tables = (1.4 * source_rows + rows + 0.7 * job.table.entries) / kWarp,
               edges = !ragged               ? 0
                       : job.store.halo == 0 ? 1
                                             : std::min(1.0, double(job.store.cut.tile_indices) / double(job.store.cut.extent)),
               ends = edges * rows * 2 * std::min(vector, 4.0) / kWarp;
  int const outer = job.tile_digits.end - job.tile_digits.begin;
  result.instructions = tiles * (kWarpsPerBlock * 130.0 + (size > 2 ? 0 : outer * 44) + tables * (size > 2 ? 90 : 150) +
                                 fetches * 24 + ends * (size < 4 ? 65 : 45) + stores * ((ragged ? 58 : 42) + 4.1 * vector));
  result.wavefronts =
      tiles * (kWarpsPerBlock * 4 + tables * 4 + (job.load.bulk ? 0 : fetches * 7) + ends * 5 * std::max(1.0, 4 / size) +
               stores * (4 + vector * plan.wavefronts.elements + (vector < 8 ? vector : vector / 4 * plan.wavefronts.entries)));
  return result;
}

kernel_rates rates_of(gather_plan const& plan, gpu_model const& gpu) { return gpu_model::of_size(gpu.gather, plan.element_size); }

double gather_plan::least_seconds(problem const& refitted, gpu_model const& gpu) {
  auto const& rates = gpu_model::of_size(gpu.gather, shared_element_size(refitted));
  return rates.start_seconds + 2 * double(bytes_of(refitted)) / rates.bytes_per_second;
}

}  // namespace cornerturn
