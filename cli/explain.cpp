#include "cornerturn/explain.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "commands.hpp"
#include "cornerturn/code.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/page.hpp"
#include "cornerturn/text.hpp"
#include "cornerturn/trace.hpp"
#include "explain_table.hpp"
#include "options.hpp"
#include "quantize.hpp"
#include "report.hpp"
#include "suggestions.hpp"
#include "text.hpp"
#include "types.hpp"

namespace cornerturn::cli {
namespace {

/// One type per element size, for the HTML page. The requested type replaces the one of the same size.
constexpr std::string_view kTypeOfSize[] = {"u8", "u16", "f32", "f64", "c128"};

/// Parses "SOURCE,DESTINATION" or one number, which sets the source and, if `both`, the destination.
template <class Integer>
void parse_sides(std::string const& name, std::string const& text, Integer& source, Integer& destination, bool both) {
  if (text.empty()) return;
  auto const comma = text.find(',');
  source = whole_number<Integer>(name, text.substr(0, comma));
  if (comma != std::string::npos)
    destination = whole_number<Integer>(name, text.substr(comma + 1));
  else if (both)
    destination = source;
}

/// Throws `error` for a given pitch of 0, which the options use for dense rows.
void expect_pitch(std::string_view name, std::int64_t pitch) {
  if (pitch == 0) throw error({std::string(name), "0", "at least the elements of a row"});
}

/// The page of the site that explains code while it is typed, with this code in its fields.
std::string live_page(std::string_view code) {
  auto const path = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "share/cornerturn/try.html";
  std::ifstream file(path, std::ios::binary);
  std::string page(std::istreambuf_iterator<char>(file), {});
  constexpr std::string_view kState = "id=\"state\">";  // as in an address
  auto const at = page.find(kState);
  if (at == page.npos)
    throw error(error_kind::file, fmt::format("--live needs the page {}, which make site writes", path.string()));
  std::string state = "accesses=";
  for (unsigned char const each : code) state += fmt::format("%{:02X}", each);
  return page.insert(at + kState.size(), state);
}

struct explain_command {
  explain_options options;
  std::string rung, pitch, align, json, svg, html;
  std::optional<std::string> plan, axes, code, trace;
  bool suggest = false, live = false;
  change_arguments change;
  quantize_arguments quantized;

  std::vector<explanation> explained(explain_options const& each) const {
    return rung.empty() ? explain_all(each) : std::vector{explain(rung, each)};
  }

  std::string page() const {
    std::vector<std::vector<explanation>> of_types;
    for (auto const type : kTypeOfSize) {
      auto sized = options;
      if (type_size(type) != type_size(options.type)) sized.type = type;
      sized.source_align = std::max(sized.source_align, type_size(type));
      sized.destination_align = std::max(sized.destination_align, type_size(type));
      of_types.push_back(explained(sized));
    }
    std::vector<explanation> all;
    for (std::size_t i = 0; i < of_types.front().size(); ++i)
      for (auto& each : of_types) all.push_back(std::move(each[i]));
    return page_of(all, options.type);
  }

  /// Explains lines of CUDA C++ instead of rungs.
  void run_code() const {
    for (auto const& path : {json, svg, html})
      if (!path.empty()) expect_writable(path);
    auto const typed = live ? live_page(*code) : "";
    auto const each = explain_code(*code);
    fmt::print("{}", report_of(each));
    std::vector<code_suggestion> found;
    if (suggest) found = suggest_code(*code);
    if (suggest) print_suggestions(found);
    if (!json.empty()) write_text(json_of(each, found), json);
    if (!svg.empty()) write_text(picture_of(found.empty() ? each : explain_suggested_code(*code, found)), svg);
    if (!html.empty()) write_text(live ? typed : page_of(each, found), html);
  }

  /// Explains the kernels of a trace instead of rungs.
  void run_trace() const {
    for (auto const& path : {json, svg, html})
      if (!path.empty()) expect_writable(path);
    auto const kernels = explain_trace(*trace);
    for (auto const& each : kernels) fmt::print("{}{}", &each == kernels.data() ? "" : "\n", report_of(each));
    if (!json.empty()) write_text(json_of(kernels), json);
    if (!svg.empty()) write_text(picture_of(kernels), svg);
    if (!html.empty()) write_text(page_of(kernels), html);
  }

  /// Explains a plan instead of rungs.
  void run_plan() const {
    if (quantized.is_given() && !align.empty())
      throw error(error_kind::argument, "--align and --scales exclude each other, because only aligned matrices are explained");
    if (!json.empty()) expect_writable(json);
    auto asked = case_of(*plan, axes, options.type);
    asked.change = change;
    auto const each = quantized.is_given() ? explain_quantize(quantized.matrix_of(asked))
                                           : explain_plan(asked.shape, asked.axes, asked.element(), options.source_align,
                                                          options.destination_align);
    fmt::print("{}\n{}", wrapped(quantized.is_given() ? quantized.name_of(asked) : asked.name(), 2), report_of(each));
    if (!json.empty()) write_text(json_of({each}), json);
  }

