#include "exchange.hpp"
#include "refuse.hpp"
#include "typed.hpp"

namespace cornerturn::python {
namespace {

/// DLPack's codes of the dtypes whose elements a tensor may negate or conjugate when it is read.
constexpr int kFloat = 2, kComplex = 5;

class torch_tensors final : public typed_framework {
 public:
  view look(nb::handle array, std::string_view name) const override {
    if (!exchange_)
      refuse(PyExc_TypeError, "torch.__version__", text_of(get<"__version__">(imported("torch"))),
             "2.10 or newer, with DLPack 1's exchange");
    nb::dlpack::dltensor seen;
    if (exchange_->look(array.ptr(), &seen)) {
      nb::python_error const replaced;
      explain_refusal(array, name);
    }
    auto const place = seen.device.device_type;
    if (place != kCpu && place != kCuda && place != kCudaHost) explain_refusal(array, name);
    if (seen.dtype.code == kComplex ? is_true(call<"is_conj">(array)) || is_true(call<"is_neg">(array))
                                    : seen.dtype.code == kFloat && is_true(call<"is_neg">(array)))
      return look_at_resolved(array, name);
    if (has_tangent(array) ||
        (is_true(get<"requires_grad">(array)) && is_true(owned(PyObject_CallNoArgs(is_grad_enabled_.ptr())))))
      refuse(PyExc_ValueError, name, "followed by autograd", "its detach(), or go to cornerturn.torch.permute");

    view result{.of = this, .dtype = get<"dtype">(array), .data = static_cast<std::byte*>(seen.data) + seen.byte_offset};
    if (place == kCuda) result.device = seen.device.device_id;
    result.item_size = seen.dtype.bits * seen.dtype.lanes / 8;
    set_rank(result, seen.ndim, name);
    for (int i = 0; i < result.rank; ++i) {
      result.extents[std::size_t(i)] = seen.shape[i];
      result.steps[std::size_t(i)] = step_of(seen.strides[i], result.item_size, seen.shape[i], name);
    }
    if (!result.data && !result.is_empty()) refuse(PyExc_TypeError, name, "of type " + type_of(array), "a tensor in memory");
    return result;
  }

  nb::object empty(nb::handle like, view const&, nb::handle shape) const override {
    return owned(PyObject_CallMethodObjArgs(like.ptr(), interned<"new_empty">(), shape.ptr(), nullptr));
  }

  nb::object reversed(nb::handle array) const override {
    auto axes = nb::list();
    for (auto axis = number(call<"dim">(array)); axis > 0; --axis) axes.append(axis - 1);
    return owned(PyObject_CallMethodObjArgs(array.ptr(), interned<"permute">(), axes.ptr(), nullptr));
  }

  void* current_stream(view const& array) const override {
    void* stream = nullptr;
    if (exchange_->current_stream(kCuda, array.device, &stream)) throw nb::python_error();
    return stream;
  }

 private:
  bool find_type() const override {
    auto const module = imported("torch");
    if (!module.is_valid() || !has<"Tensor">(module) || !has<"is_grad_enabled">(module)) return false;  // or it is half imported
    auto const type = get<"Tensor">(module);
    auto const capsule = find<"__dlpack_c_exchange_api__">(type);
    auto const* const found =
        capsule.is_valid() ? static_cast<dlpack_exchange const*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"))
                           : nullptr;
    if (found && found->version.major == kExchangeMajor) {
      auto const forward_mode = imported("torch.autograd.forward_ad");
      if (!forward_mode.is_valid() || !has<"unpack_dual">(forward_mode)) return false;
      unpack_dual_ = get<"unpack_dual">(forward_mode).release();
      forward_mode_ = PyModule_GetDict(forward_mode.ptr());
      exchange_ = found;
    }
    is_grad_enabled_ = get<"is_grad_enabled">(module).release();
    type_ = nb::object(type).release();
    return true;
  }

  /// Whether forward mode follows it. Where PyTorch tells no level, or a level is entered, the tensor itself is asked, which
  /// takes as long as all of a call.
  bool has_tangent(nb::handle array) const {
    PyObject* const level = PyDict_GetItem(forward_mode_.ptr(), interned<"_current_level">());
    if (level && PyLong_Check(level) && number(level) < 0) return false;
    return !get<"tangent">(owned(PyObject_CallFunctionObjArgs(unpack_dual_.ptr(), array.ptr(), nullptr))).is_none();
  }

  /// Says why a tensor cannot be looked at.
  [[noreturn]] static void explain_refusal(nb::handle array, std::string_view name) {
    if (auto const layout = text_of(get<"layout">(array)); layout != "torch.strided")
      refuse(PyExc_TypeError, fmt::format("{}.layout", name), layout, "torch.strided");
    if (is_true(get<"is_quantized">(array))) refuse(PyExc_TypeError, name, "quantized", "a plain tensor, as of its int_repr()");
    if (is_true(get<"is_nested">(array))) refuse(PyExc_TypeError, name, "nested", "a plain tensor");
    refuse(PyExc_TypeError, name, fmt::format("of type {} and {}", text_of(get<"dtype">(array)), text_of(get<"device">(array))),
           "a tensor in memory, of a dtype that DLPack knows, on a CPU or a CUDA device");
  }

  /// The conjugate or the negative of what lies in memory: as a copy, which is nothing to write to.
  view look_at_resolved(nb::handle array, std::string_view name) const {
    auto const resolved = call<"resolve_neg">(call<"resolve_conj">(array));
    auto result = look(resolved, name);
    result.owner = resolved;
    result.is_resolved = result.read_only = true;
    return result;
  }

  mutable nb::handle is_grad_enabled_, unpack_dual_, forward_mode_;  // as the type
  mutable dlpack_exchange const* exchange_ = nullptr;
};

}  // namespace

framework const& torch() {
  static torch_tensors const instance;
  return instance;
}

}  // namespace cornerturn::python
