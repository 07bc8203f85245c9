#include "cornerturn/layout.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/page.hpp"
#include "cornerturn/text.hpp"
#include "explain_table.hpp"
#include "options.hpp"
#include "report.hpp"
#include "suggestions.hpp"

namespace cornerturn::cli {
namespace {

/// The options that go with --addresses.
constexpr std::array<std::string_view, 8> kOfAddresses = {"--addresses", "--access", "--store", "--help",
                                                          "--space",     "--json",   "--svg",   "--html"};

bool possible(memory_instruction const& access) { return access.ideal_wavefronts > 0; }
bool all_possible(layout_explanation const& each) { return std::ranges::all_of(each.instructions, possible); }

void print_counts(layout_explanation const& each) {
  bool const in_shared = each.space != memory_space::global, in_global = each.space != memory_space::shared;
  auto const row = [&](auto const& access, auto const& bytes, auto const& requests, auto const& lanes, std::string const& shared,
                       std::string const& global) {
    auto const text = fmt::format("{:<8}{:>6}{:>10}{:>7}{}{}", access, bytes, requests, lanes, in_shared ? shared : "",
                                  in_global ? global : "");
    fmt::print("{}\n", text.substr(0, text.find_last_not_of(' ') + 1));
  };
  constexpr auto kShared = "  {:>10}{:>6}{:>10}", kGlobal = "  {:>11}{:>6}";
  row("", "", "", "", fmt::format("  {:>26}", "shared memory"), fmt::format("  {:>17}", "global memory"));
  row("access", "bytes", "requests", "lanes", fmt::format(fmt::runtime(kShared), "wavefronts", "ideal", "conflict"),
      fmt::format(fmt::runtime(kGlobal), "sectors", "ideal"));
  for (auto const& access : each.instructions) {
    auto const mean = [&](std::int64_t count) { return decimal(double(count) / double(access.requests)); };
    auto const cost = [&](std::int64_t count) { return possible(access) ? mean(count) : "-"; };
    auto const sectors = [&](std::int64_t count) { return access.ideal_sectors ? cost(count) : "-"; };
    auto const conflict = !possible(access) ? "-" : access.ways() > 1 ? decimal(access.ways()) + "-way" : "none";
    row(access.store ? "store" : "load", access.bytes, access.requests, mean(access.active_lanes),
        fmt::format(fmt::runtime(kShared), cost(access.wavefronts), cost(access.ideal_wavefronts), conflict),
        fmt::format(fmt::runtime(kGlobal), sectors(access.sectors), sectors(access.ideal_sectors)));
  }
  if (in_shared && in_global)
    fmt::print(
        "\nwavefronts, sectors: per request, in shared or in global memory\nideal: without bank conflicts; "
        "sectors "
        "that the bytes would fill\n");
  else
    fmt::print("\n{}\n", in_shared ? "wavefronts: per request; ideal: without bank conflicts"
                                   : "sectors: per request; ideal: sectors that the bytes would fill");
}

void print_layout(layout_explanation const& each) {
  auto const size = count_text(each.element_size, "byte");
  if (each.addresses.empty())
    fmt::print("{}: {} of {}\n\n", each.layout, count_text(each.elements, "element"), size);
  else
    fmt::print("{}\n\n", wrapped(fmt::format("addresses {}: {} per lane of a warp", each.addresses, size), 2));
  print_counts(each);
  bool const in_global = std::ranges::any_of(each.instructions, [](auto const& access) { return access.ideal_sectors > 0; });
  bool const conflicts = std::ranges::any_of(each.instructions, [](auto const& access) { return access.ways() > 1; });
  if (each.space != memory_space::global && !conflicts && all_possible(each))
    fmt::print("\nNo bank conflict{}.\n", each.findings.empty() && !each.space && in_global ? " and no excess sector" : "");
  else if (each.space == memory_space::global && each.findings.empty())
    fmt::print("\nNo excess sector.\n");
  auto const of = [&](std::optional<memory_space> space) {
    std::vector<finding> chosen;
    for (auto const& found : each.findings)
      if (found.space == space) chosen.push_back(found);
    return chosen;
  };
  print_findings("Problems in either memory", of(std::nullopt));
  print_findings("Problems in shared memory", of(memory_space::shared));
  print_findings("Problems in global memory", of(memory_space::global));
}

/// The extents of a shape with several modes whose strides are left to CuTe; else empty.
std::vector<std::int64_t> extents_without_strides(std::string const& layout) {
  for (auto const* const sign : {":", "Stride", "Layout(", "Layout.", "#ttg"})  // a stride, or a layout of Triton
    if (layout.find(sign) != layout.npos) return {};
  std::vector<std::int64_t> extents;
  auto const* const end = layout.data() + layout.size();
  // The innermost shape follows the last 'o', be it of "Swizzle<3,2,6> o (64,64)" or of "Layout<Shape<_64,_64>>".
  for (auto const* at = layout.data() + layout.find_last_of('o') + 1; at < end; ++at) {
    std::int64_t extent = 0;
    if (auto const [after, failed] = std::from_chars(at, end, extent); failed == std::errc()) {
      extents.push_back(extent);
      at = after;
    }
  }
  return std::ranges::count_if(extents, [](auto extent) { return extent > 1; }) < 2 ? std::vector<std::int64_t>() : extents;
}

/// Says that a tile without strides is column-major, because an array of C++ is not, and what threads without strides mean.
void print_default_orders(layout_options const& options) {
  auto const print = [](std::string const& text) { fmt::print("\n{}\n", wrapped(text, 0)); };
  if (auto const of = extents_without_strides(options.layout); !of.empty()) {
    std::string text = "No strides are given, so the layout is column-major: the first mode has stride 1.";
    if (of.size() == 2 && options.layout.find_first_of("<o") == options.layout.npos)
      text += fmt::format(" Element (i,j) is at i + {0} j; float t[{0}][{1}] is ({0},{1}):({1},1).", of[0], of[1]);
    print(text);
  }
  for (auto const& [name, threads] :
       {std::pair("--store-threads", options.store.threads), {"--load-threads", options.load.threads}})
    if (auto const of = extents_without_strides(threads); !of.empty()) {
      auto text = fmt::format("{} has no strides, so neighbouring threads are along the first mode.", name);
      if (of.size() == 2)
        text +=
            fmt::format(" Thread i + {0} j accesses element (i,j); along the second mode it is ({0},{1}):({1},1).", of[0], of[1]);
      print(text);
    }
}

void print_suggestion(layout_explanation const& given, layout_suggestion const& found, bool only_tma) {
  if (found.layout == given.layout) {
    fmt::print("\nSuggested: the given layout; no padding and no swizzle is better.\n");
  } else {
    std::int64_t before = 0;
    for (auto const& access : given.instructions) before += access.wavefronts;
    auto const wavefronts = count_text(found.wavefronts, "wavefront") + " in all",
               elements = count_text(found.elements, "element");
    fmt::print("\nSuggested: {}\n", found.layout);
    if (!all_possible(given))
      fmt::print("{}, {} instead of {}\n", wavefronts, elements, given.elements);
    else if (found.wavefronts < before && found.elements == given.elements)
      fmt::print("{} instead of {}, in the same memory\n", wavefronts, before);
    else if (found.wavefronts < before || found.elements < given.elements)
      fmt::print("{} instead of {}, {} instead of {}\n", wavefronts, before, elements, given.elements);
    else
      fmt::print("{} and {}, as with the given layout,\nwhose swizzle is {}\n", wavefronts, elements,
                 found.layout.starts_with("Sw<") ? "less simple" : "not needed");
    fmt::print("\n");
    print_code(found.code);
    fmt::print("\nWithout CuTe:\n");
    print_code(found.cuda_code);
    fmt::print("\nIn CuTe DSL:\n");
    print_code(found.cute_dsl_code);
    if (found.gluon_code.empty()) {
      fmt::print(
          "\nGluon of Triton has no such layout. Its extents and paddings are powers of two,\nits tiles have no other gaps, and "
          "its elements at most 8 bytes.\n");
    } else {
      fmt::print("\nIn Gluon of Triton:\n");
      print_code(found.gluon_code);
    }
  }
  if (found.tma_swizzle)
    fmt::print("\nIts swizzle is the {0}-byte mode of TMA and wgmma; the rows of a TMA box have at\nmost {0} bytes.\n",
               found.tma_swizzle);
  else if (found.layout.starts_with("Sw<"))
    fmt::print("\n{}\n", only_tma ? "TMA and wgmma have such swizzles for rows of at most 128 bytes: divide the tile."
                                  : "TMA and wgmma do not have its swizzle; --swizzles tma keeps to those they have.");
  if (!found.rearrange_code.empty()) {
    fmt::print("\nAn array in such tiles, in Python:\n");
    print_code(found.rearrange_code);
  }
  if (found.wavefronts == found.ideal_wavefronts)
    fmt::print("\nWith it, no access has a bank conflict.\n");
  else
    fmt::print("\nConflicts remain ({} would be ideal): change the order of the\nthreads, too.\n",
               count_text(found.ideal_wavefronts, "wavefront"));
  if (found.padding && found.layout != given.layout) print_option("Or padded", *found.padding);
}

std::optional<memory_space> space_of(std::string const& name) {
  if (name == "shared") return memory_space::shared;
  if (name == "global") return memory_space::global;
  if (name == "both") return std::nullopt;
  refuse("--space", name, "shared, global or both");
}

bool is_tma(std::string const& swizzles) {
  if (swizzles != "any" && swizzles != "tma") refuse("--swizzles", swizzles, "any or tma");
  return swizzles == "tma";
}

/// The number of matrices of ldmatrix.x1, .x2 or .x4.
int matrices_of(std::string const& text) {
  if (text != "x1" && text != "x2" && text != "x4") refuse("--ldmatrix", text, "x1, x2 or x4");
  return text.back() - '0';
}

struct layout_command {
  layout_options options;
  address_options addresses;
  bool suggest = false, has_addresses = false;
  std::string space = "both", swizzles = "any", json, svg, html;

