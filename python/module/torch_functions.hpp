#pragma once

#include <cstdint>
#include <string>

namespace cornerturn::python {

/// The functions of the loaded PyTorch that an override of aten::copy_ calls, found at run time. A `tensor` is the address of an
/// at::Tensor, which PyTorch's C interface calls AtenTensorHandle. An at::Tensor holds one pointer, the address of a TensorImpl.
/// The functions of the C interface return 0, or else another number after they have logged an error.
struct torch_functions {
  using tensor = void*;
  using library = void*;
  using kernel = void (*)(std::uint64_t* stack, std::uint64_t arguments, std::uint64_t results);

  // PyTorch's stable C interface
  int (*library_init_impl)(char const* space, char const* key, char const* file, std::uint32_t line, library* made);
  int (*library_impl)(library, char const* name, kernel);
  int (*delete_library)(library);
  int (*delete_tensor)(tensor);
  int (*is_defined)(tensor, bool*);
  int (*numel)(tensor, std::int64_t*);
  int (*dim)(tensor, std::int64_t*);
  int (*sizes)(tensor, std::int64_t**);
  int (*strides)(tensor, std::int64_t**);
  int (*dtype)(tensor, std::int32_t*);
  int (*layout)(tensor, std::int32_t*);
  int (*device_type)(tensor, std::int32_t*);
  int (*device_index)(tensor, std::int32_t*);
  int (*const_data)(tensor, void const**);
  int (*mutable_data)(tensor, void**);
  int (*num_threads)(std::uint32_t*);
  int (*cuda_stream)(std::int32_t device, void** stream);  ///< the current stream; null if CUDA is not asked for
  std::int32_t (*layout_strided)();
  std::int32_t (*device_type_cpu)();
  std::int32_t (*device_type_cuda)();

  // functions of the C++ library, by their mangled names
  tensor (*copy)(tensor self, tensor source, bool non_blocking);  ///< at::native::copy_, which the override replaces
  bool (*is_conj)(tensor);
  bool (*is_neg)(tensor);
  bool (*is_zero)(tensor);                  ///< true for a zero tensor, which has no storage
  bool (*has_names)(void const* contents);  ///< takes a TensorImpl; null if this PyTorch has no named tensors
  bool (*in_parallel_region)();
};

/// What a PyTorch has, and an override therefore needs.
struct torch_features {
  bool cuda, named_tensors;
};

/// Finds the functions in the loaded libraries libtorch_cpu.so and libtorch_cuda.so. Returns an empty text, or else the reason
/// why it cannot.
std::string find_torch_functions(torch_functions& into, torch_features has);

/// The number that PyTorch gives to a dtype, e.g. "float32"; -1 if it is unknown.
std::int32_t torch_dtype_number(std::string const& name);

}  // namespace cornerturn::python
