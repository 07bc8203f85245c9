#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "cornerturn/code.hpp"
#include "cornerturn/explain.hpp"
#include "cornerturn/text.hpp"
#include "cornerturn/trace.hpp"

namespace cornerturn {
namespace {

struct cost {
  double actual = 0, ideal = 0;  ///< sectors or wavefronts per request
};

cost cost_of(memory_instruction const& each) {
  bool const shared = each.space == memory_space::shared;
  auto const requests = double(each.requests);
  return {double(shared ? each.wavefronts : each.sectors) / requests,
          double(shared ? each.ideal_wavefronts : each.ideal_sectors) / requests};
}

/// Formats a number of requests; from 10^9 on it has four significant digits.
std::string requests_text(std::int64_t requests) {
  return requests < 1'000'000'000 ? fmt::format("{}", requests) : fmt::format("{:.4g}", double(requests));
}

std::string title_of(memory_instruction const& each) {
  return fmt::format("{} {}{}", each.space == memory_space::shared ? "shared" : "global", each.store ? "store" : "load",
                     each.box     ? ", boxes"
                     : each.async ? ", async"
                                  : "");
}

std::string size_text(explanation const& each) {
  return each.plan.empty() ? fmt::format("{} x {} {}", each.rows, each.cols, each.type) : each.problem;
}

/// Builds a text of several lines.
class lines {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }
  std::string const& text() const { return text_; }

 private:
  std::string text_;
};

/// Adds a line for each instruction, and the meaning of the columns.
void add_instructions(lines& report, std::vector<memory_instruction> const& instructions) {
  constexpr std::size_t kPlace = 18;
  report.add("{:<21}{:<{}}{:>5}{:>11}{:>6}{:>7}{:>6}{:>6}", "instruction", "at", kPlace, "bytes", "requests", "lanes", "cost",
             "ideal", "moved");
  for (auto const& each : instructions) {
    auto const [actual, ideal] = cost_of(each);
    auto const place = fmt::format("{}:{}", each.file, each.line);
    double const moved = double(each.bytes_moved) / double(each.bytes_needed);
    bool const fits = place.size() <= kPlace;  // a long file name gets a line of its own
    if (!fits) report.add("{:<21}{}", title_of(each), place);
    report.add("{:<21}{:<{}}{:>5}{:>11}{:>6}{:>7}{:>6}{:>6.{}f}", fits ? title_of(each) : "", fits ? place : "", kPlace,
               each.bytes, requests_text(each.requests), decimal(double(each.active_lanes) / double(each.requests)),
               decimal(actual), decimal(ideal), moved, moved < 100 ? 2 : 0);
    constexpr std::size_t kSource = 76;
    auto const shown = each.source.size() > kSource ? each.source.substr(0, kSource - 3) + "..." : each.source;
    if (!shown.empty()) report.add("    {}", shown);
    if (auto const ways = decimal(each.ways()); ways != "1") report.add("{:<21}{}-way bank conflict on average", "", ways);
  }
  report.add(
      "\nbytes: per lane; requests: of all warps; lanes: active ones, on average; cost:\n"
      "sectors of 32 bytes (global) or wavefronts (shared) per request; ideal: the cost\n"
      "without waste; moved: bytes moved per byte needed");
  if (std::ranges::any_of(instructions, &memory_instruction::box))
    report.add("boxes: a request is one box, its lanes are rows, bytes are those of a row");
  if (std::ranges::any_of(instructions, &memory_instruction::async))
    report.add("async: cp.async, one instruction that is both the load and the store");
}

void add_findings(lines& report, std::vector<finding> const& findings) {
  report.add("\n{}", findings.empty() ? "No problem found." : "Problems:");
  for (auto const& found : findings) report.add("- {}", wrapped(fmt::format("{} [{}]", found.text, found.kind), 2));
}

void add_plan(lines& report, explanation const& each) {
  report.add("{}", wrapped(each.plan, 2));
  report.add("problem: {}", wrapped(each.problem, 9));
  report.add("buffers aligned to {} and {} bytes", each.source_align, each.destination_align);
}

void add_rung(lines& report, explanation const& each) {
  report.add("{}, tiles of {}", size_text(each), each.tile);
  report.add("pitches of {} and {} elements, buffers aligned to {} and {} bytes", each.source_pitch, each.destination_pitch,
             each.source_align, each.destination_align);
}

}  // namespace

std::string report_of(code_explanation const& each) {
  lines report;
  report.add("{}: {}", each.rung, wrapped(each.idea, each.rung.size() + 2));
  bool const has_axes = each.block.find('x') != each.block.npos;
  report.add("a block of {}{}\n", count_text(each.threads, "thread"), has_axes ? ", " + each.block : "");
  add_instructions(report, each.instructions);
  add_findings(report, each.findings);
  return report.text();
}

std::string report_of(traced_kernel const& each) {
  lines report;
  report.add("{}: {}", each.rung, wrapped(each.idea, each.rung.size() + 2));
  report.add("{} of {} in the trace\n", count_text(each.blocks, "block"), count_text(each.threads, "thread"));
  add_instructions(report, each.instructions);
  add_findings(report, each.findings);
  return report.text();
}

std::string report_of(explanation const& each) {
  lines report;
  bool const is_plan = !each.plan.empty();
  if (!each.note.empty()) report.add("{}\n", wrapped(each.note, 0));
  if (!each.unavailable.empty() && is_plan) {
    report.add("{}", wrapped(each.unavailable, 0));
    return report.text();
  }
  report.add("{}: {}", each.rung, wrapped(each.idea, each.rung.size() + 2));
  if (!each.unavailable.empty()) {
    report.add("{}", wrapped(fmt::format("n/a for {}: {}", size_text(each), each.unavailable), 0));
    return report.text();
  }
  is_plan ? add_plan(report, each) : add_rung(report, each);
  report.add("{} of {}, in {} by edge and alignment", count_text(each.blocks, "block"), count_text(each.threads, "thread"),
             count_text(each.classes, "kind"));
  if (is_plan)
    report.add("{}\n", wrapped(fmt::format("predicted (model of {}): {:.4g} us, {:.2f} of a copy", each.gpu, 1e6 * each.seconds,
                                           each.predicted),
                               2));
  else
    report.add("predicted (model of {}): {:.2f} of a copy, limited by {}\n", each.gpu, each.predicted, each.limit);
  add_instructions(report, each.instructions);
  add_findings(report, each.findings);
  return report.text();
}

}  // namespace cornerturn
