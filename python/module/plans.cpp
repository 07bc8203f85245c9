#include "module.hpp"

#include <nanobind/stl/string.h>

#include <cornerturn/cornerturn.hpp>
#include <optional>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "fill_result.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "modes.hpp"
#include "move.hpp"
#include "plan_array.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

permutation_plan plan_modes(modes const& all, plan_options const& options) {
  gil_release const released;
  return plan(all.list(all.extents), all.list(all.source), all.list(all.destination), all.element_size, options);
}

permutation_plan plan_change(planned_permutation const& planned, plan_options const& options) {
  auto const read = element_strides(planned.permuted, "x_or_shape"), written = element_strides(planned.result, "the result");
  gil_release const released;
  return plan(planned.permuted.shape(), read, written, *planned.operation, options);
}

/// A plan of the library, with the arrays that it accepts.
class array_plan {
 public:
  array_plan(planned_permutation const& planned, nb::handle effort, nb::handle threads) : planned_(planned) {
    auto options = options_for(planned.array, effort);
    options.threads = threads_of(threads);
    range_of(planned.array, "x_or_shape");
    if (!planned.permuted.is_empty())
      plan_ = planned.operation ? plan_change(planned, options) : plan_modes(modes(planned.permuted, planned.result), options);
    planned_.array.owner = planned_.permuted.owner = planned_.result.owner = nb::object();
  }

  nb::object run(nb::handle x, nb::handle out, nb::handle stream) const {
    auto source = view_of(x, "x");
    expect_planned(source, "x", planned_.array);
    permute_modes(source, planned_.axes);
    auto const shape = tuple_of(source.shape());
    if (planned_.operation) expect_out_to_read(*planned_.operation, out);
    receiver const to(out, [&] {
      return planned_.operation ? source.of->empty_of(x, source, shape, dtype_name(planned_.result))
                                : source.of->empty(x, source, shape);
    });
    expect_room_for(source, "x", to.seen, to.name);
    expect_planned(to.seen, to.name, planned_.result);
    if (planned_.operation) planned_.factors.expect_apart(to.seen, to.name);
    return to.fill(x, source, stream, {planned_.factors.scale.array, planned_.factors.bias.array}, [&](call_stream const& work) {
      if (!plan_) return;
      gil_release const released(should_release_gil(source));
      plan_->run(source.data, to.seen.data, work.get());
    });
  }

  std::string describe() const { return plan_ ? plan_->describe() : "nothing to move"; }

  std::string repr() const {
    return fmt::format("<cornerturn.Plan of {} {} by {}: {}>", dtype_name(planned_.array),
                       text_of(tuple_of(planned_.array.shape())), text_of(tuple_of(planned_.axes.list())), describe());
  }

  std::string explain() const {
    if (!plan_) return "nothing to move";
    gil_release const released;
    return report_of(plan_->explain());
  }

 private:
  static void expect_planned(view const& array, std::string_view name, view const& planned) {
    expect_shape(array, name, planned.shape(), ", which the plan was made for");
    expect_same_dtype(planned, "the plan", array, name);
    expect_same_device(planned, "the plan", array, name);
    for (int i = 0; i < array.rank; ++i)
      if (array.extents[i] > 1 && array.stride_bytes[i] != planned.stride_bytes[i] && !array.is_empty())
        refuse(PyExc_ValueError, fmt::format("{}.strides", name), text_of(tuple_of(array.strides())),
               fmt::format("{} in bytes, which the plan was made for", text_of(tuple_of(planned.strides()))));
  }

  planned_permutation planned_;
  std::optional<permutation_plan> plan_;  // empty if there is nothing to move
};

array_plan const& plan_in(nb::handle self) {
  if (!nb::inst_ready(self)) refuse(PyExc_TypeError, "self", kind_of(self), "a cornerturn.Plan made by plan");
  return *nb::inst_ptr<array_plan>(self);
}

