#pragma once

#include <cute/tensor.hpp>

#include "kernel/panels/job.hpp"
#include "kernel/panels/panels.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// Transposes the slots of panels and exchanges them across the diagonal of slots in the same launch. So a slot is read and
/// written 1.5 times on average, instead of twice by two launches. All rows, slots and panels consist of 16-byte vectors.
///
/// After: a cluster loads panel i, and stores its slots from the diagonal on transposed where they are. Then each slot (i, j)
/// before the diagonal changes places with slot (j, i) of panel j, which has been moved before.
///
/// Before: this is the reverse. Panels are moved in descending order. A cluster loads each slot (j, i) before the diagonal, and
/// stores slot (i, j) in its place. Then it loads its slots from the diagonal on, which other clusters have replaced in the same
/// way. At last it stores the panel.
///
/// A block sets its flag after its last store. Later clusters wait for the flag before they load that data.
template <class T, slot_exchange Exchange>
struct panels_exchange {
  static constexpr bool kOverlaps = true, kIsAfter = Exchange == slot_exchange::after;
  static constexpr int kThreads = panels_threads_of(int(sizeof(T)), true), kBlocks = 1;
  static constexpr int V = 16 / int(sizeof(T));
  static constexpr int kSquares = V >= 8 ? 2 : 8 / V;  ///< squares of V x V elements of a thread that are in flight

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, panels_args<T> const& args) {
    // Shift into the block: its part of a panel.
    panels_job const& job = args.job;
    panel_part const part(job, int(block.index()));
    T* const tile = block.template shared<T, 1>();
    area const at(args, part);
    int const last = part.first_slot + part.slots, next = part.index + 1;
    if constexpr (kIsAfter) {
      // Load: the panel.
      load_aligned_rows<kThreads>(block, job, part, args.data + part.source, tile);
      block.cp_async_wait_all();
      block.cluster_sync(job.cluster.divisor);

      // Store: the slots from the diagonal on.
      store_own(block, job, part, at, tile);
      set_flag(block, args, part);
      wait_for(block, args, part, part.first_slot, part.first_slot + at.exchanged);

      // Exchange across the diagonal: the slots before it.
      exchange(block, job, at, tile);
    } else {
      // Exchange across the diagonal: the slots before it.
      exchange(block, job, at, tile);
      set_flag(block, args, part);
      wait_for(block, args, part, next > part.first_slot ? next : part.first_slot, last);

      // Load: the slots from the diagonal on.
      load_own(block, job, part, at, tile);
      block.cluster_sync(job.cluster.divisor);

      // Store: the panel.
      store_rows(block, job, part, tile, args.data + part.destination);
    }
  }

 private:
  /// The slots of a block where they stay, and the slots across the diagonal.
  struct area {
    T *own, *across;
    std::int64_t pitch, panel_stride;
    int lines, run;  ///< rows of a slot, and elements of each
    int exchanged;   ///< slots of the block before the diagonal

    CUTE_HOST_DEVICE area(panels_args<T> const& args, panel_part const& part) {
      panels_job const& job = args.job;
      pitch = kIsAfter ? job.destination_pitch : job.source_pitch;
      panel_stride = kIsAfter ? job.destination_stride : job.source_stride;
      lines = kIsAfter ? job.columns : job.rows, run = kIsAfter ? job.rows : job.columns;
      own = args.data + (kIsAfter ? part.destination : part.source);
      across = own + (part.first_slot - part.index) * (panel_stride - run);
      int const before = part.index - part.first_slot;
      exchanged = before < 0 ? 0 : before < part.slots ? before : part.slots;
    }
  };

  /// A square of V rows of one vector in a slot.
  struct square {
    bool active;
    int slot, line, element;  ///< the slot in the block's part, the first row, and the first element of each row

    CUTE_HOST_DEVICE square(panels_job const& job, area const& at, int index, int first_slot, int last_slot) {
      int group, unit, in_slot;
      units(job)(group, unit, index);
      job.slot_units(slot, in_slot, unit);
      line = group * V, element = in_slot * V;
      active = line < at.lines && slot >= first_slot && slot < last_slot;
    }
    CUTE_HOST_DEVICE std::int64_t own(area const& at) const { return line * at.pitch + slot * at.run + element; }
    CUTE_HOST_DEVICE std::int64_t across(area const& at) const { return line * at.pitch + slot * at.panel_stride + element; }
    /// The offset in shared memory, which has the rows of the other side.
    CUTE_HOST_DEVICE int shared(panels_job const& job, area const& at) const {
      return job.template shared_offset<V>(element, slot * at.lines + line);
    }
  };

  CUTE_HOST_DEVICE static fast_divmod const& units(panels_job const& job) {
    return kIsAfter ? job.destination_units : job.source_units;
  }
  CUTE_HOST_DEVICE static int count_of_squares(panels_job const& job, area const& at) {
    return at.lines / V * units(job).divisor;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void set_flag(Block& block, panels_args<T> const& args, panel_part const& part) {
    block.sync();
    if (block.thread() == 0) block.set_flag_release(args.flags + part.number * args.job.cluster.divisor + part.rank);
  }

  /// Waits for the blocks of panels `first` to `last - 1` that have the slots of this panel.
  template <class Block>
  CUTE_HOST_DEVICE static void wait_for(Block& block, panels_args<T> const& args, panel_part const& part, int first, int last) {
    int const rank = part.index / args.job.block_share;
    for (int panel = first + block.thread(); panel < last; panel += kThreads) {
      int const number = part.number + (kIsAfter ? panel - part.index : part.index - panel);
      block.wait_flag_acquire(args.flags + number * args.job.cluster.divisor + rank);
    }
    block.sync();
  }

  template <class Block>
  CUTE_HOST_DEVICE static void load(Block& block, T const* from, std::int64_t pitch, T (&to)[V][V], bool active) {
    CUTE_UNROLL
    for (int k = 0; k < V; ++k) block.template global_load<V>(from + k * pitch, to[k], active);
  }
  template <class Block>
  CUTE_HOST_DEVICE static void store(Block& block, T* to, std::int64_t pitch, T const (&from)[V][V], bool active) {
    CUTE_UNROLL
    for (int k = 0; k < V; ++k) block.template global_store<V>(to + k * pitch, from[k], active);
  }
  CUTE_HOST_DEVICE static void transpose(T const (&from)[V][V], T (&to)[V][V]) {
    CUTE_UNROLL
    for (int r = 0; r < V; ++r) {
      CUTE_UNROLL
      for (int c = 0; c < V; ++c) to[c][r] = from[r][c];
    }
  }
  template <class Block>
  CUTE_HOST_DEVICE static void load_transposed(Block& block, panels_job const& job, T const* tile, T (&to)[V][V], bool active) {
    alignas(16) T held[V][V];
    CUTE_UNROLL
    for (int k = 0; k < V; ++k) block.template shared_load<V>(tile + k * job.row_stride, held[k], active);
    transpose(held, to);
  }
  template <class Block>
  CUTE_HOST_DEVICE static void store_transposed(Block& block, panels_job const& job, T* tile, T const (&from)[V][V],
                                                bool active) {
    alignas(16) T turned[V][V];
    transpose(from, turned);
    CUTE_UNROLL
    for (int k = 0; k < V; ++k) block.template shared_store<V>(tile + k * job.row_stride, turned[k], active);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void store_own(Block& block, panels_job const& job, panel_part const& part, area const& at,
                                         T const* tile) {
    if (at.exchanged == part.slots) return;
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < count_of_squares(job, at); first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      square const each(job, at, first + block.thread(), at.exchanged, part.slots);
      alignas(16) T held[V][V];
      load_transposed(block, job, tile + each.shared(job, at), held, each.active);
      store(block, at.own + each.own(at), at.pitch, held, each.active);
    }
  }
  template <class Block>
  CUTE_HOST_DEVICE static void load_own(Block& block, panels_job const& job, panel_part const& part, area const& at, T* tile) {
    if (at.exchanged == part.slots) return;
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < count_of_squares(job, at); first += kSquares * kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      alignas(16) T held[kSquares][V][V];
      CUTE_UNROLL
      for (int u = 0; u < kSquares; ++u) {
        square const each(job, at, first + u * kThreads + block.thread(), at.exchanged, part.slots);
        load(block, at.own + each.own(at), at.pitch, held[u], each.active);
      }
      CUTE_UNROLL
      for (int u = 0; u < kSquares; ++u) {
        square const each(job, at, first + u * kThreads + block.thread(), at.exchanged, part.slots);
        store_transposed(block, job, tile + each.shared(job, at), held[u], each.active);
      }
    }
  }

  /// Exchanges the block's slots before the diagonal with the slots across it.
  template <class Block>
  CUTE_HOST_DEVICE static void exchange(Block& block, panels_job const& job, area const& at, T* tile) {
    if (at.exchanged == 0) return;
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < count_of_squares(job, at); first += kSquares * kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      alignas(16) T own[kSquares][V][V], across[kSquares][V][V];
      CUTE_UNROLL
      for (int u = 0; u < kSquares; ++u) {
        square const each(job, at, first + u * kThreads + block.thread(), 0, at.exchanged);
        load(block, at.across + each.across(at), at.pitch, across[u], each.active);
        if constexpr (!kIsAfter) load(block, at.own + each.own(at), at.pitch, own[u], each.active);
      }
      CUTE_UNROLL
      for (int u = 0; u < kSquares; ++u) {
        square const each(job, at, first + u * kThreads + block.thread(), 0, at.exchanged);
        T* const shared = tile + each.shared(job, at);
        if constexpr (kIsAfter) {
          store(block, at.own + each.own(at), at.pitch, across[u], each.active);
          load_transposed(block, job, shared, own[u], each.active);
        } else {
          store_transposed(block, job, shared, across[u], each.active);
        }
        store(block, at.across + each.across(at), at.pitch, own[u], each.active);
      }
    }
  }

  /// Stores the block's part of destination rows, which shared memory has row by row.
  template <class Block>
  CUTE_HOST_DEVICE static void store_rows(Block& block, panels_job const& job, panel_part const& part, T const* tile,
                                          T* destination) {
    visit_vectors<kThreads, V>(block, job.destination_units, part.columns, part.height(job), [&](int row, int at, bool active) {
      alignas(16) T held[V];
      block.template shared_load<V>(tile + job.shared_offset<V>(row, at), held, active);
      block.template global_store<V>(destination + row * job.destination_pitch + at, held, active);
    });
  }
};

}  // namespace cornerturn::tile
