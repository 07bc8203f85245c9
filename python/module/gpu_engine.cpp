#include "module.hpp"

namespace cornerturn::python {

void add_gpu_engine(nb::module_& m) { m.attr("_has_gpu_engine") = bool(CORNERTURN_GPU); }

}  // namespace cornerturn::python
