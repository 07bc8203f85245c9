#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace cornerturn::python {

/// The functions of the loaded PyTorch that an override of aten::copy_ calls, found at run time. A `tensor` is the address of an
/// at::Tensor, which PyTorch's C interface calls AtenTensorHandle. An at::Tensor holds one pointer, the address of a TensorImpl.
/// The functions of the C interface return 0, or else another number after they have logged an error.
struct torch_functions {
  using tensor = void*;
  using library = void*;
  using kernel = void (*)(std::uint64_t* stack, std::uint64_t arguments, std::uint64_t results);

#define CORNERTURN_TORCH_FUNCTION(name, symbol, ...) std::add_pointer_t<__VA_ARGS__> name;
#include "torch_functions.def"
  int (*cuda_stream)(std::int32_t device, void** stream);  ///< the current stream; null if CUDA is not asked for
  bool (*has_names)(void const* contents);                 ///< takes a TensorImpl; null if this PyTorch has no named tensors
};

/// What a PyTorch has, and an override therefore needs.
struct torch_features {
  bool cuda, named_tensors;
};

/// Finds the functions in the loaded libraries libtorch_cpu.so and libtorch_cuda.so. Returns an empty text, or else the reason
/// why it cannot.
std::string find_torch_functions(torch_functions& into, torch_features has);

/// The address of a symbol of a library that PyTorch has loaded, and never unloads; null if it has none.
void* symbol_in_torch(char const* library, char const* name);

/// Finds a function by `symbol_in_torch`. Returns false, and sets it to null, if there is none.
template <class Function>
bool find_in_torch(char const* library, char const* name, Function*& into) {
  into = reinterpret_cast<Function*>(symbol_in_torch(library, name));
  return into != nullptr;
}

/// The number that PyTorch gives to a dtype, e.g. "float32"; -1 if it is unknown.
std::int32_t torch_dtype_number(std::string const& name);

}  // namespace cornerturn::python
