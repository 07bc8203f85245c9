#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include "cornerturn/cornerturn.h"
#include "cornerturn/cornerturn.hpp"
#include "cuda/driver.hpp"
#include "engine/gpu/devices.hpp"
#include "gpu/gpu_test.hpp"
#include "measure/stream_timer.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

using gpu_place = test::on_gpu<testing::Test>;
using test::message_of;

constexpr std::int64_t kRows = 512, kCols = 640;
constexpr std::size_t kCount = kRows * kCols, kBytes = kCount * sizeof(std::uint32_t);  // a few MB in all sides of a test
using values = std::vector<std::uint32_t>;

values counted() {
  values result(kCount);
  std::iota(result.begin(), result.end(), 1u);
  return result;
}

values transposed(values const& source) {
  values result(kCount);
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t c = 0; c < kCols; ++c) result[c * kRows + r] = source[r * kCols + c];
  return result;
}

void transpose_matrix(void const* source, void* destination, permute_options const& options = {}) {
  permute(source, destination, {kRows, kCols}, {1, 0}, sizeof(std::uint32_t), options);
}

/// Memory that host and GPU share, of 1.3 MB.
struct managed_values {
  device_memory memory;
  explicit managed_values(values const& from = values(kCount)) {
    void* allocated;
    check(cudaMallocManaged(&allocated, kBytes), "cudaMallocManaged");
    memory = device_memory(allocated);
    check(cudaMemcpy(allocated, from.data(), kBytes, cudaMemcpyDefault), "cudaMemcpy");
  }
  void* get() const { return memory.get(); }
  values read() const {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    auto const* const first = static_cast<std::uint32_t const*>(get());
    return {first, first + kCount};
  }
};

