#include <dlfcn.h>

#include <cstddef>
#include <vector>

#include "cornerturn/distributed_nccl.hpp"
#include "cuda/handles.hpp"
#include "engine/gpu/devices.hpp"
#include "gpu/gpu_test.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"
#include "support/thread_communicator.hpp"

namespace cornerturn::distributed {
namespace {

/// A communicator for each GPU of this machine, if there is an NCCL.
struct gpu_nccl : test::on_gpu<> {
  void SetUp() override {
    on_gpu::SetUp();
    if (IsSkipped()) return;
    if (void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_GLOBAL)) {
      auto* const make = reinterpret_cast<int (*)(void**, int, int const*)>(dlsym(library, "ncclCommInitAll"));
      destroy = reinterpret_cast<int (*)(void*)>(dlsym(library, "ncclCommDestroy"));
      int devices = 0;
      check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
      nccl.resize(std::size_t(devices));
      ASSERT_EQ(make(nccl.data(), devices, nullptr), 0);
    } else {
      GTEST_SKIP() << "no libnccl.so.2";
    }
  }
  void TearDown() override {
    for (void* const each : nccl) destroy(each);
  }

  /// Moves an array between threads with a GPU each.
  void expect_moved(description const& given) {
    test::thread_job job(int(nccl.size()));
    auto const thrown = job.run([&](communicator& host) {
      gpu::on_device const current(host.rank());
      auto const stream = make_stream();
      nccl_communicator self(nccl[std::size_t(host.rank())], host, stream.get());
      auto const source = test::source_of(given).block_of(host.rank(), given.element.bytes(), given.shape);
      auto const wanted = test::destination_of(given).block_of(host.rank(), given.element.bytes(), given.shape);
      auto const from = allocate_device(source.size() + 1), to = allocate_device(wanted.size() + 1);
      check(cudaMemcpy(from.get(), source.data(), source.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
      permute(from.get(), to.get(), given, self);
      check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
      std::vector<std::byte> found(wanted.size());
      check(cudaMemcpy(found.data(), to.get(), found.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
      if (found != wanted) throw std::logic_error("a wrong block");
    });
    EXPECT_EQ(thrown, std::vector<std::string>(nccl.size()));
  }

  std::vector<void*> nccl;
  int (*destroy)(void*) = nullptr;
};

TEST_F(gpu_nccl, moves_random_arrays_between_threads_with_a_gpu_each) {
  int moved = 0;
  for (unsigned seed = 0; seed < 2000 && moved < 40 && !HasFailure(); ++seed) {
    auto const given = test::random_description(seed);
    if (test::ranks_of(given) != int(nccl.size())) continue;
    ++moved;
    SCOPED_TRACE(seed);
    expect_moved(given);
  }
  EXPECT_GT(moved, 0);
}

TEST_F(gpu_nccl, moves_large_arrays_in_pieces) {
  auto const ranks = std::int64_t(nccl.size());
  for (std::int64_t const extent : {4096, 4001})
    expect_moved({{8192 * ranks, extent}, {1, 0}, {{ranks}, {0}}, {{ranks}, {0}}, 16});
}

TEST_F(gpu_nccl, refuses_host_memory) {
  if (nccl.size() != 1) GTEST_SKIP() << "for one rank";
  test::thread_job job(1);
  auto const thrown = job.run([&](communicator& host) {
    nccl_communicator self(nccl[0], host, nullptr);
    std::vector<std::byte> memory(8);
    permute(&memory[0], &memory[4], {{4}, {0}, {}, {}, 1}, self);
  });
  EXPECT_EQ(thrown[0],
            "on rank 0: source or destination is host memory; it must be memory of device 0, as the messages of ranks are");
}

TEST_F(gpu_nccl, refuses_memory_of_another_gpu) {
  int const ranks = int(nccl.size());
  if (ranks < 2) GTEST_SKIP() << "for two GPUs";
  test::thread_job job(ranks);
  auto const thrown = job.run([&](communicator& host) {
    gpu::on_device const current(host.rank());
    nccl_communicator self(nccl[std::size_t(host.rank())], host, nullptr);
    gpu::on_device const first(0);
    auto const memory = allocate_device(2);
    permute(memory.get(), static_cast<std::byte*>(memory.get()) + 1, {{ranks}, {0}, {{ranks}, {0}}, {{ranks}, {0}}, 1}, self);
  });
  EXPECT_EQ(
      thrown[0],
      "on rank 1: source or destination is memory of device 0; it must be memory of device 1, as the messages of ranks are");
}

}  // namespace
}  // namespace cornerturn::distributed
