#include "typed.hpp"

namespace cornerturn::python {
namespace {

class cupy_arrays final : public typed_framework {
 public:
  view view_of(nb::handle array, std::string_view name) const override {
    view result{.of = this, .dtype = get<"dtype">(array)};
    result.device = int(to_int64(get<"id">(get<"device">(array))));
    auto const shape = get<"shape">(array), strides = get<"strides">(array);
    set_rank(result, PyTuple_Size(shape.ptr()), name);
    read_tuple(shape, {result.extents.data(), std::size_t(result.rank)});
    read_tuple(strides, {result.stride_bytes.data(), std::size_t(result.rank)});
    result.item_size = to_int64(get<"itemsize">(array));
    result.data = to_pointer(get<"ptr">(get<"data">(array)));
    return result;
  }

  /// Makes the array's device current, because CuPy allocates on the current device.
  nb::object empty(nb::handle like, view const& seen, nb::handle shape) const override {
    auto const device = get<"device">(like);
    call<"__enter__">(device);
    auto const made = nb::steal(PyObject_CallFunctionObjArgs(empty_.ptr(), shape.ptr(), seen.dtype.ptr(), nullptr));
    if (!made.is_valid()) {
      nb::python_error failed;
      device.attr("__exit__")(nb::none(), nb::none(), nb::none());
      throw failed;
    }
    device.attr("__exit__")(nb::none(), nb::none(), nb::none());
    return made;
  }

  void* current_stream(view const& array) const override {
    auto const device = owned(PyLong_FromLong(array.device));
    auto const stream = owned(PyObject_CallFunctionObjArgs(current_stream_.ptr(), device.ptr(), nullptr));
    return to_pointer(get<"ptr">(stream));
  }

 private:
  bool find_type() const override {
    auto const module = loaded_module("cupy");
    if (!module.is_valid() || !nb::hasattr(module, "ndarray")) return false;
    empty_ = get<"empty">(module).release();
    current_stream_ = get<"get_current_stream">(get<"cuda">(module)).release();
    type_ = get<"ndarray">(module).release();
    return true;
  }

  mutable nb::handle empty_, current_stream_;  // never released, like type_
};

}  // namespace

framework const& cupy() {
  static cupy_arrays const instance;
  return instance;
}

}  // namespace cornerturn::python
