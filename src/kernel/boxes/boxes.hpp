#pragma once

#include <cute/tensor.hpp>

#include "kernel/boxes/job.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The parameters of the kernel `boxes`.
template <class T>
struct boxes_args {
  T* data;
  boxes_job job;
};

/// Permutes the runs of boxes in place. The blocks of a cluster load all parts of a box into their shared memory, wait for each
/// other, and store each part where its run belongs. Consecutive threads follow a run. Elements of 16 bytes are copied by
/// cp.async; of smaller elements, a thread loads several before it stores them.
template <class T>
struct boxes {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kBoxesThreads, kBlocks = 2, kUnrolled = 8;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, boxes_args<T> const& args) {
    boxes_job const& job = args.job;
    box_part const part(job, int(block.index()));
    T* const data = args.data + part.offset;
    T* const tile = block.template shared<T, 1>();
    for_parts(block, job, part, [&](auto const& at) {
      if constexpr (sizeof(T) == 16) {
        CUTE_UNROLL
        for (int i = 0; i < kUnrolled; ++i)
          if (at.active[i])
            block.cp_async(reinterpret_cast<char const*>(data + job.offset_of(part.first + at.run[i]) + at.element[i]),
                           reinterpret_cast<char*>(tile + at.number[i]));
      } else {
        T held[kUnrolled];
        CUTE_UNROLL
        for (int i = 0; i < kUnrolled; ++i)
          block.template global_load<1>(data + job.offset_of(part.first + at.run[i]) + at.element[i], &held[i], at.active[i]);
        CUTE_UNROLL
        for (int i = 0; i < kUnrolled; ++i) block.template shared_store<1>(tile + at.number[i], &held[i], at.active[i]);
      }
    });
    block.cp_async_wait_all();
    block.cluster_sync(job.cluster.divisor);
    for_parts(block, job, part, [&](auto const& at) {
      T held[kUnrolled];
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) block.template shared_load<1>(tile + at.number[i], &held[i], at.active[i]);
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i)
        block.template global_store<1>(data + job.offset_of(job.destination_of(part.first + at.run[i])) + at.element[i], &held[i],
                                       at.active[i]);
    });
  }

 private:
  /// The elements that a thread moves at once.
  struct positions {
    int number[kUnrolled];                   ///< in shared memory
    int run[kUnrolled], element[kUnrolled];  ///< index among the block's runs, and the element of the part
    bool active[kUnrolled];
  };

  /// Calls body(positions) until every element of the block's part has had its turn.
  template <class Block, class Body>
  CUTE_HOST_DEVICE static void for_parts(Block& block, boxes_job const& job, box_part const& part, Body const& body) {
    int const all = part.runs * job.part.divisor;
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < all; first += kUnrolled * kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      positions at;
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        at.number[i] = first + i * kThreads + block.thread();
        job.part(at.run[i], at.element[i], at.number[i]);
        at.active[i] = at.number[i] < all && at.element[i] < part.elements;
      }
      body(at);
    }
  }
};

}  // namespace cornerturn::tile
