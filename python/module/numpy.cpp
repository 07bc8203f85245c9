
#include "arguments.hpp"
#include "functions.hpp"
#include "typed.hpp"

namespace cornerturn::python {
namespace {

/// True if `array.mask` is a field of a numpy.recarray, whose fields are attributes.
bool is_field_named_mask(nb::handle array) {
  if (has<"mask">(array.type())) return false;
  auto const fields = get<"fields">(get<"dtype">(array));
  return !fields.is_none() && PyMapping_HasKeyString(fields.ptr(), "mask");
}

void refuse_masked_subclass(nb::handle array, std::string_view name) {
  if (auto const module = loaded_module("numpy.ma"); module.is_valid() && is_instance(array, get<"MaskedArray">(module)))
    refuse(PyExc_TypeError, name, "a masked array", "one without a mask, e.g. its filled()");
  auto const mask = find<"mask">(array);
  if (mask.is_valid() && !mask.is_none() && !is_field_named_mask(array))
    refuse(PyExc_TypeError, name, fmt::format("of type {}, with a mask", type_of(array)),
           fmt::format("an array without one, e.g. np.asarray({}), which drops it", name));
}

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
    if (!is_plain(array)) refuse_masked_subclass(array, name);
    return described(array, name);
  }

  bool still_has(nb::handle array, view const& seen) const override {
    auto const found = described(array, "the array");
    return found.data == seen.data && found.bytes() == seen.bytes();
  }

  nb::object empty(nb::handle, view const& seen, nb::handle shape) const override {
    // np.empty would change the item size 0 of an empty string dtype to 1 character
    auto const& make = seen.item_size ? empty_ : type_;
    return owned(PyObject_CallFunctionObjArgs(make.ptr(), shape.ptr(), seen.dtype.ptr(), nullptr));
  }

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

  /// Describes an array by attributes of ndarray itself, which run no Python code.
  view described(nb::handle array, std::string_view name) const {
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

  /// The value of an attribute of ndarray itself, which a subclass may have overridden wrongly.
  static nb::object ndarray_attribute(nb::handle descriptor, nb::handle array) {
    static auto const value_of =
        reinterpret_cast<descrgetfunc>(PyType_GetSlot(reinterpret_cast<PyTypeObject*>(descriptor.type().ptr()), Py_tp_descr_get));
    return owned(value_of(descriptor.ptr(), array.ptr(), array.type().ptr()));
  }

  mutable nb::handle empty_, struct_, dtype_, flags_;  // never released, like type_; the last three are descriptors of ndarray
};

}  // namespace

framework const& numpy() {
  static numpy_arrays const instance;
  return instance;
}

void refuse_masked(nb::handle array, std::string_view name) {
  if (numpy().owns(array)) refuse_masked_subclass(array, name);
}

namespace {

void refuse_masked_argument(nb::handle array, nb::handle name) { refuse_masked(array, text_of(name)); }

}  // namespace

void add_masks(nb::module_& m) {
  builtin<refuse_masked_argument>::add(m, "_refuse_masked(array, name)", "Raises TypeError for an array with a mask.");
}

}  // namespace cornerturn::python
