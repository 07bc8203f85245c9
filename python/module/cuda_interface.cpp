#include "attribute.hpp"
#include "framework.hpp"
#include "refuse.hpp"

namespace cornerturn::python {
namespace {

/// Arrays of any framework, in the memory of a GPU, by `__cuda_array_interface__`.
class cuda_interface_arrays final : public framework {
 public:
  bool owns(nb::handle array) const override { return has<"__cuda_array_interface__">(array); }

  view look(nb::handle array, std::string_view name) const override {
    auto const given = get<"__cuda_array_interface__">(array);
    auto const entry = [&](char const* key) {
      PyObject* const found = PyDict_Check(given.ptr()) ? PyDict_GetItemString(given.ptr(), key) : nullptr;
      return nb::borrow(found ? found : Py_None);
    };
    auto const shape = entry("shape"), data = entry("data"), typestr = entry("typestr"), strides = entry("strides");
    if (!PyTuple_Check(shape.ptr()) || !PyTuple_Check(data.ptr()) || PyTuple_Size(data.ptr()) != 2 ||
        !PyUnicode_Check(typestr.ptr()))
      refuse(PyExc_TypeError, fmt::format("{}.__cuda_array_interface__", name), text_of(given),
             "a dict with shape, typestr and data");
    if (!entry("mask").is_none()) refuse(PyExc_TypeError, name, "a masked array", "one without a mask");

    view result{.of = this, .device = kSomeGpu};
    auto const described = entry("descr");
    bool const structured = text_of(typestr).find('V') != std::string::npos && !described.is_none();
    result.dtype = nb::module_::import_("numpy").attr("dtype")(structured ? described : typestr);
    if (is_true(get<"hasobject">(result.dtype)))
      refuse(PyExc_TypeError, fmt::format("{}.dtype", name), text_of(result.dtype), "one without references to objects");
    result.item_size = number(get<"itemsize">(result.dtype));
    set_rank(result, PyTuple_Size(shape.ptr()), name);
    read_tuple(shape, {result.extents.data(), std::size_t(result.rank)});
    if (strides.is_none())
      set_dense_steps(result);
    else if (PyTuple_Check(strides.ptr()) && PyTuple_Size(strides.ptr()) == result.rank)
      read_tuple(strides, {result.steps.data(), std::size_t(result.rank)});
    else
      refuse(PyExc_TypeError, fmt::format("{}.strides", name), text_of(strides), "None or a tuple as long as its shape");
    result.data = address(PyTuple_GetItem(data.ptr(), 0));
    result.read_only = is_true(nb::handle(PyTuple_GetItem(data.ptr(), 1)));
    if (auto const stream = entry("stream"); !stream.is_none()) result.stream = address(stream);
    return result;
  }

  nb::object empty(nb::handle like, view const&, nb::handle) const override {
    refuse(PyExc_TypeError, "out", "None", fmt::format("given, as no {} can be made here", type_of(like)));
  }

  nb::object reversed(nb::handle array) const override { return get<"T">(array); }

  void* current_stream(view const& array) const override { return array.stream; }
};

}  // namespace

framework const& cuda_interface() {
  static cuda_interface_arrays const instance;
  return instance;
}

}  // namespace cornerturn::python
