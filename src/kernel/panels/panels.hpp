#pragma once

#include <cute/tensor.hpp>

#include "kernel/panels/job.hpp"
#include "tile/maps.hpp"
#include "tile/unaligned_rows.hpp"

namespace cornerturn::tile {

/// The parameters of the kernels `panels` and `panels_exchange`. `flags` has one flag per panel if panels are shifted, and one
/// per block if slots are exchanged.
template <class T>
struct panels_args {
  T* data;
  int* flags;
  panels_job job;
};

/// Calls visit(row, first element, is it inside) for the thread's vectors of `V` elements of rows of `width` elements. `units`
/// divides by the vectors of a row.
template <int Threads, int V, class Block, class Visit>
CUTE_HOST_DEVICE void visit_vectors(Block& block, fast_divmod const& units, int rows, int width, Visit const& visit) {
  CORNERTURN_NO_UNROLL
  for (int first = 0; first < rows * units.divisor; first += Threads) {
    [[maybe_unused]] auto const mark = block.iteration(first / Threads);
    int row, unit;
    units(row, unit, first + block.thread());
    visit(row, unit * V, row < rows && unit * V < width);
  }
}

/// Loads a block's part of source rows that consist of vectors.
template <int Threads, class T, class Block>
CUTE_HOST_DEVICE void load_aligned_rows(Block& block, panels_job const& job, panel_part const& part, T const* source, T* tile) {
  constexpr int V = 16 / int(sizeof(T));
  visit_vectors<Threads, V>(block, job.source_units, part.rows, part.width(job), [&](int row, int at, bool active) {
    if (active)
      block.cp_async(reinterpret_cast<char const*>(source + row * job.source_pitch + at),
                     reinterpret_cast<char*>(tile + job.shared_offset<V>(row, at)));
  });
}

/// Transposes the slots of panels in place. The blocks of a cluster load the source rows of a panel into their shared memory,
/// wait for each other, and store the panel's destination rows.
///
/// If all rows and slots consist of 16-byte vectors, threads load vectors along source rows, transpose squares of V x V
/// elements in registers, and store vectors along destination rows. Otherwise a source row begins at the same place within a
/// vector in shared memory as in global memory. Elements before the first whole vector and after the last one are loaded and
/// stored one by one. The threads gather each stored vector element by element. The address grows by one step from element to
/// element if the layout allows it (`panels_job::step`). The strides of shared memory are chosen such that no form has many
/// bank conflicts.
///
/// Shifted panels are stored where other panels were. So a cluster sets a flag after it has read its panel, and waits for the
/// flags of the clusters whose panels it overwrites. Those clusters started earlier, because their numbers are lower.
template <class T, bool IsAligned>
struct panels {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = panels_threads_of(int(sizeof(T)), IsAligned), kBlocks = 2;
  static constexpr int V = 16 / int(sizeof(T));

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, panels_args<T> const& args) {
    // Shift into the block: its part of a panel.
    panels_job const& job = args.job;
    panel_part const part(job, int(block.index()));
    T const* const source = args.data + part.source;
    T* const tile = block.template shared<T, 1>();
    T* const destination = args.data + part.destination;
    row_leads<T> const leads(source, job.source_pitch);
    int const in_sector = int(row_leads<T, kSectorBytes>(source, job.source_pitch).first);
    auto const place = [&](int row) {
      return job.step > 0 ? in_sector + row * job.row_stride : job.shared_offset<V>(row, leads(row));
    };

    // Load: source rows.
    if constexpr (IsAligned) {
      load_aligned_rows<kThreads>(block, job, part, source, tile);
    } else {
      int const width = part.width(job);
      copy_whole_units<kThreads>(block, source, job.source_pitch, part.rows, width, job.source_units, tile, place);
      copy_ends<kThreads>(block, source, job.source_pitch, part.rows, width, tile, place);
    }
    block.cp_async_wait_all();

    // Wait until this panel has been loaded, and also the panels that it overwrites.
    block.cluster_sync(job.cluster.divisor);
    if (job.read_before > 0) {
      if (part.rank == 0 && block.thread() == 0) block.set_flag(args.flags + part.number);
      int const most = part.position < job.read_before ? part.position : job.read_before;
      for (int before = 1 + block.thread(); before <= most; before += kThreads)
        block.wait_flag(args.flags + part.number - before);
      block.sync();
    }

    // Store: destination rows.
    if constexpr (IsAligned)
      store(block, job, part, tile, destination);
    else if (job.step > 0)
      store_strided(block, job, part, tile + in_sector, destination);
    else
      store_unaligned(block, job, part, leads, tile, destination);
  }

