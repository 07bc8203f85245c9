#pragma once

#include "kernel/interleave/aos_group.hpp"
#include "kernel/interleave/job.hpp"
#include "tile/decoded_index.hpp"
#include "tile/kernel_args.hpp"

namespace cornerturn::tile {

/// Interleaves `Fields` rows into an array of structures (`ToAos`), or deinterleaves them. A thread transposes one group in
/// registers. In the array of structures, the units of neighbouring threads are whole groups apart, so these units pass through
/// shared memory, and neighbouring threads access neighbouring units of global memory. With `ToAos`, the offsets of the stored
/// groups pass through shared memory, too, because decoding many digits takes longer. Deinterleaving would need a barrier before
/// its first load for this, which costs more than it saves.
template <class T, int Fields, bool ToAos>
struct interleave : aos_group<T, Fields> {
  using base = aos_group<T, Fields>;
  using base::V, base::smem_offset;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kInterleaveThreads, kBlocks = 1, kUnitsBytes = kThreads * Fields * kUnitBytes,
                       kSharedBytes = kUnitsBytes + (ToAos ? kThreads * int(sizeof(std::int64_t)) : 0);

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, kernel_args<T, interleave_job> const& args) {
    // Shift into the block: its groups, one per thread.
    interleave_job const& job = args.job;
    int const first = int(block.index()) * kThreads, group = first + block.thread();
    bool const active = group < job.count;
    char* const shared = block.template shared<char, kSharedBytes>();
    auto const decode = [&](int index) { return decoded_index<std::int64_t>(job, job.index_digits, index); };
    auto const at = [](auto* pointer, std::int64_t bytes) {
      using byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(pointer)>>, char const, char>;
      return reinterpret_cast<decltype(pointer)>(reinterpret_cast<byte*>(pointer) + bytes);
    };

    if constexpr (ToAos) {
      // Load: a unit of each row.
      alignas(16) T rows[Fields][V];
      auto const own = decode(group);
      auto* const destinations = reinterpret_cast<std::int64_t*>(shared + kUnitsBytes);
      block.template shared_store<1>(destinations + block.thread(), &own.destination);
      T const* const from = at(args.source, own.source);
      CUTE_UNROLL
      for (int k = 0; k < Fields; ++k) block.template global_load<V>(at(from, k * job.row_pitch), rows[k], active);

      // Exchange in shared memory: units of the array of structures.
      CUTE_UNROLL
      for (int j = 0; j < Fields; ++j) {
        alignas(16) T unit[V];
        base::pack_unit(rows, j, unit);
        block.template shared_store<V>(reinterpret_cast<T*>(shared + smem_offset(block.thread() * Fields + j)), unit);
      }
      block.sync();

      // Store: neighbouring threads have neighbouring units.
      CUTE_UNROLL
      for (int j = 0; j < Fields; ++j) {
        int const unit = j * kThreads + block.thread(), of = unit / Fields;
        bool const inside = first + of < job.count;
        std::int64_t destination;
        block.template shared_load<1>(static_cast<std::int64_t const*>(destinations) + of, &destination);
        alignas(16) T held[V];
        block.template shared_load<V>(reinterpret_cast<T const*>(shared + smem_offset(unit)), held, inside);
        block.template global_store<V>(at(args.destination, destination + unit % Fields * kUnitBytes), held, inside);
      }
    } else {
      // Load: neighbouring threads have neighbouring units of the array of structures.
      CUTE_UNROLL
      for (int j = 0; j < Fields; ++j) {
        int const unit = j * kThreads + block.thread(), of = first + unit / Fields;
        if (of < job.count)
          block.cp_async(reinterpret_cast<char const*>(at(args.source, decode(of).source + unit % Fields * kUnitBytes)),
                         shared + smem_offset(unit));
      }
      block.cp_async_wait_all();
      block.sync();

      // Exchange in shared memory: a thread gets its whole group.
      alignas(16) T held[Fields * V];
      CUTE_UNROLL
      for (int j = 0; j < Fields; ++j)
        block.template shared_load<V>(reinterpret_cast<T const*>(shared + smem_offset(block.thread() * Fields + j)), held + j * V,
                                      active);

      // Store: a unit of each row.
      T* const to = at(args.destination, decode(group).destination);
      CUTE_UNROLL
      for (int k = 0; k < Fields; ++k) {
        alignas(16) T row[V];
        base::unpack_row(held, k, row);
        block.template global_store<V>(at(to, k * job.row_pitch), row, active);
      }
    }
  }
};

}  // namespace cornerturn::tile
