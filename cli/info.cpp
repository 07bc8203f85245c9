#include "cornerturn/info.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"

namespace cornerturn::cli {
namespace {

std::string version_text(int version) { return version ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : "none"; }

void print_info() {
  auto const info = cornerturn::info();
  fmt::print("cornerturn    {}\n", info.version);
  fmt::print("compiler      {}\n", info.compiler);
  if (info.gpu_built)
    fmt::print("GPU engine    for compute capability {}, CUDA runtime {}\n", info.architectures,
               version_text(info.runtime_version));
  else
    fmt::print("GPU engine    not built in\n");
  if (info.gpu_built)
    fmt::print("driver        {}\n", info.driver_version ? "serves CUDA " + version_text(info.driver_version) : "none");
  if (!info.gpu_problem.empty()) fmt::print("GPUs          none: {}\n", info.gpu_problem);
  for (std::size_t i = 0; i < info.gpus.size(); ++i) {
    auto const& gpu = info.gpus[i];
    fmt::print("GPU {}         {}, compute capability {}.{}, {:.0f} GiB, {:.0f} GB/s in theory\n", i, gpu.name, gpu.major,
               gpu.minor, double(gpu.memory_bytes) / (1 << 30), gpu.bandwidth_gbs);
  }
}

}  // namespace

void add_info(CLI::App& app) {
  app.add_subcommand("info", "Say what was built in and which GPUs are here")->callback(print_info);
}

}  // namespace cornerturn::cli