 private:
  /// Stores the block's part of destination rows that consist of vectors.
  template <class Block>
  CUTE_HOST_DEVICE static void store(Block& block, panels_job const& job, panel_part const& part, T const* tile, T* destination) {
    int const width = part.height(job);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.columns / V * job.destination_units.divisor; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int column, unit, slot, in_slot, row, element;
      job.destination_units(column, unit, first + block.thread());
      job.slot_units(slot, in_slot, unit);
      job.run(row, element, in_slot);
      column *= V;
      bool const active = column < part.columns && unit * V < width;
      T const* const from = tile + job.shared_offset<V>(row * V, slot * job.slot_width + column * job.run.divisor + element);
      T held[V][V];
      CUTE_UNROLL
      for (int k = 0; k < V; ++k) block.template shared_load<V>(from + k * job.row_stride, held[k], active);
      T* const to = destination + column * job.destination_pitch + unit * V;
      CUTE_UNROLL
      for (int c = 0; c < V; ++c) {
        alignas(16) T transposed[V];
        CUTE_UNROLL
        for (int r = 0; r < V; ++r) transposed[r] = held[r][c];
        block.template global_store<V>(to + c * job.destination_pitch, transposed, active);
      }
    }
  }

  /// Stores destination rows whose neighbouring elements are `job.step` apart in shared memory, and `job.jump` farther between
  /// two slots. A warp has a patch of neighbouring vectors in neighbouring rows.
  template <class Block>
  CUTE_HOST_DEVICE static void store_strided(Block& block, panels_job const& job, panel_part const& part, T const* tile,
                                             T* destination) {
    int const width = part.height(job), lane = block.thread() % kWarp, rows = kWarp / job.lane_units,
              patches = (part.columns + rows - 1) / rows * job.patches.divisor;
    row_leads<T> const leads(destination, job.destination_pitch);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < patches; first += kThreads / kWarp) {
      [[maybe_unused]] auto const mark = block.iteration(first / (kThreads / kWarp));
      int column, unit;
      job.patches(column, unit, first + block.thread() / kWarp);
      column = column * rows + lane / job.lane_units, unit = unit * job.lane_units + lane % job.lane_units;
      int const begin = unit * V - leads(column), before = begin < 0 ? -begin : 0;
      if (column >= part.columns || begin >= width) continue;
      T* const to = destination + column * job.destination_pitch + begin;
      T const* const from = tile + column + begin * job.step;
      if (job.slot_units.divisor < V) {  // a unit has elements of several slots
        auto const slot_of = [&](int element) { return job.slot_units.divide_above_one(element < 0 ? 0 : element); };
        store_gathered(
            block, [&](int k) { return from + (k * job.step + slot_of(begin + k) * job.jump); }, to, begin, width);
      } else {
        int slot, in_slot;
        job.slot_units(slot, in_slot, begin + before);
        int const left = job.slot_units.divisor - in_slot + before;
        T const* const first = from + slot * job.jump;
        store_gathered(
            block, [&](int k) { return first + (k * job.step + (k < left ? 0 : job.jump)); }, to, begin, width);
      }
    }
  }

  /// Stores other destination rows. Each thread gathers one vector at a time.
  template <class Block>
  CUTE_HOST_DEVICE static void store_unaligned(Block& block, panels_job const& job, panel_part const& part,
                                               row_leads<T> const& source_lead, T const* tile, T* destination) {
    int const width = part.height(job);
    row_leads<T> const destination_lead(destination, job.destination_pitch);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.columns * job.destination_units.divisor; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int column, unit, slot, row, element;
      job.destination_units(column, unit, first + block.thread());
      if (column >= part.columns) continue;
      int const begin = unit * V - destination_lead(column);  // the vector's first element in the row
      job.slot_units(slot, row, begin > 0 ? begin : 0);
      job.run(row, element, row);
      alignas(16) T held[V];
      bool active[V];
      CUTE_UNROLL
      for (int k = 0; k < V; ++k) {
        active[k] = begin + k >= 0 && begin + k < width;
        int const in_row = source_lead(row) + slot * job.slot_width + column * job.run.divisor + element;
        block.template shared_load<1>(tile + job.shared_offset<V>(row, in_row), &held[k], active[k]);
        if (begin + k >= 0 && ++element == job.run.divisor) {
          element = 0;
          if (++row == job.rows) row = 0, ++slot;
        }
      }
      T* const to = destination + column * job.destination_pitch + begin;
      if (active[0] && active[V - 1]) {
        block.template global_store<V>(to, held, true);
      } else {
        CUTE_UNROLL
        for (int k = 0; k < V; ++k) block.template global_store<1>(to + k, &held[k], active[k]);
      }
    }
  }
};

}  // namespace cornerturn::tile
