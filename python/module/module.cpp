#include "module.hpp"

#include <nanobind/stl/string.h>

#include <cornerturn/cornerturn.hpp>
#include <cstdint>

#include "arguments.hpp"
#include "axes.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "framework.hpp"
#include "gil.hpp"

namespace cornerturn::python {
namespace {

std::int64_t current_interpreter() { return PyInterpreterState_GetID(PyInterpreterState_Get()); }

/// Values of `owner` that are no interpreter: none has imported the module, and one did before Python was finalised, after which
/// the first interpreter has the same number again.
constexpr std::int64_t kNone = -1, kFinalised = -2;

/// The interpreter that has imported the module.
std::int64_t owner = kNone;

}  // namespace

NB_MODULE(cornerturn_module, m) {
  owner = current_interpreter();
  static nb::handle first;  // nanobind creates types once per process, so a second import shares the first module's contents
  if (first.is_valid()) {
    m.attr("__dict__").attr("update")(first.attr("__dict__"));
    return;
  }
  Py_AtExit([] { owner = kFinalised; });
  first = m.inc_ref();
  m.attr("_version") = CORNERTURN_VERSION;  // info() would initialise CUDA
  nb::set_leak_warnings(false);  // torch.compile keeps its callers' globals, and thus their plans, until the process exits
  wait_for_calls_at_exit();
  auto const name = text_of(m.attr("__name__"));
  m.attr("__name__") = name.substr(0, name.rfind('.'));  // functions and classes belong to the package
  for (auto* const add : {add_errors, add_dtypes, add_axes, add_masks, add_arrays, add_copy, add_listed, add_copy_override,
                          add_gpu_engine, add_inplace, add_numpy_names, add_rearrange, add_formats, add_plans, add_rank_plans,
                          add_quantization, add_settings, add_explanations, add_codes, add_layouts})
    add(m);
  m.attr("__name__") = name;
}

}  // namespace cornerturn::python

/// What Python calls for each import, before nanobind has done anything. nanobind's types, and objects that this module keeps,
/// belong to one interpreter.
extern "C" NB_EXPORT PyObject* PyInit__cornerturn() {
  using namespace cornerturn::python;
  if (owner == kNone || owner == current_interpreter()) return PyInit_cornerturn_module();
  PyErr_SetString(PyExc_ImportError,
                  owner == kFinalised
                      ? "cornerturn was imported before Python was finalised in this process; it must be imported once"
                      : "cornerturn is imported by another interpreter of this process; it must be imported by one of them only");
  return nullptr;
}