  void expect_writable_files() const {
    for (auto const& path : {json, svg, html})
      if (!path.empty()) expect_writable(path);
  }

  void write(layout_explanation const& explained, std::optional<layout_suggestion> const& found) const {
    if (!json.empty()) write_text(json_of(explained, found), json);
    if (!svg.empty()) write_text(picture_of(options, explained, found), svg);
    if (!html.empty()) write_text(page_of(options, explained, found), html);
  }

  void run_addresses() const {
    expect_writable_files();
    auto const explained = explain_addresses(addresses);
    print_layout(explained);
    write(explained, std::nullopt);
  }

  void run() {
    options.tma_swizzles = is_tma(swizzles);
    options.space = addresses.space = space_of(space);
    if (has_addresses) return run_addresses();
    if (options.load.vector == 0 && !options.load.values.empty()) options.load.vector = options.store.vector;
    expect_writable_files();
    auto const explained = explain_layout(options);
    print_layout(explained);
    print_default_orders(options);
    std::optional<layout_suggestion> found;
    if (suggest) found = suggest_layout(options);  // if it throws, the counts are printed already
    if (found) print_suggestion(explained, *found, options.tma_swizzles);
    write(explained, found);
  }
};

}  // namespace

void add_layout(CLI::App& app) {
  auto const command = std::make_shared<layout_command>();
  auto& options = command->options;
  auto* const sub = app.add_subcommand("layout", "Count bank conflicts and sectors of a CuTe layout");
  auto* const layout =
      sub->add_option("LAYOUT", options.layout,
                      "Layout of the tile, e.g.\n'Swizzle<3,2,6> o (64,64):(1,64)', or as cute::print or\nTriton writes it");
  layout->type_name("");
  auto* const stores =
      sub->add_option("--store-threads,--threads", options.store.threads,
                      "Thread layout of the stores, as in make_tiled_copy, or\na BlockedLayout of Triton; default: no stores")
          ->type_name("LAYOUT");
  sub->add_option("--store-values,--values", options.store.values, "Value layout of the stores; default: one value")
      ->type_name("LAYOUT");
  add_number(*sub, "--element", options.element_size,
             "Element size in bytes: 1, 2, 4, 8 or 16; default: that\nof the pointer in LAYOUT, else 4");
  add_number(*sub, "--store-vector,--vector", options.store.vector, "Bytes of one store; default: one element");
  auto* const loads =
      sub->add_option("--load-threads,--other-threads", options.load.threads, "Thread layout of the loads; default: no loads")
          ->type_name("LAYOUT");
  sub->add_option("--load-values,--other-values", options.load.values, "Value layout of the loads; default: one value")
      ->type_name("LAYOUT");
  add_number(*sub, "--load-vector,--other-vector", options.load.vector,
             "Bytes of one load; default: as --store-vector if\n--load-values is given, else one element");
  sub->add_option("--space", command->space, "Memory of the tile: shared, global, or both to count\neach; default: both")
      ->type_name("NAME");
  auto* const ldmatrix = sub->add_option_function<std::string>(
                                "--ldmatrix", [&options](std::string const& text) { options.ldmatrix = matrices_of(text); },
                                "The loads are ldmatrix of x1, x2 or x4 matrices, whose\nrows are 16 bytes along the second mode")
                             ->type_name("x1|x2|x4");
  auto* const suggest = sub->add_flag("--suggest", command->suggest, "Search the cheapest padding or swizzle");
  sub->add_option("--swizzles", command->swizzles,
                  "With --suggest: any; or tma: no padding, and only those\nthat TMA and wgmma have (32, 64 and 128 bytes)")
      ->type_name("any|tma")
      ->needs(suggest);
  sub->add_option("--json", command->json, "Write the counts and sample requests to this file")->type_name("FILE");
  sub->add_option("--svg", command->svg, "Draw the tile and the banks as SVG, with --suggest also\nthose of the suggestion")
      ->type_name("FILE");
  sub->add_option("--html", command->html,
                  "Write an HTML page that shows requests lane by lane,\nwith --suggest beside those of the suggestion")
      ->type_name("FILE");
  auto* const addresses =
      sub->add_option(
             "--addresses", command->addresses.addresses,
             "Count one access of a warp instead: the bytes where the\nlanes access memory, an expression of lane such as\n"
             "lane*132, or a list with commas; -: no access")
          ->type_name("LIST");
  add_number(*sub, "--access", command->addresses.access, "With --addresses: bytes per lane, 1, 2, 4, 8 or 16")->needs(addresses);
  sub->add_flag("--store", command->addresses.store, "With --addresses: a store; default: a load")->needs(addresses);
  sub->footer(
      "float t[R][C] is '(R,C):(C,1)'; without strides a layout is column-major. A warp\n"
      "reads a column with --load-threads '(32,1)', a row with '(1,32)'. Threads and\n"
      "values are repeated over the tile. Example:\n"
      "  cornerturn layout '(64,64):(64,1)' --store-threads '(32,8):(1,32)' \\\n"
      "    --load-threads '(8,32):(32,1)' --suggest");
  sub->callback([command, sub, layout, addresses, stores, loads, ldmatrix] {
    for (auto* const each : sub->get_options())
      if (addresses->count() && each->count() && std::ranges::find(kOfAddresses, each->get_name()) == kOfAddresses.end())
        throw CLI::ExcludesError("--addresses", each->get_name());
    if (!layout->count() && !addresses->count()) throw CLI::RequiredError("LAYOUT or --addresses");
    if (!addresses->count() && !stores->count() && !loads->count() && !ldmatrix->count())
      throw error(error_kind::argument,
                  "no access to the tile is given; --store-threads or --load-threads, or both, say which thread accesses which "
                  "element, e.g. --load-threads '(8,32):(32,1)'; --ldmatrix is a load, too");
    command->has_addresses = addresses->count() > 0;
    command->run();
  });
}

}  // namespace cornerturn::cli
