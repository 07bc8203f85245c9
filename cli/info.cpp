#include "cornerturn/info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "cornerturn/formats.hpp"
#include "cornerturn/text.hpp"
#include "report.hpp"

namespace cornerturn::cli {
namespace {

std::string version_text(int version) { return version ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : "none"; }

/// "48 KiB", "1.5 GiB".
std::string binary_size_text(std::int64_t bytes) {
  if (bytes < 1 << 20) return fmt::format("{} KiB", bytes >> 10);
  if (bytes < 1 << 30) return fmt::format("{:.3g} MiB", double(bytes) / (1 << 20));
  return fmt::format("{:.1f} GiB", double(bytes) / (1 << 30));
}

/// The number of threads, and the limit that determines it.
std::string threads_text(cpu_info const& cpu) {
  auto const usable = count_text(cpu.processors, "processor");
  if (cpu.quota > 0 && cpu.quota < cpu.processors)
    return fmt::format("{}, limited by the control group's quota of {:.3g} of {}", cpu.threads, cpu.quota, usable);
  return fmt::format("{}, for {} available to the process", cpu.threads, usable);
}

void print_cpu(cpu_info const& cpu) {
  fmt::print("CPU           {}, {}\n", cpu.name, cpu.instructions);
  fmt::print("threads       {}\n", threads_text(cpu));
  std::vector<std::string> caches;
  for (auto const bytes : cpu.cache_bytes) caches.push_back(binary_size_text(bytes));
  if (!caches.empty()) fmt::print("caches        {}\n", fmt::join(caches, ", "));
  auto const limit =
      cpu.memory_limit_bytes ? fmt::format("; the control group's limit is {}", binary_size_text(cpu.memory_limit_bytes)) : "";
  fmt::print("memory        {} available{}\n", binary_size_text(cpu.available_bytes), limit);
}

void print_info() {
  auto const info = cornerturn::info();
  fmt::print("cornerturn    {}\n", info.version);
  fmt::print("compiler      {}\n", info.compiler);
  print_cpu(info.cpu);
  if (info.gpu_built)
    fmt::print("GPU engine    for compute capability {}, CUDA runtime {}\n", info.architectures,
               version_text(info.runtime_version));
  else
    fmt::print("GPU engine    not built in\n");
  if (info.gpu_built)
    fmt::print("driver        {}\n", info.driver_version ? "supports CUDA " + version_text(info.driver_version) : "none");
  if (!info.gpu_problem.empty()) fmt::print("GPUs          none: {}\n", info.gpu_problem);
  for (std::size_t i = 0; i < info.gpus.size(); ++i) {
    auto const& gpu = info.gpus[i];
    fmt::print("GPU {}         {}, compute capability {}.{}, {:.0f} GiB, {:.0f} GB/s in theory\n", i, gpu.name, gpu.major,
               gpu.minor, double(gpu.memory_bytes) / (1 << 30), gpu.bandwidth_gbs);
  }
}

void print_formats() {
  for (auto const& name : format_names()) {
    auto const format = format_of(name);
    std::vector<std::string> facts;
    for (auto const& [axis, value, in_bytes] : format.lengths)
      facts.push_back(fmt::format("{}={}{}", axis, value, in_bytes ? " bytes" : ""));
    if (format.padded) facts.emplace_back("padded");
    if (!format.swizzle.empty()) facts.push_back(format.swizzle);
    if (format.bits != 8) facts.push_back(count_text(format.bits, "bit"));
    auto const pattern = format.pattern + (facts.empty() ? "" : fmt::format("; {}", fmt::join(facts, ", ")));
    fmt::print("{}\n  {}\n", name, wrapped(pattern, 2));
    fmt::print("  {}\n", wrapped(fmt::format("{} {}.", format.description, format.source), 2));
  }
}

std::string json_of(build_info const& info) {
  auto const& cpu = info.cpu;
  auto gpus = nlohmann::ordered_json::array();
  for (auto const& gpu : info.gpus)
    gpus.push_back({{"name", gpu.name},
                    {"compute_capability", fmt::format("{}.{}", gpu.major, gpu.minor)},
                    {"memory_bytes", gpu.memory_bytes},
                    {"bandwidth_gbs", gpu.bandwidth_gbs}});
  auto const or_null = [](bool known, auto const& value) { return known ? nlohmann::ordered_json(value) : nullptr; };
  nlohmann::ordered_json const result{{"version", info.version},
                                      {"compiler", info.compiler},
                                      {"cpu",
                                       {{"name", cpu.name},
                                        {"instructions", cpu.instructions},
                                        {"threads", cpu.threads},
                                        {"processors", cpu.processors},
                                        {"quota", or_null(cpu.quota > 0, cpu.quota)},
                                        {"cache_bytes", cpu.cache_bytes},
                                        {"available_bytes", cpu.available_bytes},
                                        {"memory_limit_bytes", or_null(cpu.memory_limit_bytes, cpu.memory_limit_bytes)}}},
                                      {"gpu_engine", info.gpu_built},
                                      {"architectures", info.architectures},
                                      {"runtime_version", or_null(info.runtime_version, version_text(info.runtime_version))},
                                      {"driver_version", or_null(info.driver_version, version_text(info.driver_version))},
                                      {"gpu_problem", or_null(!info.gpu_problem.empty(), info.gpu_problem)},
                                      {"gpus", gpus}};
  return result.dump(1) + "\n";
}

}  // namespace

void add_info(CLI::App& app) {
  auto const json = std::make_shared<std::string>();
  auto* const sub = app.add_subcommand("info", "Describe the build, the CPU and the GPUs");
  auto* const file =
      sub->add_option("--json", *json, "Write this to a file as JSON, which may be /dev/stdout,\ninstead of printing it")
          ->type_name("FILE");
  auto const formats = std::make_shared<bool>(false);
  sub->add_flag("--formats", *formats,
                "List the layouts with names that transpose --format\nbrings files to, each with its pattern")
      ->excludes(file);
  sub->callback([json, formats] {
    if (*formats) return print_formats();
    if (json->empty()) return print_info();
    expect_writable(*json);
    write_text(json_of(info()), *json);
  });
}

}  // namespace cornerturn::cli
