#pragma once

#include <nanobind/nanobind.h>

/// What each file adds to the module.
namespace cornerturn::python {

namespace nb = nanobind;

/// The docstring of the methods that draw an explanation of a rung or of a layout.
inline constexpr char const* kPicture = "Draws the tile and its requests.\n\nReturns\n-------\nstr\n    SVG.\n";

/// Adds permute, transpose and ascontiguous to the module.
void add_arrays(nb::module_& m);

/// Adds copy to the module.
void add_copy(nb::module_& m);

/// Adds to the module the call that permutes the arrays of a list at once.
void add_listed(nb::module_& m);

/// Adds the functions with which cornerturn/_torch_copies.py overrides PyTorch's aten::copy_.
void add_copy_override(nb::module_& m);

/// Adds whether the build has the GPU engine.
void add_gpu_engine(nb::module_& m);

/// Adds permute_inplace and transpose_inplace to the module.
void add_inplace(nb::module_& m);

/// Adds the permutations that NumPy names to the module.
void add_numpy_names(nb::module_& m);

/// Adds what cornerturn.formats calls to the module.
void add_formats(nb::module_& m);

/// Adds rearrange and plan_rearrange to the module.
void add_rearrange(nb::module_& m);

/// Adds plan, Plan, tune and Tuned to the module.
void add_plans(nb::module_& m);

/// Adds the plans of ranks, with which cornerturn/distributed.py packs and unpacks.
void add_rank_plans(nb::module_& m);

/// Adds the function that cornerturn.fp8 calls.
void add_quantization(nb::module_& m);

/// Adds cache_info, cache_clear, set_num_threads and num_threads to the module.
void add_settings(nb::module_& m);

/// Adds explain, rung_names and the classes of explanations to the module.
void add_explanations(nb::module_& m);

/// Adds explain_code and the classes of its result.
void add_codes(nb::module_& m);

/// Adds `layout` and the class of its result.
void add_layouts(nb::module_& m);

}  // namespace cornerturn::python
