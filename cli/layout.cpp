#include "cornerturn/layout.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "cornerturn/text.hpp"
#include "explain_report.hpp"
#include "explain_table.hpp"
#include "options.hpp"
#include "report.hpp"

namespace cornerturn::cli {
namespace {

bool possible(memory_instruction const& access) { return access.ideal_wavefronts > 0; }
bool all_possible(layout_explanation const& each) { return std::ranges::all_of(each.instructions, possible); }

void print_layout(layout_explanation const& each) {
  fmt::print("{}: {} of {}\n\n", each.layout, count_text(each.elements, "element"), count_text(each.element_size, "byte"));
  fmt::print("{:<8}{:>6}{:>10}{:>7}  {:>26}  {:>17}\n", "", "", "", "", "shared memory", "global memory");
  fmt::print("{:<8}{:>6}{:>10}{:>7}  {:>10}{:>6}{:>10}  {:>11}{:>6}\n", "access", "bytes", "requests", "lanes", "wavefronts",
             "ideal", "conflict", "sectors", "ideal");
  for (auto const& access : each.instructions) {
    auto const requests = double(access.requests);
    auto const mean = [&](std::int64_t count) { return decimal(double(count) / requests); };
    auto const cost = [&](std::int64_t count) { return possible(access) ? mean(count) : "-"; };
    fmt::print("{:<8}{:>6}{:>10}{:>7}  {:>10}{:>6}{:>10}  {:>11}{:>6}\n", access.store ? "store" : "load", access.bytes,
               access.requests, mean(access.active_lanes), cost(access.wavefronts), cost(access.ideal_wavefronts),
               !possible(access)   ? "-"
               : access.ways() > 1 ? decimal(access.ways()) + "-way"
                                   : "none",
               cost(access.sectors), cost(access.ideal_sectors));
  }
  fmt::print(
      "\nwavefronts, sectors: per request, if the tile is in shared or in global memory\nideal: without bank conflicts; sectors "
      "that the bytes would fill\n");
  bool const conflicts = std::ranges::any_of(each.instructions, [](auto const& access) { return access.ways() > 1; });
  if (!conflicts && all_possible(each))
    fmt::print("\nNo bank conflict{}.\n", each.findings.empty() ? " and no excess sector" : "");
  print_findings(each.findings);
}

void print_suggestion(layout_explanation const& given, layout_suggestion const& found) {
  if (found.layout == given.layout) {
    fmt::print("\nSuggested: the given layout; no padding and no swizzle is better.\n");
  } else {
    std::int64_t before = 0;
    for (auto const& access : given.instructions) before += access.wavefronts;
    auto const wavefronts = count_text(found.wavefronts, "wavefront"), elements = count_text(found.elements, "element");
    fmt::print("\nSuggested: {}\n", found.layout);
    if (!all_possible(given))
      fmt::print("{}, {} instead of {}\n", wavefronts, elements, given.elements);
    else if (found.wavefronts < before || found.elements < given.elements)
      fmt::print("{} instead of {}, {} instead of {}\n", wavefronts, before, elements, given.elements);
    else
      fmt::print("{} and {}, as with the given layout,\nwhose swizzle is {}\n", wavefronts, elements,
                 found.layout.starts_with("Sw<") ? "less simple" : "not needed");
    fmt::print("\n  {}\n", found.code);
  }
  if (found.wavefronts == found.ideal_wavefronts)
    fmt::print("\nWith it, no access has a bank conflict.\n");
  else
    fmt::print("\nConflicts remain ({} would be ideal): change the order of the\nthreads, too.\n",
               count_text(found.ideal_wavefronts, "wavefront"));
}

struct layout_command {
  layout_options options;
  bool suggest = false;
  std::string json, svg, html;

  void run() {
    if (options.load.vector == 0 && !options.load.values.empty()) options.load.vector = options.store.vector;
    for (auto const& path : {json, svg, html})
      if (!path.empty()) expect_writable(path);
    auto const explained = explain_layout(options);
    print_layout(explained);
    std::optional<layout_suggestion> found;
    if (suggest) found = suggest_layout(options);  // if it throws, the counts are printed already
    if (found) print_suggestion(explained, *found);
    if (!json.empty()) write_text(json_of(explained, found), json);
    if (!svg.empty()) write_text(picture_of(explained), svg);
    if (!html.empty()) write_text(page_of(options, explained, found), html);
  }
};

}  // namespace

void add_layout(CLI::App& app) {
  auto const command = std::make_shared<layout_command>();
  auto& options = command->options;
  auto* const sub = app.add_subcommand("layout", "Count bank conflicts and sectors of a CuTe layout");
  sub->add_option("LAYOUT", options.layout,
                  "Layout of the tile, e.g.\n'Swizzle<3,2,6> o (64,64):(1,64)', or as cute::print\nwrites it")
      ->required();
  sub->add_option("--threads", options.store.threads, "Thread layout of the stores, as in make_tiled_copy;\ndefault: no stores");
  sub->add_option("--values", options.store.values, "Value layout of the stores; default: one value");
  add_number(*sub, "--element", options.element_size,
             "Element size in bytes: 1, 2, 4, 8 or 16; 0: that of the\npointer in LAYOUT, else 4");
  add_number(*sub, "--vector", options.store.vector, "Bytes of one store; 0: one element");
  sub->add_option("--other-threads", options.load.threads, "Thread layout of the loads; default: no loads");
  sub->add_option("--other-values", options.load.values, "Value layout of the loads; default: one value");
  add_number(*sub, "--other-vector", options.load.vector,
             "Bytes of one load; 0: as --vector if --other-values is\ngiven, else one element");
  sub->add_flag("--suggest", command->suggest, "Search the cheapest padding or swizzle");
  sub->add_option("--json", command->json, "Write the counts and sample requests to this file");
  sub->add_option("--svg", command->svg, "Draw the tile and the banks as SVG");
  sub->add_option("--html", command->html,
                  "Write an HTML page that shows requests lane by lane,\nwith --suggest beside those of the suggestion");
  sub->footer(
      "Threads and values are repeated over the tile. Example:\n"
      "  cornerturn layout '(64,64):(64,1)' --threads '(32,8):(1,32)' \\\n"
      "    --other-threads '(8,32):(32,1)' --suggest");
  sub->callback([command] { command->run(); });
}

}  // namespace cornerturn::cli
