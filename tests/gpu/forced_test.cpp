#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpu/gpu_test.hpp"
#include "kernel/rung/plan.hpp"
#include "support/rungs.hpp"

namespace cornerturn {
namespace {

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
  std::unique_ptr<char, decltype(&std::free)> const name(abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr), &std::free);
  return name ? name.get() : mangled;
}

/// The parts of a kernel's name that, together, only this rung has for elements of 4 bytes.
std::vector<std::string> signature(rung_plan const& plan) {
  auto const& tile = plan.tile;
  auto const smem = [&](char const* layout) {
    return std::vector{fmt::format("tile::smem<unsigned int, {}, {}, {}, ", tile.rows, tile.cols, tile.threads),
                       fmt::format("tile::{}<", layout), fmt::format(", {}, {}>", plan.widths.source, plan.widths.destination)};
  };
  switch (plan.kernel) {
    case rung::copy:
      return {fmt::format("tile::copy<unsigned int, {}, {}, {}, {}>", tile.rows, tile.cols, tile.threads, plan.widths.source)};
    case rung::copy_tma:
      return {fmt::format("tile::copy_tma<unsigned int, {}, {}, {}>", tile.rows, tile.cols, tile.threads)};
    case rung::naive_read:
    case rung::naive_write:
      return {fmt::format("tile::naive<unsigned int, {}, {}, ", tile.rows, tile.cols)};
    case rung::smem_conflict_read:
    case rung::vec_conflict_read:
      return smem("source_major");
    case rung::smem_conflict_write:
      return smem("destination_major");
    case rung::smem_padded:
    case rung::vec_padded:
      return smem("padded");
    case rung::smem_swizzled:
    case rung::vec_swizzled:
      return smem("swizzled");
    case rung::vec_both:
      return {fmt::format("tile::vec_both<unsigned int, {}, {}, {}, {}, {}, {}>", tile.rows, tile.cols, tile.threads, tile.blocks,
                          plan.widths.source, plan.widths.destination)};
    case rung::tma_store:
      return {fmt::format("tile::tma_store<unsigned int, {}, {}, {}, {}, {}>", tile.rows, tile.cols, tile.threads, tile.blocks,
                          plan.widths.source)};
    case rung::tma_conflict:
    case rung::tma:
      return {fmt::format("tile::tma<unsigned int, {}, {}, {}, {}, {}, ", tile.rows, tile.cols, tile.threads, tile.blocks,
                          tile.tiles),
              plan.kernel == rung::tma ? "tile::diagonal<" : "tile::unswizzled<"};
    case rung::registers:
      return {fmt::format("tile::registers<unsigned int, {}, {}, {}, {}, {}, {}>", tile.rows, tile.cols, tile.threads,
                          tile.blocks, plan.widths.source, plan.widths.destination)};
    case rung::register_shuffle:
      return {fmt::format("tile::register_shuffle<unsigned int, {}, {}, {}, {}>", tile.rows, tile.cols, tile.threads,
                          plan.widths.source)};
  }
  return {};
}

class gpu_forced : public test::on_gpu<testing::Test> {};

TEST_F(gpu_forced, each_rung_is_the_kernel_that_runs) {
  for (auto const& each : kRungs)
    for (std::int64_t const extent : {256, 257}) {
      if (each.uses_tma() && extent % 4) continue;
      rung_plan const chosen =
          plan_rung(each.id, {.rows = extent, .cols = extent, .source_pitch = extent, .destination_pitch = extent}, 4, {});
      auto const name = launched_kernel(chosen);
      for (auto const& part : signature(chosen))
        EXPECT_NE(name.find(part), std::string::npos) << each.name << " launched " << name;
    }
}

}  // namespace
}  // namespace cornerturn