  void run() {
    if (code) return run_code();
    if (trace) return run_trace();
    parse_sides("--align", align, options.source_align, options.destination_align, true);
    if (plan) return run_plan();
    if (rung.empty() && !svg.empty())
      throw error(error_kind::argument, "--svg draws one rung; name the rung: cornerturn explain RUNG --svg FILE");
    parse_sides("--pitch", pitch, options.source_pitch, options.destination_pitch, false);
    if (!pitch.empty()) expect_pitch("--pitch", options.source_pitch);
    if (pitch.find(',') != std::string::npos) expect_pitch("the destination's --pitch", options.destination_pitch);
    for (auto const& path : {json, svg, html})
      if (!path.empty()) expect_writable(path);
    auto const all = explained(options);
    if (rung.empty())
      print_table(all);
    else
      fmt::print("{}", report_of(all.front()));
    if (!json.empty()) write_text(json_of(all), json);
    if (!svg.empty()) write_text(picture_of(all.front()), svg);
    if (!html.empty()) write_text(page(), html);
    constexpr int kUnsupported = 2;
    if (!rung.empty() && !all.front().unavailable.empty()) throw CLI::RuntimeError(kUnsupported);
  }
};

}  // namespace

void add_explain(CLI::App& app) {
  auto const command = std::make_shared<explain_command>();
  auto* const sub = app.add_subcommand("explain", "Count the kernels' sectors and bank conflicts");
  auto* const rung =
      sub->add_option("RUNG", command->rung, "Explain this rung in detail; default: a table of all:\n" + name_list(rung_names()))
          ->type_name("");
  auto* const plan = sub->add_option("--plan", command->plan,
                                     "Explain the GPU's plan for an array of this shape\n"
                                     "instead, e.g. 256x224x224x3")
                         ->type_name("SHAPE");
  auto* const code =
      sub->add_option("--code", command->code, "Explain the accesses of these lines of CUDA C++\ninstead, or of a whole kernel")
          ->type_name("CODE");
  auto* const trace =
      sub->add_option("--trace", command->trace,
                      "Explain the accesses that a kernel of yours has written\nto this file instead, by cornerturn/trace.cuh")
          ->type_name("FILE");
  sub->add_flag("--suggest", command->suggest, "Search the least padding and the best swizzle of each\narray in shared memory")
      ->group("With --code")
      ->needs(code);
  constexpr auto kOfPlans = "With --plan";
  sub->add_option("--axes", command->axes, "Axis i of the result is axis LIST[i];\ndefault: all axes reversed")
      ->type_name("LIST")
      ->group(kOfPlans)
      ->needs(plan);
  for (auto* const each : add_change(*sub, command->change, kOfPlans)) each->needs(plan);
  add_quantize(*sub, command->quantized, kOfPlans);
  auto* const rows = add_number(*sub, "--rows", command->options.rows, "Rows of the matrix");
  auto* const cols = add_number(*sub, "--cols", command->options.cols, "Columns of the matrix");
  add_type(*sub, command->options.type);
  auto* const pitch = sub->add_option("--pitch", command->pitch,
                                      "Elements from one source row to the next and, after a\n"
                                      "comma, from one destination row to the next;\n"
                                      "default: dense")
                          ->type_name("S[,D]");
  sub->add_option("--align", command->align,
                  "Exact alignment of the buffers in bytes; one number\nfor both, or source,destination; default: 256")
      ->type_name("S[,D]");
  sub->add_option("--json", command->json, "Write the counts and sample requests to this file")->type_name("FILE");
  auto* const svg = sub->add_option("--svg", command->svg, "Draw the rung's tile, banks and sectors as SVG")->type_name("FILE");
  auto* const html = sub->add_option("--html", command->html,
                                     "Write an HTML page that shows requests lane by lane for\n"
                                     "all element sizes (buffers at least so aligned)")
                         ->type_name("FILE");
  sub->add_flag("--live", command->live, "With --html: a page on which the code can be changed")
      ->group("With --code")
      ->needs(code)
      ->needs(html);
  for (auto* const of_rungs : {rung, rows, cols, pitch, svg, html}) plan->excludes(of_rungs);
  for (auto* const other : {rung, rows, cols, pitch, plan}) code->excludes(other);
  for (auto* const other : {rung, rows, cols, pitch, plan, code}) trace->excludes(other);
  sub->footer(
      "Runs one block of each kind on the host, and records and counts the memory\n"
      "requests of its warps; see docs/explain.md. To explain a plan:\n"
      "  cornerturn explain --plan 256x224x224x3 --axes 0,3,1,2 --type u8\n"
      "  cornerturn explain --plan 8192x8192 --type bf16 --to f8_e4m3fn --scales 1x128\n"
      "Exit code: 0; 2 for bad arguments, and if RUNG does not support the matrix.");
  sub->callback([command] { command->run(); });
}

}  // namespace cornerturn::cli
