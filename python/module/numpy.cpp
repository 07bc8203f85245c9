#include <cstring>

#include "refuse.hpp"
#include "typed.hpp"

namespace cornerturn::python {
namespace {

/// PyArrayInterface, the contents of the capsule `__array_struct__`. Arrays of every dtype have it, and it needs no NumPy
/// headers.
struct array_interface {
  int two;
  int rank;
  char kind;
  int item_size;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;
  void* data;
  PyObject* description;
};

constexpr int kWriteable = 0x400;

/// The kinds of dtypes that cannot contain Python objects.
constexpr std::string_view kPlainKinds = "biufcmMSU";

class numpy_arrays final : public typed_framework {
 public:
  view view_of(nb::handle array, std::string_view name) const override {
    if (!array.type().is(type_)) refuse_masked(array, name);
    view result{.of = this, .dtype = ndarray_attribute(dtype_, array)};
    auto const capsule = ndarray_attribute(struct_, array);
    auto const* const seen = static_cast<array_interface const*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    bool const is_plain = kPlainKinds.find(seen->kind) != std::string_view::npos;
    if (!is_plain && is_true(get<"hasobject">(result.dtype)))
      refuse(PyExc_TypeError, fmt::format("{}.dtype", name), text_of(result.dtype), "one without Python objects");
    // NumPy clears the flags of the capsule for dtypes with fields
    result.read_only = !(seen->flags & kWriteable) && !is_true(get<"writeable">(ndarray_attribute(flags_, array)));
    set_rank(result, seen->rank, name);
    result.data = seen->data;
    result.item_size = seen->item_size;
    for (int i = 0; i < seen->rank; ++i) result.extents[i] = seen->shape[i], result.stride_bytes[i] = seen->strides[i];
    return result;
  }

  nb::object empty(nb::handle, view const& seen, nb::handle shape) const override {
    // np.empty would change the item size 0 of an empty string dtype to 1 character
    auto const& make = seen.item_size ? empty_ : type_;
    return owned(PyObject_CallFunctionObjArgs(make.ptr(), shape.ptr(), seen.dtype.ptr(), nullptr));
  }

  nb::object reversed(nb::handle array) const override { return get<"T">(array); }

  bool has_writable_arrays() const override { return true; }

  void* current_stream(view const&) const override { return nullptr; }

 private:
  bool find_type() const override {
    auto const module = loaded_module("numpy");
    if (!module.is_valid()) return false;
    type_ = get<"ndarray">(module).release();
    empty_ = get<"empty">(module).release();
    struct_ = get<"__array_struct__">(type_).release();
    dtype_ = get<"dtype">(type_).release();
    flags_ = get<"flags">(type_).release();
    return true;
  }

  /// The value of an attribute of ndarray itself, which a subclass may have overridden wrongly.
  static nb::object ndarray_attribute(nb::handle descriptor, nb::handle array) {
    static auto const value_of =
        reinterpret_cast<descrgetfunc>(PyType_GetSlot(reinterpret_cast<PyTypeObject*>(descriptor.type().ptr()), Py_tp_descr_get));
    return owned(value_of(descriptor.ptr(), array.ptr(), array.type().ptr()));
  }

  static void refuse_masked(nb::handle array, std::string_view name) {
    auto const module = loaded_module("numpy.ma");
    if (!module.is_valid()) return;
    if (is_instance(array, get<"MaskedArray">(module)))
      refuse(PyExc_TypeError, name, "a masked array", "one without a mask, e.g. its filled()");
  }

  mutable nb::handle empty_, struct_, dtype_, flags_;  // never released, like type_; the last three are descriptors of ndarray
};

}  // namespace

framework const& numpy() {
  static numpy_arrays const instance;
  return instance;
}

}  // namespace cornerturn::python
