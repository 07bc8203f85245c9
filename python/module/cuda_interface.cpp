#include <algorithm>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "dtypes.hpp"
#include "framework.hpp"

namespace cornerturn::python {
namespace {

/// Arrays of any framework in GPU memory, through `__cuda_array_interface__`.
class cuda_interface_arrays final : public framework {
 public:
  bool owns(nb::handle array) const override { return has<"__cuda_array_interface__">(array); }

  view view_of(nb::handle array, std::string_view name) const override {
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
    result.dtype = numpy_dtype(structured ? described : typestr, fmt::format("{}.dtype", name));
    result.item_size = to_int64(get<"itemsize">(result.dtype));
    auto const extents = read_index_list(shape, fmt::format("{}.shape", name));
    result.rank = extents.size;
    std::ranges::copy(extents.list(), result.extents.begin());
    expect_countable(result, fmt::format("{}.shape", name));
    if (strides.is_none())
      set_c_order(result);
    else if (PyTuple_Check(strides.ptr()) && PyTuple_Size(strides.ptr()) == result.rank)
      std::ranges::copy(read_index_list(strides, fmt::format("{}.strides", name)).list(), result.stride_bytes.begin());
    else
      refuse(PyExc_TypeError, fmt::format("{}.strides", name), text_of(strides), "None or a tuple as long as the shape");
    auto const address = try_pointer(PyTuple_GetItem(data.ptr(), 0));
    if (!address || (!*address && !result.is_empty()))
      refuse(PyExc_TypeError, fmt::format("{}.data", name), text_of(data), "a tuple of an address and a read-only flag");
    result.data = *address;
    result.read_only = is_true(nb::handle(PyTuple_GetItem(data.ptr(), 1)));
    if (auto const stream = entry("stream"); !stream.is_none()) {
      auto const given = try_pointer(stream);
      if (!given) refuse(PyExc_TypeError, fmt::format("{}.stream", name), repr_of(stream), "None or an address");
      result.stream = *given;
    }
    return result;
  }

  nb::object empty(nb::handle like, view const&, nb::handle) const override {
    refuse(PyExc_TypeError, "out", "None", fmt::format("given, because a new {} cannot be allocated", type_of(like)));
  }

  void* current_stream(view const& array) const override { return array.stream; }
};

}  // namespace

framework const& cuda_interface() {
  static cuda_interface_arrays const instance;
  return instance;
}

}  // namespace cornerturn::python
