#pragma once

#include <numeric>

#include "tile/digit_sum.hpp"
#include "tile/interleave_job.hpp"

namespace cornerturn::tile {

/// What the program is handed: a job and the memory it works on.
template <class T>
struct interleaving {
  T const* source;
  T* destination;
  interleave_job job;
};

/// A few rows whose elements lie side by side on the other side: an array of structures and a structure of arrays. A thread
/// takes a group, 16 bytes of each of the `Few` rows, and turns it in registers. On the side where the group lies in one piece,
/// threads that move 16 bytes each would be as far apart as groups are, so these pass through shared memory.
///
/// `Together`, the elements lie side by side in the destination; else in the source.
template <class T, int Few, bool Together>
struct interleave {
  static constexpr int V = 16 / int(sizeof(T)), kUnit = 16, kThreads = 256, kSharedBytes = kThreads * Few * kUnit;

  /// Groups whose units meet the same banks are XORed apart: of the eight lanes that share a wavefront, those whose groups are a
  /// multiple of 128 bytes apart.
  CUTE_HOST_DEVICE static int place_of(int unit) {
    constexpr int kMeet = std::gcd(Few, 8), kPeriod = Few * 8 / kMeet;
    return (unit ^ (unit / kPeriod & (kMeet - 1))) * kUnit;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, interleaving<T> const& args) {
    interleave_job const& job = args.job;
    int const first = int(block.index()) * kThreads, group = first + block.thread();
    bool const mine = group < job.count;
    char* const shared = block.template shared<char, kSharedBytes>();
    auto const offset_of = [&](int number) { return digit_sum<std::int64_t>(job, job.groups, number); };
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
        CUTE_UNROLL
        for (int v = 0; v < V; ++v) unit[v] = rows[(j * V + v) % Few][(j * V + v) / Few];
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
          block.fetch_unit(reinterpret_cast<char const*>(at(args.source, offset_of(of).source + unit % Few * kUnit)),
                           shared + place_of(unit));
      }
      block.fetched();
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
        CUTE_UNROLL
        for (int v = 0; v < V; ++v) row[v] = held[v * Few + k];
        block.template global_store<V>(at(to, k * job.apart), row, mine);
      }
    }
  }
};

/// Calls visit(program) with the program of as many rows, which kFewest to kMost are.
template <class T, class Visit>
void visit_interleave(int few, bool together, Visit const& visit) {
  auto const with = [&]<int Few>(std::integral_constant<int, Few>) {
    together ? visit(interleave<T, Few, true>{}) : visit(interleave<T, Few, false>{});
  };
  switch (few) {
    case 2:
      return with(std::integral_constant<int, 2>{});
    case 3:
      return with(std::integral_constant<int, 3>{});
    case 4:
      return with(std::integral_constant<int, 4>{});
    case 5:
      return with(std::integral_constant<int, 5>{});
    case 6:
      return with(std::integral_constant<int, 6>{});
    case 7:
      return with(std::integral_constant<int, 7>{});
    case 8:
      return with(std::integral_constant<int, 8>{});
  }
}

}  // namespace cornerturn::tile
