// Times dependent launches of one or several builds of the library. Prints JSON:
//   launches LIBRARY...
// All builds have the functions of this cornerturn.h. Two arrays are permuted into each other in graphs of many launches; the
// ceiling copies the same bytes. All builds are timed in one process, interleaved. Figures are microseconds per launch, the
// median over the rounds.

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cornerturn/cornerturn.h"
#include "cuda/handles.hpp"
#include "measure/statistics.hpp"
#include "measure/timer.hpp"

namespace {

using namespace cornerturn;

constexpr int kRounds = 51;

struct problem {
  std::string name;
  std::vector<std::int64_t> shape, axes;
  std::int64_t element_size;

  std::size_t bytes() const {
    auto result = std::size_t(element_size);
    for (auto const extent : shape) result *= std::size_t(extent);
    return result;
  }
};

problem const kProblems[] = {
    {"256x256 f32", {256, 256}, {1, 0}, 4},     {"512x512 f32", {512, 512}, {1, 0}, 4},
    {"1024x1024 f32", {1024, 1024}, {1, 0}, 4}, {"2048x2048 f32", {2048, 2048}, {1, 0}, 4},
    {"1024x1024 f16", {1024, 1024}, {1, 0}, 2}, {"32x3136x64 f16 by 0,2,1", {32, 3136, 64}, {0, 2, 1}, 2},
    {"501x503 f32", {501, 503}, {1, 0}, 4},     {"8x30x32x66 f32 by 3,1,2,0", {8, 30, 32, 66}, {3, 1, 2, 0}, 4},
    {"65536x3 f32", {65'536, 3}, {1, 0}, 4},    {"262144x3 u8", {262'144, 3}, {1, 0}, 1}};

/// A build of the library, loaded independently of the others.
class library {
 public:
  explicit library(char const* path) : path_(path), handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    find(create_, "cornerturn_plan_create");
    find(run_, "cornerturn_plan_run");
    find(destroy_, "cornerturn_plan_destroy");
    find(last_error_, "cornerturn_last_error");
    find(version_, "cornerturn_version");
  }

  std::string const& path() const { return path_; }
  char const* version() const { return version_(); }

  std::shared_ptr<cornerturn_plan> planned(problem const& p) const {
    auto const rank = p.shape.size();
    std::vector<std::int64_t> from(rank, 1), to(rank, 1);
    for (auto k = rank - 1; k > 0; --k) from[k - 1] = from[k] * p.shape[k];
    std::int64_t stride = 1;
    for (auto k = rank; k-- > 0;) {
      auto const axis = std::size_t(p.axes[k]);
      to[axis] = stride;
      stride *= p.shape[axis];
    }
    cornerturn_options options = CORNERTURN_OPTIONS_INIT;
    options.processor = CORNERTURN_GPU;
    cornerturn_plan* plan;
    expect(
        create_(&plan, std::int32_t(rank), p.shape.data(), from.data(), to.data(), cornerturn_bytes(p.element_size), &options));
    return {plan, destroy_};
  }
  void run(cornerturn_plan const* plan, void const* from, void* to, cudaStream_t stream) const {
    expect(run_(plan, from, to, stream));
  }

 private:
  template <class Function>
  void find(Function*& function, char const* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(dlerror());
  }
  void expect(cornerturn_status status) const {
    if (status != CORNERTURN_OK) throw std::runtime_error(last_error_());
  }

  std::string path_;
  void* handle_;
  decltype(cornerturn_plan_create)* create_;
  decltype(cornerturn_plan_run)* run_;
  decltype(cornerturn_plan_destroy)* destroy_;
  decltype(cornerturn_last_error)* last_error_;
  decltype(cornerturn_version)* version_;
};

/// The times of one launch in microseconds: of the copy, then of each library.
std::vector<double> microseconds(problem const& p, std::vector<library> const& libraries) {
  auto const one = allocate_device(p.bytes()), other = allocate_device(p.bytes());
  check(cudaMemset(one.get(), 1, p.bytes()), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  auto const there_and_back = [&](auto const& launch) {
    return [&, launch](cudaStream_t stream) {
      launch(one.get(), other.get(), stream);
      launch(other.get(), one.get(), stream);
    };
  };
  std::vector<enqueue> rows{there_and_back([&](void const* from, void* to, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, p.bytes(), cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  })};
  for (auto const& each : libraries)
    rows.push_back(there_and_back([&each, plan = each.planned(p)](void const* from, void* to, cudaStream_t stream) {
      each.run(plan.get(), from, to, stream);
    }));
  std::vector<double> result;
  for (auto const& ms : time_interleaved(rows, kRounds).ms) result.push_back(1000 * quantile(ms, 0.5) / 2);
  return result;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) throw std::runtime_error("usage: launches LIBRARY...");
  setenv("CORNERTURN_CACHE_DIR", "/nowhere", 1);  // no measured choices
  std::vector<library> const libraries(argv + 1, argv + argc);
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  fmt::print("{{\"device\": \"{}\", \"rounds\": {}, \"versions\": {{", properties.name, kRounds);
  for (auto const& each : libraries)
    fmt::print("{}\"{}\": \"{}\"", &each == libraries.data() ? "" : ", ", each.path(), each.version());
  fmt::print("}}, \"microseconds\": {{");
  for (auto const& each : kProblems) {
    auto const times = microseconds(each, libraries);
    fmt::print("{}\n  \"{}\": {{\"memcpy\": {:.3f}", &each == kProblems ? "" : ",", each.name, times.front());
    for (std::size_t i = 0; i < libraries.size(); ++i) fmt::print(", \"{}\": {:.3f}", libraries[i].path(), times[i + 1]);
    fmt::print("}}");
  }
  fmt::print("\n}}}}\n");
  return 0;
} catch (std::exception const& failure) {
  fmt::print(stderr, "launches: {}\n", failure.what());
  return 1;
}
