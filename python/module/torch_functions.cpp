#include "torch_functions.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace cornerturn::python {
namespace {

constexpr char const* kLibrary = "libtorch_cpu.so";
constexpr char const* kCudaLibrary = "libtorch_cuda.so";

}  // namespace

void* symbol_in_torch(char const* library, char const* name) {
  void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return loaded ? dlsym(loaded, name) : nullptr;
}

std::string find_torch_functions(torch_functions& into, torch_features has) {
  if (!dlopen(kLibrary, RTLD_LAZY | RTLD_NOLOAD)) return fmt::format("{} is not loaded", kLibrary);
  std::string missing;
  auto const need_in = [&missing](char const* library, char const* name, auto*& function) {
    if (!find_in_torch(library, name, function) && missing.empty()) missing = fmt::format("{} has no {}", library, name);
  };
  auto const need = [&need_in](char const* name, auto*& function) { need_in(kLibrary, name, function); };
#define CORNERTURN_TORCH_FUNCTION(name, symbol, ...) need(symbol, into.name);
#include "torch_functions.def"
  into.has_names = nullptr;
  into.cuda_stream = nullptr;
  if (has.named_tensors) need("_ZN2at4impl9has_namesEPKN3c1010TensorImplE", into.has_names);
  if (has.cuda) need_in(kCudaLibrary, "aoti_torch_get_current_cuda_stream", into.cuda_stream);
  return missing;
}

std::int32_t torch_dtype_number(std::string const& name) {
  std::int32_t (*number)() = nullptr;
  return find_in_torch(kLibrary, fmt::format("aoti_torch_dtype_{}", name).c_str(), number) ? number() : -1;
}

}  // namespace cornerturn::python
