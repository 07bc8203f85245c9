#include "cornerturn/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cases.hpp"
#include "commands.hpp"
#include "cornerturn/info.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "plan_ranks.hpp"
#include "quantize.hpp"
#include "refuse.hpp"
#include "report.hpp"
#include "text.hpp"

namespace cornerturn::cli {
namespace {

/// The parts of a kernel's description, e.g. its tile, its threads and its accesses.
std::vector<std::string> parts_of(std::string const& kernel) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < kernel.size();) {
    auto const comma = kernel.find(", ", begin), colon = kernel.find(": ", begin), end = std::min(comma, colon);
    parts.push_back(kernel.substr(begin, end - begin));
    begin = end == std::string::npos ? kernel.size() : end + 2;
  }
  return parts;
}

/// Describes each kernel in full or, if at least half of its parts are those of the last one in full, by its other parts. These
/// include the parts in which the row above differs, so that "as above" may mean either.
std::vector<std::string> rows_of(std::vector<plan_candidate> const& all) {
  std::vector<std::string> rows;
  std::vector<std::string> full, above;
  for (auto const& each : all) {
    auto const parts = parts_of(each.kernel);
    std::vector<std::string> other;
    for (std::size_t i = 0; i < parts.size() && parts.size() == full.size(); ++i)
      if (parts[i] != full[i] || parts[i] != above[i]) other.push_back(parts[i]);
    bool const alike = !other.empty() && 2 * other.size() <= parts.size();
    rows.push_back(alike ? fmt::format("as above, but {}", fmt::join(other, ", ")) : each.kernel);
    if (!alike) full = parts;
    above = parts;
  }
  return rows;
}

/// Why the estimate of a kernel is faster than that of a copy.
char const* reason_to_exceed_a_copy(double read, double written) {
  // Such arrays exceed most L2 caches, and their launches take so long that hardly any of it overlaps with the previous one.
  constexpr double kLargeBytes = 100e6;
  if (read > written) return "it reads more than it writes";
  if (read + written > kLargeBytes) return "estimates err by a few percent";
  return "its launches overlap or its data stays in the L2 cache";
}

void print_candidates(std::string const& name, double read, double written, plan_options const& options,
                      std::vector<plan_candidate> const& all, std::size_t listed) {
  fmt::print("{}\n", wrapped(fmt::format("{}: {} read and {} written", name, size_text(std::int64_t(read)),
                                         read == written ? "as much" : size_text(std::int64_t(written))),
                             2));
  if (all.empty()) return fmt::print("There is nothing to move.\n");
  if (options.processor == processor_kind::cpu) {
    fmt::print("on the CPU; the first is chosen\n\n");
    for (auto const& each : all) fmt::print("  {}\n", wrapped(each.kernel, 4));
    return;
  }
  fmt::print("for {}\nsource aligned to {}, destination to {}; the first is chosen\n\n", all.front().gpu,
             count_text(options.source_alignment, "byte"), count_text(options.destination_alignment, "byte"));
  fmt::print("{:>9} {:>5} {:>6}  kernel\n", "us", "GB/s", "ratio");
  auto const rows = rows_of(all);
  for (std::size_t i = 0; i < std::min(listed, all.size()); ++i)
    fmt::print("{:>9.2f} {:>5.0f} {:>6.3f}  {}\n", 1e6 * all[i].seconds, 1e-9 * (read + written) / all[i].seconds, all[i].ratio,
               wrapped(rows[i], 24));
  if (listed < all.size())
    fmt::print("{:>22}  and {} by expected time; --all lists them\n", "",
               count_text(std::int64_t(all.size() - listed), "slower one"));
  std::string exceeding;
  if (all.front().ratio > 1)
    exceeding = fmt::format(", which this kernel is expected to exceed because {}", reason_to_exceed_a_copy(read, written));
  fmt::print("\n{}\n", wrapped("us, GB/s, ratio: predicted by this GPU's model, not measured; GB/s: bytes read plus written; "
                               "ratio: speed to that of a copy" +
                                   exceeding,
                               4));
}

/// Prints the plan for this machine's processor, which includes measured choices.
void print_local_plan(permutation_case const& asked, plan_options const& options) {
  if (options.processor != processor_kind::cpu && info().gpus.empty()) return;
  auto const here = plan_permute(asked.shape, asked.axes, asked.element(), options).describe();
  fmt::print("\nHere: {}\n", wrapped(here, 6));
  if (here.starts_with("shape"))
    fmt::print("\n{}\n", wrapped("shape, strides: NumPy's for the permuted view of the source and for the result, with axes "
                                 "fused that stay neighbours",
                                 4));
}