nb::object run(nb::handle self, nb::handle x, nb::handle out, nb::handle stream) { return plan_in(self).run(x, out, stream); }

std::string describe(nb::handle self) { return plan_in(self).describe(); }

std::string explain_plan_of(nb::handle self) { return plan_in(self).explain(); }

array_plan plan_arrays(nb::handle x_or_shape, nb::handle axes, nb::handle dtype, nb::handle device, nb::handle effort,
                       nb::handle threads, nb::handle source, nb::handle alpha, nb::handle beta, nb::handle conj,
                       nb::handle saturate, nb::handle scale, nb::handle bias) {
  planned_arguments const given{x_or_shape, axes, device, source, {dtype, alpha, beta, conj, saturate, scale, bias}};
  return array_plan(planned_permutation::of(given, false), effort, threads);
}

tuned tune(nb::handle x_or_shape, nb::handle axes, nb::handle dtype, nb::handle device, nb::handle source, nb::handle alpha,
           nb::handle beta, nb::handle conj, nb::handle saturate, nb::handle scale, nb::handle bias) {
  planned_arguments const given{x_or_shape, axes, device, source, {dtype, alpha, beta, conj, saturate, scale, bias}};
  auto const planned = planned_permutation::of(given, true);
  auto const options = options_for(planned.array, nb::str("measure"));
  if (planned.array.is_empty()) return {};
  auto const shape = planned.array.shape(), permuted = planned.axes.list();
  try {
    gil_release const released;
    auto const element = planned.operation ? elements(*planned.operation) : elements(planned.array.item_size);
    return tune_permute(shape, permuted, element, options);
  } catch (error const& e) {
    if (e.kind() != error_kind::memory || planned.array.device != kHost) throw;
    refuse(PyExc_MemoryError, "shape", text_of(tuple_of(shape)),
           fmt::format("of an array that twice has room in memory ({})", e.what()));
  }
}

}  // namespace