device_memory on_device_with(values const& from) {
  auto memory = allocate_device(kBytes);
  check(cudaMemcpy(memory.get(), from.data(), kBytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  return memory;
}

values read(void const* memory) {
  values result(kCount);
  check(cudaMemcpy(result.data(), memory, kBytes, cudaMemcpyDefault), "cudaMemcpy");
  return result;
}

void capture(cudaStream_t stream, std::function<void()> const& work) {
  auto const graph = capture_graph(stream, 1, work, cudaStreamCaptureModeGlobal);
  check(cudaGraphLaunch(graph.get(), stream), "cudaGraphLaunch");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

TEST_F(gpu_place, memory_allocated_while_a_stream_is_captured_is_the_gpu_s) {
  auto const source = counted();
  auto const from = on_device_with(source), once = allocate_device(kBytes), other = allocate_device(kBytes),
             planned = allocate_device(kBytes), by_c = allocate_device(kBytes), back = allocate_device(kBytes);
  auto const plan = plan_permute({kRows, kCols}, {1, 0}, sizeof(std::uint32_t));
  auto const stream = make_stream();
  transpose_matrix(from.get(), once.get());  // so that the kernels are loaded
  permute(once.get(), back.get(), {kCols, kRows}, {1, 0}, sizeof(std::uint32_t));
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  for (auto const* each : {&once, &back}) check(cudaMemset(each->get(), 0, kBytes), "cudaMemset");
  std::int64_t const shape[] = {kRows, kCols}, axes[] = {1, 0};
  cornerturn_copy_options on_device = CORNERTURN_COPY_OPTIONS_INIT;
  on_device.device = 0;
  std::string refused, refused_pinned;
  auto const pinned = allocate_pinned(2 * kBytes);
  capture(stream.get(), [&] {
    void *first, *second;
    check(cudaMallocAsync(&first, kBytes, stream.get()), "cudaMallocAsync");
    check(cudaMallocAsync(&second, kBytes, stream.get()), "cudaMallocAsync");
    transpose_matrix(from.get(), first, {.stream = stream.get()});
    check(cudaMemcpyAsync(once.get(), first, kBytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
    permute(first, second, {kCols, kRows}, {1, 0}, sizeof(std::uint32_t), {.stream = stream.get(), .device = 0});
    check(cudaMemcpyAsync(back.get(), second, kBytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
    transpose_matrix(second, other.get(), {.stream = stream.get()});
    plan.run(second, first, stream.get());
    check(cudaMemcpyAsync(planned.get(), first, kBytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
    EXPECT_EQ(
        cornerturn_permute(second, first, 2, shape, axes, cornerturn_bytes(sizeof(std::uint32_t)), stream.get(), &on_device),
        CORNERTURN_OK)
        << cornerturn_last_error();
    check(cudaMemcpyAsync(by_c.get(), first, kBytes, cudaMemcpyDefault, stream.get()), "cudaMemcpyAsync");
    refused = message_of([&] { transpose_matrix(first, second, {.stream = stream.get()}); });
    refused_pinned =
        message_of([&] { transpose_matrix(pinned.get(), static_cast<char*>(pinned.get()) + kBytes, {.stream = stream.get()}); });
    check(cudaFreeAsync(first, stream.get()), "cudaFreeAsync");
    check(cudaFreeAsync(second, stream.get()), "cudaFreeAsync");
  });
  EXPECT_TRUE(read(once.get()) == transposed(source));
  EXPECT_TRUE(read(back.get()) == source);
  EXPECT_TRUE(read(other.get()) == transposed(source));
  EXPECT_TRUE(read(planned.get()) == transposed(source));
  EXPECT_TRUE(read(by_c.get()) == transposed(source));
  constexpr auto kMust =
      " memory on a stream that is being captured; it must be a GPU's, with its number given as device, unless "
      "processor is cpu";
  EXPECT_EQ(refused, std::string("source is unregistered") + kMust);
  EXPECT_EQ(refused_pinned, std::string("source is host") + kMust);
}

/// The default stream does not report the capture of a non-blocking stream.
TEST_F(gpu_place, memory_allocated_while_another_stream_is_captured_is_not_the_cpu_s) {
  std::string one_shot, by_gpu, by_cpu, planned;
  values host(kCount);
  auto const plan = plan_permute({kRows, kCols}, {1, 0}, sizeof(std::uint32_t), {.processor = processor_kind::cpu});
  auto const stream = make_stream();
  capture(stream.get(), [&] {
    void* allocated;
    check(cudaMallocAsync(&allocated, kBytes, stream.get()), "cudaMallocAsync");
    one_shot = message_of([&] { transpose_matrix(allocated, host.data()); });
    by_gpu = message_of([&] { transpose_matrix(allocated, host.data(), {.processor = processor_kind::gpu}); });
    by_cpu = message_of([&] { transpose_matrix(host.data(), allocated, {.processor = processor_kind::cpu}); });
    planned = message_of([&] { plan.run(host.data(), allocated); });
    check(cudaFreeAsync(allocated, stream.get()), "cudaFreeAsync");
  });
  constexpr auto kSaid = " is unregistered memory that the CPU cannot read";
  EXPECT_TRUE(one_shot.starts_with(std::string("source") + kSaid)) << one_shot;
  EXPECT_TRUE(by_gpu.starts_with(std::string("source") + kSaid)) << by_gpu;
  EXPECT_TRUE(by_cpu.starts_with(std::string("destination") + kSaid)) << by_cpu;
  EXPECT_TRUE(planned.starts_with(std::string("destination") + kSaid)) << planned;
}

TEST_F(gpu_place, managed_memory_is_used_where_it_is_legal) {
  auto const source = counted(), expected = transposed(source);
  auto const same = [&](values const& result) { return result == expected; };
  managed_values const from(source);
  for (auto const asked : {processor_kind::automatic, processor_kind::cpu, processor_kind::gpu}) {
    managed_values const to;
    transpose_matrix(from.get(), to.get(), {.processor = asked});
    EXPECT_TRUE(same(to.read())) << "both managed, processor " << int(asked);
    values host(kCount);
    transpose_matrix(from.get(), host.data(), {.processor = asked});
    EXPECT_TRUE(same(host)) << "to the host, processor " << int(asked);
    managed_values const from_host;
    transpose_matrix(source.data(), from_host.get(), {.processor = asked});
    EXPECT_TRUE(same(from_host.read())) << "from the host, processor " << int(asked);
  }
  auto const on_gpu = allocate_device(kBytes), given = on_device_with(source);
  transpose_matrix(from.get(), on_gpu.get());
  EXPECT_TRUE(same(read(on_gpu.get()))) << "to a GPU";
  managed_values const to;
  transpose_matrix(given.get(), to.get());
  EXPECT_TRUE(same(to.read())) << "from a GPU";
  for (auto const asked : {processor_kind::cpu, processor_kind::gpu}) {
    managed_values const by_plan;
    plan_permute({kRows, kCols}, {1, 0}, sizeof(std::uint32_t), {.processor = asked}).run(from.get(), by_plan.get());
    EXPECT_TRUE(same(by_plan.read())) << "by a plan, processor " << int(asked);
  }
}

/// A copy of the host's memory that is late on its stream, as the stream waits for a host function first.
TEST_F(gpu_place, host_memory_that_a_gpu_fills_is_read_in_the_order_of_the_stream) {
  auto const source = counted();
  auto const from = on_device_with(source);
  auto const memory = allocate_pinned(2 * kBytes);
  std::memset(memory.get(), 0, 2 * kBytes);
  auto* const pinned = static_cast<char*>(memory.get());
  auto const stream = make_stream();
  check(cudaLaunchHostFunc(
            stream.get(), [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }, nullptr),
        "cudaLaunchHostFunc");
  check(cudaMemcpyAsync(pinned, from.get(), kBytes, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
  transpose_matrix(pinned, pinned + kBytes, {.stream = stream.get()});
  EXPECT_TRUE(read(pinned + kBytes) == transposed(source));
}

CUcontext current_context() {
  static auto const get = driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
  CUcontext context;
  EXPECT_EQ(get(&context), CUDA_SUCCESS);
  return context;
}

bool is_in_use(CUdevice device) {
  unsigned flags;
  int active;
  auto const state = driver_function<decltype(&cuDevicePrimaryCtxGetState)>("cuDevicePrimaryCtxGetState");
  EXPECT_EQ(state(device, &flags, &active), CUDA_SUCCESS);
  return active;
}

/// What happens to a thread that uses another device than its current one, without a second device.
TEST_F(gpu_place, a_thread_without_a_context_has_none_afterwards) {
  auto const source = counted();
  auto const from = on_device_with(source), to = allocate_device(kBytes);
  transpose_matrix(from.get(), to.get());
  check(cudaMemset(to.get(), 0, kBytes), "cudaMemset");
  auto const stream = make_stream();
  EXPECT_NE(current_context(), nullptr);
  std::thread([&] {
    EXPECT_EQ(current_context(), nullptr);
    {
      gpu::device_context const current(0);
      EXPECT_NE(current_context(), nullptr);
      transpose_matrix(from.get(), to.get(), {.stream = stream.get()});
      check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    }
    EXPECT_EQ(current_context(), nullptr);
    EXPECT_EQ(gpu::current_device(), 0);
  }).join();
  EXPECT_TRUE(read(to.get()) == transposed(source));

  check(cudaMemset(to.get(), 0, kBytes), "cudaMemset");
  capture(stream.get(), [&] {
    gpu::device_context const current(0);
    transpose_matrix(from.get(), to.get(), {.stream = stream.get()});
  });
  EXPECT_TRUE(read(to.get()) == transposed(source));
}

/// Uses device 1 while device 0 is the thread's current one, in a process that has not used device 0.
[[noreturn]] void use_the_other_device() {
  check(cudaSetDevice(1), "cudaSetDevice");
  auto const source = counted();
  auto const from = on_device_with(source), to = allocate_device(kBytes);
  bool right = !is_in_use(0);
  std::thread([&] {
    right &= gpu::current_device() == 0;
    transpose_matrix(from.get(), to.get());
    right &= gpu::current_device() == 0;
  }).join();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  right &= !is_in_use(0) && read(to.get()) == transposed(source);
  std::_Exit(right ? 0 : 1);
}

TEST_F(gpu_place, a_gpu_that_nobody_uses_stays_so) {
  int count;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count < 2) GTEST_SKIP() << "there are no two GPUs";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(use_the_other_device(), testing::ExitedWithCode(0), "");
}

TEST_F(gpu_place, scale_and_bias_lie_where_the_processor_reads_them) {
  std::vector<float> const factors{1, 2}, source(4);
  std::vector<float> result(4);
  auto const memory = allocate_device(64);
  auto* const first = static_cast<float*>(memory.get());
  element_operation operation{.scale = factors.data(), .factor_strides = {1, 0}};
  EXPECT_EQ(message_of([&] {
              permute(first, first + 4, {2, 2}, {1, 0}, operation);
            }),
            "operation.scale is pageable host memory; it must be memory that the GPU can read");
  operation.scale = nullptr, operation.bias = first;
  EXPECT_EQ(message_of([&] {
              permute(source.data(), result.data(), {2, 2}, {1, 0}, operation);
            }),
            "operation.bias is memory of a GPU; it must be host memory, because the CPU runs the call");
}

}  // namespace
}  // namespace cornerturn