nlohmann::ordered_json json_of(permutation_case const& asked, plan_options const& options,
                               std::vector<plan_candidate> const& all) {
  nlohmann::ordered_json result{{"shape", asked.shape},
                                {"axes", asked.axes},
                                {"type", asked.type},
                                {"source_alignment", options.source_alignment},
                                {"destination_alignment", options.destination_alignment},
                                {"candidates", nlohmann::ordered_json::array()}};
  asked.change.write(result);
  for (auto const& each : all) {
    nlohmann::ordered_json entry{{"kernel", each.kernel}};
    if (each.seconds > 0) entry.update({{"expected_us", 1e6 * each.seconds}, {"expected_ratio", each.ratio}});
    result["candidates"].push_back(entry);
  }
  return result;
}

struct plan_command {
  case_arguments arguments;
  quantize_arguments quantized;
  ranks_arguments ranks;
  std::string json;
  bool every = false;

  /// Prints the only kernel that quantises a matrix.
  void print_quantized(permutation_case const& asked) const {
    auto const matrix = quantized.matrix_of(asked);
    if (!ranks.grid.empty()) throw error(error_kind::argument, "--ranks excludes --scales");
    for (auto const& [name, alignment] : {std::pair{"--source-align", arguments.options.source_alignment},
                                          {"--destination-align", arguments.options.destination_alignment}})
      if (alignment != plan_options().source_alignment)
        throw error(
            {name, std::to_string(alignment),
             fmt::format("{} with --scales, because only aligned matrices are planned", plan_options().source_alignment)});
    if (arguments.options.processor == processor_kind::cpu)
      refuse("--device", "cpu", "gpu or auto with --scales, because the CPU has no kernels");
    auto const planned = plan_quantize(matrix);
    std::vector<plan_candidate> const only{planned};
    print_candidates(quantized.name_of(asked), double(planned.read_bytes), double(planned.written_bytes), arguments.options, only,
                     1);
    if (json.empty()) return;
    auto result = json_of(asked, arguments.options, only);
    result.erase("axes");
    result.update({{"scales", quantized.scales}, {"outputs", quantized.outputs}});
    write_text(result.dump(1) + "\n", json);
  }

  void run() const {
    auto const& options = arguments.options;
    if (!json.empty()) expect_writable(json);
    auto const asked = arguments.parsed();
    if (quantized.is_given()) return print_quantized(asked);
    if (!ranks.grid.empty()) {
      auto const report = plan_over_ranks(asked, ranks, every);
      fmt::print("{}", report.text);
      if (!json.empty()) write_text(report.json, json);
      return;
    }
    auto const all = plan_candidates(asked.shape, asked.axes, asked.element(), options);
    print_candidates(asked.name(), asked.read_bytes(), asked.written_bytes(), options, all, every ? all.size() : kListed);
    print_local_plan(asked, options);
    if (!json.empty()) write_text(json_of(asked, options, all).dump(1) + "\n", json);
  }
};

}  // namespace

void add_plan(CLI::App& app) {
  auto const command = std::make_shared<plan_command>();
  auto* const sub = app.add_subcommand("plan", "List the kernels for an array, the fastest first");
  add_case(*sub, command->arguments, "the GPU, even if there is none")->required();
  add_quantize(*sub, command->quantized, "With --to");
  add_ranks(*sub, command->ranks);
  sub->add_flag("--all", command->every, fmt::format("List all candidates or messages, not only {}", kListed));
  sub->add_option("--json", command->json, "Write the candidates or messages to this file")->type_name("FILE");
  sub->footer(
      "Lists the GPU's kernels or, with --device cpu, the CPU's. On this machine, a\n"
      "choice measured by cornerturn tune takes precedence. Example:\n"
      "  cornerturn plan 256x224x224x3 --axes 0,3,1,2 --type u8\n"
      "With --ranks, prints what ranks of MPI or torch.distributed send to one another:\n"
      "  cornerturn plan 4096x4096x64 --axes 1,0,2 --ranks 8x16");
  sub->callback([command] { command->run(); });
}

}  // namespace cornerturn::cli
