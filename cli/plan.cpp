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
#include "options.hpp"
#include "plan_ranks.hpp"
#include "quantize.hpp"
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

/// Describes each kernel in full or, if it has more than two parts and at least half of them are those of the last one in full,
/// by its other parts. These include the parts in which the row above differs, so that "as above" may mean either.
std::vector<std::string> rows_of(std::vector<plan_candidate> const& all) {
  std::vector<std::string> rows;
  std::vector<std::string> full, above;
  for (auto const& each : all) {
    auto const parts = parts_of(each.kernel);
    std::vector<std::string> other;
    for (std::size_t i = 0; i < parts.size() && parts.size() == full.size(); ++i)
      if (parts[i] != full[i] || parts[i] != above[i]) other.push_back(parts[i]);
    bool const alike = parts.size() > 2 && !other.empty() && 2 * other.size() <= parts.size();
    rows.push_back(alike ? fmt::format("as above, but {}", fmt::join(other, ", ")) : each.kernel);
    if (!alike) full = parts;
    above = parts;
  }
  return rows;
}

/// What a ratio above 1 means for a kernel: never that one launch is faster than a copy.
char const* meaning_of_more_than_a_copy(double read, double written) {
  // Such arrays exceed most L2 caches, and their launches take so long that hardly any of it overlaps with the previous one.
  constexpr double kLargeBytes = 100e6;
  if (read > written) return "it reads more than it writes, which a copy does not";
  if (read + written > kLargeBytes) return "estimates err by a few percent, so take it for 1";
  return "launches in a row overlap or find their data in the L2 cache; do not expect it of a single launch";
}

void print_candidates(std::string const& name, double read, double written, plan_options const& options,
                      std::vector<plan_candidate> const& all, std::size_t listed) {
  fmt::print("{}\n", wrapped(fmt::format("{}: {} read and {} written", name, size_text(std::int64_t(read)),
                                         read == written ? "as much" : size_text(std::int64_t(written))),
                             2));
  if (all.empty()) return fmt::print("There is nothing to move.\n");
  bool const on_cpu = options.processor == processor_kind::cpu;
  fmt::print("{}\n", wrapped(fmt::format("for {}", all.front().model), 2));
  if (on_cpu)
    fmt::print("the first is planned, by rules; cornerturn tune times all of them\n\n");
  else
    fmt::print("source aligned to {}, destination to {}; the fastest first\n\n", count_text(options.source_alignment, "byte"),
               count_text(options.destination_alignment, "byte"));
  fmt::print("{:>9} {:>5} {:>6}  kernel\n", "us", "GB/s", "ratio");
  auto const rows = rows_of(all);
  for (std::size_t i = 0; i < std::min(listed, all.size()); ++i)
    fmt::print("{:>9.2f} {:>5.0f} {:>6.3f}  {}\n", 1e6 * all[i].seconds, 1e-9 * (read + written) / all[i].seconds, all[i].ratio,
               wrapped(rows[i], 24));
  if (listed < all.size())
    fmt::print("{:>22}  and {} by expected time; --all lists them\n", "",
               count_text(std::int64_t(all.size() - listed), "slower one"));
  fmt::print("\n{}\n{}\n",
             wrapped(fmt::format("us, GB/s, ratio: predicted by {}; GB/s: bytes read plus written",
                                 on_cpu ? "the model of this one processor, not measured here"
                                        : "the GPU's model, not measured, for launches in a row as in a CUDA graph"),
                     4),
             wrapped(fmt::format("ratio: the speed divided by a copy's of the same number of bytes{}",
                                 on_cpu ? "" : ", launched likewise"),
                     4));
  if (all.front().ratio > 1 && !on_cpu)
    fmt::print("{}\n", wrapped(fmt::format("above 1: {}", meaning_of_more_than_a_copy(read, written)), 4));
}

