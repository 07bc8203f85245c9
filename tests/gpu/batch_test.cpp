#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "gpu/gpu_test.hpp"
#include "support/message.hpp"
#include "support/numbered.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

using enum element_type;

/// Images at random places in the memory of the GPU, as a list, and their planes by `permute` of each on the CPU.
struct gpu_batch : test::on_gpu<> {
  static constexpr std::int64_t kMemory = 1 << 20;

  std::vector<std::byte> pixels = test::numbered(kMemory);
  device_memory on_device, factors, planes;
  std::vector<float> const numbers{0.0171f, 0.0175f, 0.0174f, 3, -2.12f, -2.04f, -1.80f, 0.5f};
  stream_handle stream;

  void SetUp() override {
    on_gpu::SetUp();
    if (IsSkipped()) return;
    on_device = allocate_device(kMemory), planes = allocate_device(4 * kMemory), factors = allocate_device(8 * sizeof(float));
    stream = make_stream();
    check(cudaMemcpy(on_device.get(), pixels.data(), kMemory, cudaMemcpyHostToDevice), "cudaMemcpy");
    check(cudaMemcpy(factors.get(), numbers.data(), 8 * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
  }

  struct images {
    std::int64_t height, width, channels, pitch;
    element_type type;
    std::vector<std::int64_t> places;  ///< bytes from the begin of the memory to each image
    std::int64_t gap = 0;              ///< elements between the planes of two images

    std::int64_t stride() const { return height * width * channels + gap; }
    std::size_t bytes() const { return places.size() * std::size_t(stride() * size_of(type)); }
    permute_options options() const { return {.source_strides = {pitch, channels, 1}}; }
    void run(std::byte const* memory, void* to, float const* scale, permute_options const& options) const {
      std::vector<void const*> list;
      for (auto const place : places) list.push_back(memory + place);
      permute_batched(list, to, stride(), {height, width, channels}, {2, 0, 1},
                      element_operation{
                          .source = u8, .destination = type, .scale = scale, .bias = scale + 4, .factor_strides = {1, 0, 0}},
                      options);
      std::ranges::fill(list, nullptr);  // nobody reads it after the call
    }
  };

  static images random_images(std::mt19937& generator) {
    constexpr element_type kTypes[] = {f32, f16, bf16, i16};  // their scale and bias are floats
    images result{.height = std::int64_t(1 + generator() % 20),
                  .width = std::int64_t(1 + generator() % 20) * (generator() % 2 ? 16 : 1),
                  .channels = std::int64_t(1 + generator() % 4),
                  .pitch = 0,
                  .type = kTypes[generator() % 4],
                  .places = {}};
    result.pitch = result.channels * (result.width + 16 * std::int64_t(generator() % 2));
    auto const grain = std::int64_t(1) << generator() % 5;
    auto const count = std::max<std::int64_t>(1, std::min<std::int64_t>(generator() % 700, 3 * kMemory / 8 / result.stride()));
    auto const most = (kMemory - result.height * result.pitch) / grain;
    for (std::int64_t i = 0; i < count; ++i) result.places.push_back(std::int64_t(generator() % unsigned(most)) * grain);
    result.gap = generator() % 2 ? 0 : 8;
    return result;
  }

  /// The planes on the GPU, where gaps keep the byte 0xEE.
  std::vector<std::byte> result_of(images const& each) const {
    std::vector<std::byte> result(each.bytes());
    check(cudaMemcpyAsync(result.data(), planes.get(), result.size(), cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    return result;
  }
  void clear(images const& each) const {
    check(cudaMemsetAsync(planes.get(), 0xEE, each.bytes(), stream.get()), "cudaMemsetAsync");
  }
  std::vector<std::byte> wanted(images const& each) const {
    std::vector<std::byte> result(each.bytes(), std::byte{0xEE});
    each.run(pixels.data(), result.data(), numbers.data(), each.options());
    return result;
  }
  void enqueue(images const& each) const {
    auto options = each.options();
    options.stream = stream.get();
    each.run(static_cast<std::byte const*>(on_device.get()), planes.get(), static_cast<float const*>(factors.get()), options);
  }
};

TEST_F(gpu_batch, of_random_images_is_that_of_the_cpu) {
  auto const* const count = std::getenv("CORNERTURN_FUZZ_COUNT");
  test::for_each_seed(count ? unsigned(std::atoi(count)) : 300, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const each = random_images(generator);
    clear(each);
    enqueue(each);
    ASSERT_TRUE(result_of(each) == wanted(each)) << each.places.size() << " images of " << each.height << " x " << each.width
                                                 << " x " << each.channels << ", " << name_of(each.type);
  });
}

/// A captured launch has the list in its parameters.
TEST_F(gpu_batch, is_captured_in_a_graph_of_one_launch) {
  images each{.height = 32, .width = 32, .channels = 3, .pitch = 96, .type = f32, .places = {}};
  for (std::int64_t i = 0; i < 256; ++i) each.places.push_back((i * 151 % 256) * 3072);
  enqueue(each);  // plans before the capture
  cudaGraph_t captured = nullptr;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  enqueue(each);
  check(cudaStreamEndCapture(stream.get(), &captured), "cudaStreamEndCapture");
  graph_handle const graph(captured);
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(graph.get(), nullptr, &nodes), "cudaGraphGetNodes");
  EXPECT_EQ(nodes, 1u);
  cudaGraphExec_t made = nullptr;
  check(cudaGraphInstantiate(&made, graph.get(), 0), "cudaGraphInstantiate");
  graph_exec_handle const executable(made);
  for (int run = 0; run < 2; ++run) {
    clear(each);
    check(cudaGraphLaunch(executable.get(), stream.get()), "cudaGraphLaunch");
    EXPECT_TRUE(result_of(each) == wanted(each));
  }
}

TEST_F(gpu_batch, refuses_arrays_in_host_memory_and_on_a_gpu) {
  images const each{.height = 4, .width = 4, .channels = 3, .pitch = 12, .type = f32, .places = {0, 64}};
  void const* const list[] = {on_device.get(), pixels.data()};
  auto const said =
      test::message_of([&] { permute_batched(list, planes.get(), each.stride(), {4, 4, 3}, {2, 0, 1}, {u8, f32}); });
  EXPECT_NE(said.find("host memory"), std::string::npos) << said;
}

}  // namespace
}  // namespace cornerturn
