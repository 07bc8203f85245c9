#pragma once

#include "kernel/interleave/job.hpp"
#include "kernel/interleave/structures.hpp"
#include "tile/decoded_index.hpp"
#include "tile/kernel_args.hpp"

namespace cornerturn::tile {

/// A few rows whose elements lie side by side on the other side: an array of structures and a structure of arrays. A thread
/// takes a group, 16 bytes of each of the `Few` rows, and turns it in registers. On the side where the group lies in one piece,
/// threads that move 16 bytes each would be as far apart as groups are, so these pass through shared memory.
///
/// `Together`, the elements lie side by side in the destination; else in the source.
template <class T, int Few, bool Together>
struct interleave : structures<T, Few> {
  using structures<T, Few>::V, structures<T, Few>::kUnit, structures<T, Few>::place_of;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = 256, kBlocks = 1, kSharedBytes = kThreads * Few * kUnit;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, kernel_args<T, interleave_job> const& args) {
    interleave_job const& job = args.job;
    int const first = int(block.index()) * kThreads, group = first + block.thread();
    bool const mine = group < job.count;
    char* const shared = block.template shared<char, kSharedBytes>();
    auto const offset_of = [&](int number) { return decoded_index<std::int64_t>(job, job.counted, number); };
    auto const at = [](auto* pointer, std::int64_t bytes) {
      using byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(pointer)>>, char const, char>;
      return reinterpret_cast<decltype(pointer)>(reinterpret_cast<byte*>(pointer) + bytes);
    };

    if constexpr (Together) {
      alignas(16) T rows[Few][V];
      T const* const from = at(args.source, offset_of(group).source);
      CUTE_UNROLL
      for (int k = 0; k < Few; ++k) block.template global_load<V>(at(from, k * job.apart), rows[k], mine);
      CUTE_UNROLL
      for (int j = 0; j < Few; ++j) {
        alignas(16) T unit[V];
        structures<T, Few>::join(rows, j, unit);
        block.template shared_store<V>(reinterpret_cast<T*>(shared + place_of(block.thread() * Few + j)), unit);
      }
      block.sync();
      CUTE_UNROLL
      for (int j = 0; j < Few; ++j) {
        int const unit = j * kThreads + block.thread(), of = first + unit / Few;
        bool const inside = of < job.count;
        alignas(16) T held[V];
        block.template shared_load<V>(reinterpret_cast<T const*>(shared + place_of(unit)), held, inside);
        block.template global_store<V>(at(args.destination, offset_of(of).destination + unit % Few * kUnit), held, inside);
      }
    } else {
      CUTE_UNROLL
      for (int j = 0; j < Few; ++j) {
        int const unit = j * kThreads + block.thread(), of = first + unit / Few;
        if (of < job.count)
          block.cp_async(reinterpret_cast<char const*>(at(args.source, offset_of(of).source + unit % Few * kUnit)),
                         shared + place_of(unit));
      }
      block.cp_async_wait_all();
      block.sync();
      alignas(16) T held[Few * V];
      CUTE_UNROLL
      for (int j = 0; j < Few; ++j)
        block.template shared_load<V>(reinterpret_cast<T const*>(shared + place_of(block.thread() * Few + j)), held + j * V,
                                      mine);
      T* const to = at(args.destination, offset_of(group).destination);
      CUTE_UNROLL
      for (int k = 0; k < Few; ++k) {
        alignas(16) T row[V];
        structures<T, Few>::split(held, k, row);
        block.template global_store<V>(at(to, k * job.apart), row, mine);
      }
    }
  }
};

}  // namespace cornerturn::tile
