#pragma once

#include "kernel/family_plan.hpp"
#include "kernel/packed/job.hpp"
#include "problem/packed_matrices.hpp"

namespace cornerturn {

/// A launch that transposes matrices of packed elements. It is plain data, and valid for any memory with the planned alignment.
struct packed_plan {
  static constexpr std::string_view family = "packed";
  static constexpr int version = 1;

  packed_job job;
  int bits = 4;  ///< of an element

  tile_shape shape() const { return packed_tile_of(bits); }
  auto parameters() const { return std::tuple(bits, job.source_bytes, job.destination_bytes); }

  static plan_decisions<packed_plan> decisions();
};

/// Plans the launch for matrices that have elements. Throws `error` for more than 2^31 - 1 tiles, and for more modes than a
/// launch has digits.
packed_plan plan_packed(packed_matrices const& all, alignment const& aligned);

std::string_view idea_of(packed_plan const& plan);
std::string describe(packed_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(packed_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(packed_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(packed_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
