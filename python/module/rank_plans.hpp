#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds the plans of ranks, with which cornerturn/distributed.py packs and unpacks.
void add_rank_plans(nanobind::module_& m);

}  // namespace cornerturn::python