void add_plans(nb::module_& m) {
  auto const plan_type =
      nb::class_<array_plan>(m, "Plan", "A plan for arrays with the same shape, strides, dtype and device; made by `plan`.")
          .def("__repr__", &array_plan::repr);
  builtin<run>::add_method(plan_type, "__call__", "plan(x: Array, out: Array | None = None, *, stream: object = None) -> Array",
                           R"(Permutes x, like permute, to out or to a new array.

Parameters
----------
x : array
    With the shape, strides, dtype and device of the plan.
out : array, optional
    Receives the result, contiguous in C order, with the dtype of the plan's result; default: a new array. A plan with beta reads it
    and needs it.
stream : int or stream, optional
    As in permute.

Returns
-------
array
    out, or a new array.

Raises
------
ValueError
    x or out differs from what the plan was made for, out is read-only or overlaps x or the plan's scale or bias, or on a GPU x is
    less aligned than the array of the plan, or out less than 16 bytes. No element has moved.
TypeError, BufferError, MemoryError, RuntimeError
    As in permute.
)");
  builtin<describe>::add_method(
      plan_type, "describe", "describe() -> str",
      R"(One line: the problem, the processor, the kernel with its tile and access widths, and why it was chosen.

The problem has NumPy's words: the shape of the result, the strides in bytes of the permuted source and of the result, and the
size of an element. Axes that stay neighbours are fused.

Returns
-------
str
)");
  builtin<explain_plan_of>::add_method(plan_type, "explain", "explain() -> str",
                                       R"(The memory requests of the plan's kernel on a GPU, counted on the host.

For a CPU plan they are those of the kernel that an H200 would run.

Returns
-------
str
    A report of at most 80 columns.

Raises
------
ValueError
    The plan has too many blocks to be counted.
)");
  builtin<plan_arrays>::add(m,
                            "plan(x_or_shape: object, axes: Axes | None = None, *, dtype: object = None, device: object = None, "
                            "effort: Literal['estimate', 'measure'] = 'estimate', threads: SupportsIndex = 0, "
                            "source: object = None, alpha: complex = 1, beta: complex = 0, conj: bool = False, "
                            "saturate: bool = False, scale: object = None, bias: object = None) -> Plan",
                            R"(Plans a permutation for many arrays with the same shape, strides, dtype and device.

permute caches its plans itself. Use plan to choose the kernel by measurement, or to see which kernel was chosen.

Parameters
----------
x_or_shape : array, or tuple of int
    An array with the properties of the later ones, or the shape of arrays in C order.
axes : sequence of int, optional
    As in permute; default: all axes reversed.
dtype : dtype or str, optional
    The dtype of the result, as in permute. Default: that of the array, or with a shape `source`. With a shape and without `source`
    it is the dtype of the arrays, too, and may be any without Python objects.
device : str or object, optional
    With a shape: 'cpu' (the default), 'cuda' or 'cuda:1', or an object whose str() is one of these.
effort : str
    'estimate' uses a performance model and takes microseconds. 'measure' times the candidates for up to half a second and stores
    the fastest in the user's cache directory.
threads : int
    As in permute, for each run.
source : dtype or str, optional
    With a shape: the dtype of the arrays, if dtype is another one that their elements become.
alpha, beta, conj, saturate
    As in permute. With beta a run needs `out`.
scale, bias : array, optional
    As in permute. The plan keeps them, and they must not change as long as it is used.

Returns
-------
Plan

Raises
------
ValueError, TypeError
    As permute; also for a device that does not exist.

Examples
--------
>>> import cornerturn, numpy as np
>>> plan = cornerturn.plan((8, 224, 160, 3), (0, 3, 1, 2), dtype=np.uint8)
>>> plan(np.zeros((8, 224, 160, 3), np.uint8)).shape
(8, 3, 224, 160)
>>> "of 1 byte" in plan.describe()
True
>>> plan = cornerturn.plan((300, 200), source="float32", dtype="float64", alpha=0.5)
>>> plan(np.ones((300, 200), np.float32)).dtype
dtype('float64')
)");

  nb::class_<tuned>(m, "Tuned", "The result of `tune`.")
      .def_ro("kernel", &tuned::kernel, "The fastest kernel; empty if there is nothing to move.")
      .def_ro("seconds", &tuned::seconds, "Measured seconds of one run of the kernel.")
      .def_ro("estimated_seconds", &tuned::estimated_seconds, "Measured seconds of the kernel that an estimate would choose.")
      .def("__repr__", [](tuned const& t) {
        return fmt::format("Tuned(kernel={}, seconds={}, estimated_seconds={})", nb::repr(nb::str(t.kernel.c_str())).c_str(),
                           t.seconds, t.estimated_seconds);
      });
  builtin<tune>::add(m,
                     "tune(x_or_shape: object, axes: Axes | None = None, *, dtype: object = None, device: object = None, "
                     "source: object = None, alpha: complex = 1, beta: complex = 0, conj: bool = False, saturate: bool = False, "
                     "scale: object = None, bias: object = None) -> Tuned",
                     R"(Times the kernels that can permute a dense array, and stores the fastest in the user's cache directory.

It takes less than half a second. Later plans use the choice; `cache_clear` drops the earlier ones of permute.

Parameters
----------
x_or_shape, axes, dtype, device, source, alpha, beta, conj, saturate, scale, bias
    As in `plan`; only the shape, dtype and device of an array are used.

Returns
-------
Tuned
    The fastest kernel, its seconds, and those of the kernel that an estimate would choose.

Raises
------
ValueError, TypeError
    As in `plan`.
MemoryError
    There is no memory for two arrays of the shape.
RuntimeError
    A CUDA call failed.

Examples
--------
>>> import cornerturn
>>> tuned = cornerturn.tune((300, 200), dtype="f4")  # doctest: +SKIP
>>> tuned.seconds <= tuned.estimated_seconds         # doctest: +SKIP
True
)");
}

}  // namespace cornerturn::python
