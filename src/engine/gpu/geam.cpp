#include "engine/gpu/geam.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <limits>

#include "cornerturn/error.hpp"

namespace cornerturn::gpu {
namespace {

constexpr char const* kLibraries[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
constexpr int kNoTranspose = 0, kTranspose = 1;  // cublasOperation_t

char const* function_for(std::string const& type) {
  if (type == "f32") return "cublasSgeam";
  if (type == "f64") return "cublasDgeam";
  if (type == "c64") return "cublasCgeam";
  if (type == "c128") return "cublasZgeam";
  return nullptr;
}

}  // namespace

struct geam::library {
  using status = int;
  using geam_function = status (*)(void*, int, int, int, int, void const*, void const*, int, void const*, void const*, int, void*,
                                   int);

  void* handle = nullptr;  // the cuBLAS context
  status (*create)(void**) = nullptr;
  status (*destroy)(void*) = nullptr;
  status (*set_stream)(void*, cudaStream_t) = nullptr;
  geam_function call = nullptr;

  ~library() {
    if (handle) destroy(handle);
  }
};

geam::geam(std::string const& type, std::int64_t rows, std::int64_t cols) : type_(type) { why_not_ = load(rows, cols); }

/// Loads cuBLAS. Returns why geam cannot transpose the matrix; empty if it can.
std::string geam::load(std::int64_t rows, std::int64_t cols) {
  auto const* const function = function_for(type_);
  if (!function) return fmt::format("geam has no {}", type_);
  if (rows > std::numeric_limits<int>::max() || cols > std::numeric_limits<int>::max()) return "geam counts in 32 bits";
  rows_ = int(rows), cols_ = int(cols);

  void* opened = nullptr;
  for (auto const* name : kLibraries)
    if ((opened = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
  if (!opened) return "no libcublas found";
  library_ = std::make_unique<library>();
  auto const find = [&]<class F>(F& into, char const* name) {
    return (into = reinterpret_cast<F>(dlsym(opened, name))) != nullptr;
  };
  if (!find(library_->create, "cublasCreate_v2") || !find(library_->destroy, "cublasDestroy_v2") ||
      !find(library_->set_stream, "cublasSetStream_v2") || !find(library_->call, function))
    return fmt::format("libcublas lacks {}", function);
  if (int const status = library_->create(&library_->handle)) return fmt::format("cublasCreate failed with status {}", status);
  return {};
}

geam::~geam() = default;

void geam::run(void const* source, void* destination, cudaStream_t stream) const {
  // Zero and one as any of its types: the second half is the imaginary part.
  double const one_double[2] = {1, 0}, zero[2] = {0, 0};
  float const one_float[2] = {1, 0};
  bool const single = type_ == "f32" || type_ == "c64";
  void const* const one = single ? static_cast<void const*>(one_float) : one_double;
  int status = library_->set_stream(library_->handle, stream);
  // Column-major: the source is (cols, rows) with leading dimension cols, the result (rows, cols) with leading dimension rows.
  if (!status)
    status = library_->call(library_->handle, kTranspose, kNoTranspose, rows_, cols_, one, source, cols_, zero, destination,
                            rows_, destination, rows_);
  if (status) throw error(error_kind::device, fmt::format("cuBLAS geam failed with status {}", status));
}

}  // namespace cornerturn::gpu
