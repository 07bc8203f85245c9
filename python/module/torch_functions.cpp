#include "torch_functions.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace cornerturn::python {
namespace {

constexpr char const* kLibrary = "libtorch_cpu.so";
constexpr char const* kCudaLibrary = "libtorch_cuda.so";

/// Finds a function in a library that PyTorch has loaded; it never unloads one.
template <class Function>
bool find(char const* library, char const* name, Function*& into) {
  void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  into = loaded ? reinterpret_cast<Function*>(dlsym(loaded, name)) : nullptr;
  return into != nullptr;
}

}  // namespace

std::string find_torch_functions(torch_functions& into, torch_features has) {
  if (!dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD)) return fmt::format("{} is not loaded", kLibrary);
  std::string missing;
  auto const need_in = [&missing](char const* library, char const* name, auto*& function) {
    if (!find(library, name, function) && missing.empty()) missing = fmt::format("{} has no {}", library, name);
  };
  auto const need = [&need_in](char const* name, auto*& function) { need_in(kLibrary, name, function); };
  need("aoti_torch_library_init_impl", into.library_init_impl);
  need("aoti_torch_library_impl", into.library_impl);
  need("aoti_torch_delete_library_object", into.delete_library);
  need("aoti_torch_delete_tensor_object", into.delete_tensor);
  need("aoti_torch_is_defined", into.is_defined);
  need("aoti_torch_get_numel", into.numel);
  need("aoti_torch_get_dim", into.dim);
  need("aoti_torch_get_sizes", into.sizes);
  need("aoti_torch_get_strides", into.strides);
  need("aoti_torch_get_dtype", into.dtype);
  need("aoti_torch_get_layout", into.layout);
  need("aoti_torch_get_device_type", into.device_type);
  need("aoti_torch_get_device_index", into.device_index);
  need("torch_get_const_data_ptr", into.const_data);
  need("torch_get_mutable_data_ptr", into.mutable_data);
  need("torch_get_num_threads", into.num_threads);
  need("aoti_torch_layout_strided", into.layout_strided);
  need("aoti_torch_device_type_cpu", into.device_type_cpu);
  need("aoti_torch_device_type_cuda", into.device_type_cuda);
  need("_ZN2at6native5copy_ERNS_6TensorERKS1_b", into.copy);
  need("_ZN2at6native7is_conjERKNS_6TensorE", into.is_conj);
  need("_ZN2at6native6is_negERKNS_6TensorE", into.is_neg);
  need("_ZN2at6native14_is_zerotensorERKNS_6TensorE", into.is_zero);
  need("_ZN2at18in_parallel_regionEv", into.in_parallel_region);
  into.has_names = nullptr;
  into.cuda_stream = nullptr;
  if (has.named_tensors) need("_ZN2at4impl9has_namesEPKN3c1010TensorImplE", into.has_names);
  if (has.cuda) need_in(kCudaLibrary, "aoti_torch_get_current_cuda_stream", into.cuda_stream);
  return missing;
}

std::int32_t torch_dtype_number(std::string const& name) {
  std::int32_t (*number)() = nullptr;
  return find(kLibrary, fmt::format("aoti_torch_dtype_{}", name).c_str(), number) ? number() : -1;
}

}  // namespace cornerturn::python
