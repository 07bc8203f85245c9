// The functions that XLA calls for cornerturn.jax.permute, one for each platform, and a function that tells whether a GPU can be
// used.

#include <xla/ffi/api/ffi.h>

#include <cornerturn/export.h>
#include <cornerturn/error.hpp>
#include <cornerturn/info.hpp>
#include <cornerturn/permute.hpp>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

extern "C" {
CORNERTURN_API XLA_FFI_Error* cornerturn_jax_cpu(XLA_FFI_CallFrame* call_frame);
CORNERTURN_API XLA_FFI_Error* cornerturn_jax_cuda(XLA_FFI_CallFrame* call_frame);
CORNERTURN_API bool cornerturn_jax_has_gpu_engine();
CORNERTURN_API extern int const cornerturn_jax_api_version[2];
}

namespace cornerturn::jax {
namespace {

namespace ffi = xla::ffi;
using numbers = ffi::Span<std::int64_t const>;

std::string text_of(numbers list) {
  std::string result = "(";
  for (auto const number : list) result += (result.size() > 1 ? ", " : "") + std::to_string(number);
  return result + ")";
}

[[noreturn]] void refuse(std::string_view name, std::string const& value, std::string const& allowed) {
  throw error(error_kind::argument, std::string(name) + " is " + value + "; it must be " + allowed);
}

/// The bytes of an element. XLA reports one byte for types of fewer bits, although it may store several of them in a byte.
std::int64_t element_size(ffi::DataType type) {
  switch (type) {
    case ffi::DataType::S1:
    case ffi::DataType::S2:
    case ffi::DataType::S4:
    case ffi::DataType::U1:
    case ffi::DataType::U2:
    case ffi::DataType::U4:
    case ffi::DataType::F4E2M1FN:
      refuse("x.dtype", "type " + std::to_string(int(type)) + " of XLA", "a type whose elements have whole bytes");
    default:
      break;
  }
  auto const size = std::int64_t(ffi::ByteWidth(type));
  if (size == 0) refuse("x.dtype", "type " + std::to_string(int(type)) + " of XLA", "a type that has elements");
  return size;
}

/// The library checks axes; it does not know the shape of XLA's result.
void refuse_result(ffi::AnyBuffer x, ffi::AnyBuffer result, numbers axes) {
  auto const from = x.dimensions(), to = result.dimensions();
  if (result.element_type() != x.element_type())
    refuse("result.dtype", "type " + std::to_string(int(result.element_type())) + " of XLA",
           "that of x, " + std::to_string(int(x.element_type())));
  bool matches = to.size() == from.size();
  for (std::size_t i = 0; matches && i < std::min(to.size(), axes.size()); ++i) {
    auto const axis = axes[i];
    matches = axis < 0 || axis >= std::int64_t(from.size()) || to[i] == from[std::size_t(axis)];
  }
  if (!matches) refuse("result.shape", text_of(to), "x.shape, " + text_of(from) + ", permuted by axes, " + text_of(axes));
}

ffi::ErrorCode code_of(error_kind kind) {
  switch (kind) {
    case error_kind::argument:
      return ffi::ErrorCode::kInvalidArgument;
    case error_kind::memory:
      return ffi::ErrorCode::kResourceExhausted;
    case error_kind::device:
    case error_kind::file:
      break;
  }
  return ffi::ErrorCode::kInternal;
}

ffi::Error permuted(ffi::AnyBuffer x, ffi::AnyBuffer result, numbers axes, permute_options const& options) noexcept {
  try {
    auto const size = element_size(x.element_type());
    refuse_result(x, result, axes);
    auto const shape = x.dimensions();
    permute(x.untyped_data(), result.untyped_data(), {shape.begin(), shape.size()}, {axes.begin(), axes.size()}, size, options);
    return {};
  } catch (error const& e) {
    return {code_of(e.kind()), e.what()};
  } catch (std::bad_alloc const&) {
    return {ffi::ErrorCode::kResourceExhausted, "no memory on the host"};
  } catch (std::exception const& e) {
    return {ffi::ErrorCode::kInternal, e.what()};
  }
}

ffi::Error on_cpu(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> result, numbers axes) {
  return permuted(x, *result, axes, {.processor = processor_kind::cpu});
}

/// Permutes on the GPU that owns the buffers, because XLA's number of a device need not be CUDA's.
ffi::Error on_gpu(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> result, numbers axes, void* stream) {
  return permuted(x, *result, axes, {.stream = stream});
}

auto bind_buffers() { return ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Attr<numbers>("axes"); }

}  // namespace
}  // namespace cornerturn::jax

XLA_FFI_DEFINE_HANDLER_SYMBOL(cornerturn_jax_cpu, cornerturn::jax::on_cpu, cornerturn::jax::bind_buffers());

// The call only enqueues kernels, the same ones each time, so XLA may record it in a command buffer.
XLA_FFI_DEFINE_HANDLER_SYMBOL(cornerturn_jax_cuda, cornerturn::jax::on_gpu,
                              cornerturn::jax::bind_buffers().Ctx<xla::ffi::PlatformStream<void*>>(),
                              {xla::ffi::Traits::kCmdBufferCompatible});

int const cornerturn_jax_api_version[2] = {XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR};

bool cornerturn_jax_has_gpu_engine() { return cornerturn::info().gpu_built; }
