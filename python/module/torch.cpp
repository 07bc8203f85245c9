#include <cstdint>

#include "arguments.hpp"
#include "exchange.hpp"
#include "huge_pages.hpp"
#include "torch_functions.hpp"
#include "typed.hpp"

namespace cornerturn::python {
namespace {

/// DLDataTypeCode of the dtypes that PyTorch conjugates lazily. Any dtype may be negated lazily.
constexpr int kComplex = 5;

class torch_tensors final : public typed_framework {
 public:
  view view_of(nb::handle array, std::string_view name) const override {
    if (!exchange_)
      refuse(PyExc_TypeError, "torch.__version__", text_of(get<"__version__">(loaded_module("torch"))),
             "2.10 or newer, with DLPack 1's exchange");
    if (!is_plain(array) && has_dispatch(array)) refuse_by("refuse", array, name);
    if ((tracing_state_ && *tracing_state_()) || (has_modes_ && has_modes_(false))) refuse_by("refuse_recorded", array, name);
    nb::dlpack::dltensor seen;
    if (exchange_->dltensor_from_py_object_no_sync(array.ptr(), &seen)) {
      nb::python_error const replaced;
      refuse_by("refuse_unknown", array, name);
    }
    auto const place = seen.device.device_type;
    if (place != kCpu && place != kCuda && place != kCudaHost) refuse_by("refuse_unknown", array, name);
    if (is_true(call<"is_neg">(array)) || (seen.dtype.code == kComplex && is_true(call<"is_conj">(array))))
      return resolved_view(array, name);
    if (has_tangent(array) ||
        (is_true(get<"requires_grad">(array)) && is_true(owned(PyObject_CallNoArgs(is_grad_enabled_.ptr())))))
      refuse(PyExc_ValueError, name, "tracked by autograd",
             is_written(name) ? "its detach()"
                              : "its detach(), unless it goes to permute, transpose, moveaxis or rearrange of cornerturn.torch, "
                                "which only copy");

    view result{.of = this, .dtype = get<"dtype">(array), .data = static_cast<std::byte*>(seen.data) + seen.byte_offset};
    if (place == kCuda) result.device = seen.device.device_id;
    result.item_size = seen.dtype.bits * seen.dtype.lanes / 8;
    set_rank(result, seen.ndim, name);
    for (int i = 0; i < result.rank; ++i) {
      result.extents[std::size_t(i)] = seen.shape[i];
      result.stride_bytes[std::size_t(i)] = stride_bytes_of(seen.strides[i], result.item_size, seen.shape[i], name);
    }
    if (!result.data && !result.is_empty()) refuse_by("refuse_without_memory", array, name);
    return result;
  }

  bool still_has(nb::handle array, view const& seen) const override {
    nb::dlpack::dltensor found;
    if (exchange_->dltensor_from_py_object_no_sync(array.ptr(), &found)) throw nb::python_error();
    std::int64_t bytes = seen.item_size;
    for (int i = 0; i < found.ndim; ++i) bytes *= found.shape[i];
    return static_cast<std::byte*>(found.data) + found.byte_offset == seen.data && bytes == seen.bytes();
  }

  nb::object empty(nb::handle like, view const&, nb::handle shape) const override {
    return with_huge_pages(owned(PyObject_CallMethodObjArgs(like.ptr(), interned<"new_empty">(), shape.ptr(), nullptr)));
  }

  nb::object empty_of(nb::handle like, view const&, nb::handle shape, std::string const& dtype) const override {
    auto const found = nb::getattr(loaded_module("torch"), dtype.c_str(), nb::none());
    if (found.is_none()) refuse(PyExc_TypeError, "dtype", dtype, "one that PyTorch has, since x is a tensor");
    return with_huge_pages(nb::object(like.attr("new_empty")(shape, nb::arg("dtype") = found)));
  }

  nb::object permuted(nb::handle array, nb::handle axes) const override {
    return owned(PyObject_CallMethodObjArgs(array.ptr(), interned<"permute">(), axes.ptr(), nullptr));
  }

  /// Counts a new version of the tensor, so that autograd refuses to use a version that it has saved. Inference tensors have
  /// none.
  void note_write(nb::handle array) const override {
    if (is_true(call<"is_inference">(array))) return;
    auto const increment = get<"increment_version">(nb::module_::import_("torch.autograd.graph"));
    owned(PyObject_CallFunctionObjArgs(increment.ptr(), array.ptr(), nullptr));
  }

  void* current_stream(view const& array) const override {
    void* stream = nullptr;
    if (exchange_->current_work_stream(kCuda, array.device, &stream)) throw nb::python_error();
    return stream;
  }

