#pragma once

#include "element/pairs.hpp"
#include "kernel/family_plan.hpp"
#include "kernel/listed_sources.hpp"
#include "kernel/planes/job.hpp"

namespace cornerturn {

/// The types for which planes kernels are compiled, and the bytes of a pixel.
using planes_pairs = element::compiled_affine_pairs;
inline constexpr int kFewestPixelBytes = 3, kMostPixelBytes = 4;

/// The planes kernel for one problem. It splits the pixels of images into planes, whose elements change on the way. The plan is
/// plain data, and valid for any memory with the planned alignment.
struct planes_plan {
  static constexpr std::string_view family = "planes";
  static constexpr int version = 1;

  planes_job job;
  element_operation operation;
  int pixel_bytes = kFewestPixelBytes;
  int blocks = 0;  ///< blocks of the launch
  std::int64_t source_offset = 0, destination_offset = 0, factor_offset = 0;
  listed_sources sources = {};

  int vector() const;                       ///< pixels of a vector
  bool takes_list() const { return true; }  ///< true if `with_sources` makes a plan for a list of arrays

  auto parameters() const { return std::tuple(pixel_bytes, blocks); }

  static std::vector<planes_plan> candidates(problem const& canonical, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<planes_plan> decisions();
};

/// Returns a plan if pixels of bytes become planes of a compiled type, without beta and with the same factors for all pixels of a
/// row, and if all rows are whole aligned vectors; otherwise nothing.
std::optional<planes_plan> plan_planes(problem const& canonical, alignment const& aligned);

std::string_view idea_of(planes_plan const& plan);
std::string describe(planes_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(planes_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(planes_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. Throws `error` for a launch of more than 2^26 blocks, because every block is computed.
std::vector<block_class> classes_of(planes_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