/// Prints the plan for this machine's processor, which includes measured choices.
void print_local_plan(permutation_case const& asked, plan_options const& options) {
  auto const here = plan_permute(asked.shape, asked.axes, asked.element(), options).describe();
  fmt::print("\nHere: {}\n", wrapped(here, 6));
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
  for (auto const& each : all)
    result["candidates"].push_back(
        {{"kernel", each.kernel}, {"expected_us", 1e6 * each.seconds}, {"expected_ratio", each.ratio}, {"model", each.model}});
  return result;
}

struct plan_command {
  case_arguments arguments;
  quantize_arguments quantized;
  ranks_arguments ranks;
  std::string json;
  bool every = false;

  /// Prints the kernels that quantise a matrix.
  void print_quantized(permutation_case const& asked) const {
    auto const matrix = quantized.matrix_of(asked);
    if (!ranks.grid.empty()) throw error(error_kind::argument, "--ranks and --scales exclude each other");
    quantized.refuse_options(arguments.options, "auto, h200 or gpu");
    auto const found = quantize_candidates(matrix, arguments.estimates);
    std::vector<plan_candidate> const all(found.begin(), found.end());
    auto const& first = found.front();
    print_candidates(quantized.name_of(asked), double(first.read_bytes), double(first.written_bytes), arguments.options, all,
                     all.size());
    if (auto const here = plan_quantize(matrix, arguments.estimates); !here.why.empty())
      fmt::print("\nHere: {}\n", wrapped(fmt::format("{}; {}", here.kernel, here.why), 6));
    if (json.empty()) return;
    auto result = json_of(asked, arguments.options, all);
    result.erase("axes");
    result.update({{"scales", quantized.scales}, {"outputs", quantized.outputs}});
    write_text(result.dump(1) + "\n", json);
  }

  void run() const {
    if (!json.empty()) expect_writable(json);
    auto const asked = arguments.parsed();
    auto options = arguments.options;
    bool const is_here = arguments.estimates == estimated_gpu::here;
    if (is_here) refuse_missing_gpu(options.processor, true);
    if (quantized.is_given()) return print_quantized(asked);
    if (!ranks.grid.empty()) {
      auto const report = plan_over_ranks(asked, ranks, every);
      fmt::print("{}", report.text);
      if (!json.empty()) write_text(report.json, json);
      return;
    }
    if (options.processor == processor_kind::automatic)
      options.processor = info().gpus.empty() ? processor_kind::cpu : processor_kind::gpu;
    auto const all = plan_candidates(asked.shape, asked.axes, asked.element(), options, arguments.estimates);
    bool const lists_all = every || options.processor == processor_kind::cpu;
    print_candidates(asked.name(), asked.read_bytes(), asked.written_bytes(), options, all, lists_all ? all.size() : kListed);
    if (is_here && !all.empty()) print_local_plan(asked, options);
    if (!json.empty()) write_text(json_of(asked, options, all).dump(1) + "\n", json);
  }
};

}  // namespace

void add_plan(CLI::App& app) {
  auto const command = std::make_shared<plan_command>();
  auto* const sub = app.add_subcommand("plan", "List the kernels for an array, the fastest first");
  add_case(*sub, command->arguments, true)->required();
  sub->add_flag("--all", command->every, fmt::format("List all kernels or messages, not only {}", kListed));
  sub->add_option("--json", command->json, "Write the kernels or messages to this file")->type_name("FILE");
  add_quantize(*sub, command->quantized, kOfChanges);
  add_ranks(*sub, command->ranks);
  sub->footer(
      "Lists the kernels of this machine's GPU or, without one, of its CPU. A choice\n"
      "measured by cornerturn tune takes precedence. An H200's:\n"
      "  cornerturn plan 256x224x224x3 --axes 0,3,1,2 --type u8 --device h200\n"
      "With --ranks, prints what ranks send to one another:\n"
      "  cornerturn plan 4096x4096x64 --axes 1,0,2 --ranks 8x16");
  sub->callback([command] { command->run(); });
}

}  // namespace cornerturn::cli