 private:
  bool find_type() const override {
    auto const module = loaded_module("torch");
    if (!module.is_valid() || !has<"Tensor">(module) || !has<"is_grad_enabled">(module))
      return false;  // the import may be in progress
    auto const type = get<"Tensor">(module);
    auto const capsule = find<"__dlpack_c_exchange_api__">(type);
    auto const* const found =
        capsule.is_valid() ? static_cast<dlpack_exchange_api const*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"))
                           : nullptr;
    if (found && found->version.major == kExchangeMajor) {
      auto const forward_mode = loaded_module("torch.autograd.forward_ad");
      if (!forward_mode.is_valid() || !has<"unpack_dual">(forward_mode)) return false;
      unpack_dual_ = get<"unpack_dual">(forward_mode).release();
      forward_mode_ = PyModule_GetDict(forward_mode.ptr());
      dispatch_ = get<"__torch_dispatch__">(type).release();
      exchange_ = found;
    }
    find_in_torch("libtorch_cpu.so", "_ZN5torch3jit6tracer15getTracingStateEv", tracing_state_);
    find_in_torch("libc10.so", "_ZN3c104impl20TorchDispatchModeTLS13any_modes_setEb", has_modes_);
    is_grad_enabled_ = get<"is_grad_enabled">(module).release();
    type_ = nb::object(type).release();
    return true;
  }

  /// A new tensor, with huge pages if it is large and in host memory.
  nb::object with_huge_pages(nb::object result) const {
    nb::dlpack::dltensor made;
    if (exchange_->dltensor_from_py_object_no_sync(result.ptr(), &made)) {
      nb::python_error const left_to_view_of;
      return result;
    }
    if (made.device.device_type != kCpu) return result;
    auto bytes = std::uint64_t(made.dtype.bits * made.dtype.lanes / 8);
    for (int i = 0; i < made.ndim; ++i) bytes *= std::uint64_t(made.shape[i]);
    ask_for_huge_pages(made.data, bytes);
    return result;
  }

  /// True if the tensor has a forward-mode tangent. unpack_dual is called only if a forward-mode level is active or unknown,
  /// because it takes as long as a whole call of permute.
  bool has_tangent(nb::handle array) const {
    PyObject* const level = PyDict_GetItem(forward_mode_.ptr(), interned<"_current_level">());
    if (level && PyLong_Check(level) && to_int64(level) < 0) return false;
    return !get<"tangent">(owned(PyObject_CallFunctionObjArgs(unpack_dual_.ptr(), array.ptr(), nullptr))).is_none();
  }

  /// True if a subclass decides itself what PyTorch's operators do, as a tensor around others does.
  bool has_dispatch(nb::handle array) const { return !get<"__torch_dispatch__">(array.type()).is(dispatch_); }

  /// Calls a function of cornerturn/_torch_wrappers.py, which raises TypeError for tensors that stand for others.
  static void refuse_by(char const* function, nb::handle array, std::string_view name) {
    nb::module_::import_("cornerturn._torch_wrappers").attr(function)(array, nb::str(name.data(), name.size()));
  }

  /// A read-only view of a copy with lazy conjugation and negation resolved.
  view resolved_view(nb::handle array, std::string_view name) const {
    auto const resolved = resolved_of(array, name);
    auto result = view_of(resolved, name);
    result.owner = resolved;
    result.is_resolved = result.read_only = true;
    return result;
  }

  /// The tensor with its elements conjugated and negated. Throws TypeError for a dtype that PyTorch does not negate.
  static nb::object resolved_of(nb::handle array, std::string_view name) {
    try {
      return call<"resolve_neg">(call<"resolve_conj">(array));
    } catch (nb::python_error& e) {
      if (!e.matches(PyExc_NotImplementedError)) throw;
      refuse_because(e, PyExc_TypeError, name, fmt::format("negated lazily, of {}", text_of(get<"dtype">(array))),
                     "of a dtype that PyTorch negates");
    }
  }

  mutable nb::handle is_grad_enabled_, unpack_dual_, forward_mode_, dispatch_;  // never released, like type_
  mutable dlpack_exchange_api const* exchange_ = nullptr;

  // of this thread: the address of the recording of torch.jit.trace, if there is one; and whether TorchDispatchModes are active
  mutable void* const* (*tracing_state_)() = nullptr;
  mutable bool (*has_modes_)(bool skips_pytorchs_own) = nullptr;
};

}  // namespace

framework const& torch() {
  static torch_tensors const instance;
  return instance;
}

}  // namespace cornerturn::python
