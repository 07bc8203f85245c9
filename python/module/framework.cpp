#include "framework.hpp"

#include "arguments.hpp"
#include "attribute.hpp"
#include "dtypes.hpp"

namespace cornerturn::python {
namespace {

/// True for what NumPy's functions take as an array: a list, a tuple, a range, a number, a buffer of Python. Of bytes NumPy makes
/// one string.
bool stands_for_array(nb::handle object) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()) ||
      PyComplex_Check(object.ptr()) || PyRange_Check(object.ptr()) || PyMemoryView_Check(object.ptr()) ||
      PyByteArray_Check(object.ptr()))
    return true;
  auto const module = loaded_module("numpy");
  return type_of(object) == "array.array" || (module.is_valid() && is_instance(object, get<"generic">(module)));
}

/// True if np.asarray makes an array of the object, which drops what else the object has: an image of Pillow, a frame of pandas
/// or Polars.
bool can_be_array(nb::handle object) {
  return stands_for_array(object) || nb::hasattr(object.type(), "__array__") || nb::hasattr(object.type(), "__array_interface__");
}

/// What `framework_of` accepts. An out must be an array, because np.asarray may make a copy.
std::string accepted(nb::handle array, std::string_view name) {
  constexpr std::string_view kArrays =
      "an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__";
  bool const is_source = !is_written(name);
  if (is_source && is_path(array))
    return fmt::format("{}; np.load({}, mmap_mode='r') reads a .npy file, and the command cornerturn transpose permutes one",
                       kArrays, name);
  for (std::string_view const library : {"xarray", "dask"})
    if (is_source && type_of(array).starts_with(fmt::format("{}.", library)))
      return fmt::format("{}; cornerturn.{} takes it", kArrays, library);
  return is_source && can_be_array(array) ? fmt::format("{}, e.g. np.asarray({})", kArrays, name) : std::string(kArrays);
}

/// True for what stands for an array while JAX traces a function.
bool is_jax_tracer(nb::handle object) {
  auto const core = loaded_module("jax.core");
  auto const type = core.is_valid() ? find<"Tracer">(core) : nb::object();
  return type.is_valid() && is_instance(object, type);
}

/// Raises TypeError for what stands for a tensor in torch.fx.symbolic_trace, which has every attribute that is asked for.
void refuse_proxy(nb::handle array, std::string_view name) {
  auto const fx = loaded_module("torch.fx");
  auto const type = fx.is_valid() ? find<"Proxy">(fx) : nb::object();
  if (type.is_valid() && is_instance(array, type))
    refuse(PyExc_TypeError, name, "a Proxy of torch.fx.symbolic_trace",
           "a tensor in memory, unless it goes to permute, transpose, moveaxis or rearrange of cornerturn.torch");
}

}  // namespace

bool is_written(std::string_view name) { return name == "out" || name == "dst"; }

bool is_path(nb::handle object) { return PyUnicode_Check(object.ptr()) || nb::hasattr(object.type(), "__fspath__"); }

void expect_unmoved(nb::handle array, view const& seen, std::string_view name) {
  if (!seen.owner.is_valid() && !seen.of->still_has(array, seen))
    refuse(PyExc_ValueError, name, "resized by another argument", "left alone until the call has ended");
}

void expect_both_unmoved(nb::handle first, view const& first_seen, std::string_view first_name, nb::handle second,
                         view const& second_seen, std::string_view second_name) {
  if (first_seen.of->is_plain(first) && second_seen.of->is_plain(second)) return;
  expect_unmoved(first, first_seen, first_name);
  expect_unmoved(second, second_seen, second_name);
}

framework const* owner_of(nb::handle array) {
  for (auto const known : {numpy, torch, cupy, cuda_interface, dlpack})
    if (known().owns(array)) return &known();
  return nullptr;
}

framework const& framework_of(nb::handle array, std::string_view name) {
  if (auto const* const owner = owner_of(array)) {
    if (owner == &cuda_interface()) refuse_proxy(array, name);
    return *owner;
  }
  if (is_jax_tracer(array))
    refuse(PyExc_TypeError, name, "a tracer of JAX",
           is_written(name)
               ? "an array that can be written"
               : "an array, unless it goes to permute, transpose, rearrange, moveaxis or swapaxes of cornerturn.jax");
  auto const kind = kind_of(array), allowed = accepted(array, name);
  for (auto const protocol : {"__cuda_array_interface__", "__dlpack__", "__dlpack_device__"}) {
    if (!nb::hasattr(array.type(), protocol)) continue;
    try {
      nb::object const kept = array.attr(protocol);
    } catch (nb::python_error& e) {  // AttributeError may come from within the property
      refuse_because(e, PyExc_TypeError, name, kind, allowed);
    }
  }
  refuse(PyExc_TypeError, name, kind, allowed);
}

nb::object array_of(nb::handle given, std::string_view name) {
  if (owner_of(given) || !stands_for_array(given)) return nb::borrow(given);
  try {
    return nb::module_::import_("numpy").attr("asarray")(given);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;
    refuse_because(e, PyExc_ValueError, name, repr_of(given), "one that NumPy takes as an array");
  }
}

nb::object framework::empty_of(nb::handle like, view const& seen, nb::handle shape, std::string const& dtype) const {
  auto changed = seen;
  changed.dtype = numpy_dtype_named(dtype, "dtype");
  changed.item_size = to_int64(get<"itemsize">(changed.dtype));
  return empty(like, changed, shape);
}

std::string dtype_name(view const& array) { return name_of_dtype(array.dtype); }

}  // namespace cornerturn::python
