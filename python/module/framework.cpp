#include "framework.hpp"

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

framework const& framework_of(nb::handle array, std::string_view name) {
  for (auto const known : {numpy, torch, cupy, cuda_interface, dlpack})
    if (known().owns(array)) return known();
  constexpr std::string_view kArrays =
      "an array of NumPy, PyTorch or CuPy, or of another with DLPack or __cuda_array_interface__";
  auto const kind = kind_of(array);
  for (auto const protocol : {"__cuda_array_interface__", "__dlpack__", "__dlpack_device__"}) {
    if (!nb::hasattr(array.type(), protocol)) continue;
    try {
      nb::object const kept = array.attr(protocol);
    } catch (nb::python_error& e) {  // AttributeError may come from within the property
      refuse_because(e, PyExc_TypeError, name, kind, kArrays);
    }
  }
  refuse(PyExc_TypeError, name, kind, kArrays);
}

std::string dtype_name(view const& array) {
  bool const of_numpy = has<"isnative">(array.dtype) && is_true(get<"isnative">(array.dtype));
  auto const text = text_of(of_numpy ? get<"name">(array.dtype) : array.dtype);
  constexpr std::string_view kTorch = "torch.";
  return text.starts_with(kTorch) ? text.substr(kTorch.size()) : text;
}

}  // namespace cornerturn::python
