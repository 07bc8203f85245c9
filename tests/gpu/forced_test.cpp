#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <typeinfo>

#include "gpu/gpu_test.hpp"
#include "kernel/rung/plan.hpp"
#include "kernel/rung/programs.hpp"
#include "support/rungs.hpp"

namespace cornerturn {
namespace {

std::string demangled(char const* mangled) {
  std::unique_ptr<char, decltype(&std::free)> const name(abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr), &std::free);
  return name ? name.get() : mangled;
}

/// The kernel that a plan launches, as the driver names it: the launch is captured into a graph and its one node asked.
std::string launched_kernel(rung_plan const& plan) {
  constexpr std::size_t kSide = 1 << 21;
  auto const source = allocate_device(kSide), destination = allocate_device(kSide);
  check(cudaMemset(source.get(), 0, kSide), "cudaMemset");
  auto const stream = make_stream();
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  gpu::run(plan, source.get(), destination.get(), stream.get());
  cudaGraph_t captured;
  check(cudaStreamEndCapture(stream.get(), &captured), "cudaStreamEndCapture");
  graph_handle const graph(captured);
  std::size_t count = 1;
  cudaGraphNode_t node;
  check(cudaGraphGetNodes(captured, &node, &count), "cudaGraphGetNodes");
  cudaKernelNodeParams params;
  check(cudaGraphKernelNodeGetParams(node, &params), "cudaGraphKernelNodeGetParams");
  char const* mangled;
  check(cudaFuncGetName(&mangled, params.func), "cudaFuncGetName");
  return demangled(mangled);
}

/// The name of the program that the host executor runs for a plan of elements of 4 bytes.
std::string program_of(rung_plan const& plan) {
  std::string name;
  auto const visit = [&]<class Program>(Program) { name = demangled(typeid(Program).name()); };
  tile::visit_program<std::uint32_t, variant_use::plans>(plan.kernel, plan.widths, plan.tile, visit);
  tile::visit_program<std::uint32_t, variant_use::ladder>(plan.kernel, plan.widths, plan.tile, visit);
  return name;
}

class gpu_forced : public test::on_gpu<testing::Test> {};

TEST_F(gpu_forced, each_rung_is_the_kernel_that_runs) {
  for (auto const& each : kRungs)
    for (std::int64_t const extent : {256, 257}) {
      if (each.uses_tma() && extent % 4) continue;
      rung_plan const chosen =
          plan_rung(each.id, {.rows = extent, .cols = extent, .source_pitch = extent, .destination_pitch = extent}, 4, {});
      auto const name = launched_kernel(chosen);
      EXPECT_NE(name.find(program_of(chosen)), std::string::npos) << each.name << " launched " << name;
    }
}

}  // namespace
}  // namespace cornerturn
