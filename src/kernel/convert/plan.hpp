#pragma once

#include "kernel/convert/forms.hpp"
#include "kernel/family_plan.hpp"
#include "kernel/listed_sources.hpp"
#include "kernel/tiled/layout.hpp"

namespace cornerturn {

/// The convert kernel with a tile for one problem. It has the tiles of `tiled`, and elements change between shared memory and the
/// destination. The plan is plain data, and valid for any memory with the planned alignment.
struct convert_plan : tiled_layout {
  static constexpr std::string_view family = "convert";
  static constexpr int version = 1;
  static std::vector<convert_plan> candidates(problem const& canonical, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<convert_plan> decisions();

  element_operation operation;
  element_sizes sizes;
  convert_form form = convert_form::elements;
  std::int64_t factor_offset = 0;  ///< elements from the operation's scale and bias to the factors of the first element
  listed_sources sources = {};

  /// True if the types have no kernel of their own. A kernel for elements of these sizes then selects the types at run time.
  bool selects_types() const;
  bool takes_list() const;  ///< true if `with_sources` makes a plan for a list of arrays: the operation has scale or bias
  tiled_widths widths() const { return widths_of(form, sizes); }

  auto parameters() const { return std::tuple_cat(std::tuple(int(form)), tile_parameters()); }
};

/// Cuts a canonical problem with an operation into tiles near a hint. Empty if a tile's offsets or the number of blocks need more
/// than 31 bits, or if there are too many modes.
std::optional<convert_plan> plan_convert(problem const& canonical, alignment const& aligned, tiled_hint const& hint);

std::string_view idea_of(convert_plan const& plan);
std::string describe(convert_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(convert_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(convert_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. Throws `error` for a launch of more than 2^26 blocks, because every block is computed.
std::vector<block_class> classes_of(convert_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
