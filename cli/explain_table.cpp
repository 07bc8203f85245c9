#include "explain_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "text.hpp"

namespace cornerturn::cli {
namespace {

struct cost {
  double actual = 0, ideal = 0;  ///< sectors or wavefronts a request
};

cost cost_of(memory_instruction const& each) {
  bool const shared = each.space == memory_space::shared;
  auto const requests = double(each.requests);
  return {double(shared ? each.wavefronts : each.sectors) / requests,
          double(shared ? each.ideal_wavefronts : each.ideal_sectors) / requests};
}

/// Long numbers give up their last digits.
std::string requests_text(std::int64_t requests) {
  return requests < 1'000'000'000 ? fmt::format("{}", requests) : fmt::format("{:.4g}", double(requests));
}

std::string title_of(memory_instruction const& each) {
  return fmt::format("{} {}{}", each.space == memory_space::shared ? "shared" : "global", each.store ? "store" : "load",
                     each.box ? ", boxes" : "");
}

/// "16 (4)": a rung's sectors or wavefronts a request of one kind, and the ideal where it differs; "-" where it has none.
std::string cost_text(explanation const& each, memory_space space, bool store) {
  std::int64_t requests = 0, actual = 0, ideal = 0;
  for (auto const& instruction : each.instructions) {
    if (instruction.space != space || instruction.store != store) continue;
    if (instruction.box) return "box";
    bool const shared = space == memory_space::shared;
    requests += instruction.requests;
    actual += shared ? instruction.wavefronts : instruction.sectors;
    ideal += shared ? instruction.ideal_wavefronts : instruction.ideal_sectors;
  }
  if (requests == 0) return "-";
  auto const mean = decimal(double(actual) / double(requests)), least = decimal(double(ideal) / double(requests));
  return mean == least ? mean : fmt::format("{} ({})", mean, least);
}

std::string size_text(explanation const& each) { return fmt::format("{} x {} {}", each.rows, each.cols, each.type); }

/// A line each, and what the columns mean.
void print_instructions(std::vector<memory_instruction> const& instructions) {
  fmt::print("{:<21}{:<18}{:>5}{:>11}{:>6}{:>7}{:>6}{:>6}\n", "instruction", "at", "bytes", "requests", "lanes", "cost", "ideal",
             "moved");
  for (auto const& each : instructions) {
    auto const [actual, ideal] = cost_of(each);
    fmt::print("{:<21}{:<18}{:>5}{:>11}{:>6}{:>7}{:>6}{:>6.2f}\n", title_of(each),
               each.file.empty() ? "" : fmt::format("{}:{}", each.file, each.line), each.bytes, requests_text(each.requests),
               decimal(double(each.active_lanes) / double(each.requests)), decimal(actual), decimal(ideal),
               double(each.bytes_moved) / double(each.bytes_needed));
    if (auto const ways = decimal(each.ways()); ways != "1") fmt::print("{:<21}{}-way bank conflict on average\n", "", ways);
  }
  fmt::print(
      "\nbytes: of one lane's access; requests: of all warps; lanes: with work, on\n"
      "average; cost: sectors of 32 bytes a request (global), wavefronts a request\n"
      "(shared); ideal: as few as would do; moved: bytes moved for each byte needed\n");
  if (std::ranges::any_of(instructions, &memory_instruction::box))
    fmt::print("of boxes a request is one box, its rows stand for lanes, bytes are a row's\n");
}

}  // namespace

std::string decimal(double value) {
  auto const text = fmt::format("{:.1f}", value);
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

void print_findings(std::vector<finding> const& findings) {
  if (!findings.empty()) fmt::print("\nProblems:\n");
  for (auto const& each : findings) fmt::print("- {}\n", wrapped(fmt::format("{} [{}]", each.text, each.kind), 2));
}

void print_rung(explanation const& each) {
  fmt::print("{}: {}\n", each.rung, wrapped(each.idea, each.rung.size() + 2));
  if (!each.unavailable.empty()) {
    fmt::print("{}\n", wrapped(fmt::format("n/a for {}: {}", size_text(each), each.unavailable), 0));
    return;
  }
  fmt::print("{}, tiles of {}\n", size_text(each), each.tile);
  fmt::print("rows {} and {} elements apart, buffers aligned to {} and {} bytes\n", each.source_pitch, each.destination_pitch,
             each.source_align, each.destination_align);
  fmt::print("{} of {}, in {} by edge and alignment\n", counted(each.blocks, "block"), counted(each.threads, "thread"),
             counted(each.classes, "kind"));
  fmt::print("predicted on an H200: {:.2f} of a copy, limited by {}\n\n", each.predicted, each.limit);
  print_instructions(each.instructions);
  if (each.findings.empty()) fmt::print("\nNo problem found.\n");
  print_findings(each.findings);
}

void print_table(std::vector<explanation> const& all) {
  std::vector<explanation const*> served, others;
  for (auto const& each : all) (each.unavailable.empty() ? served : others).push_back(&each);
  std::ranges::stable_sort(served, std::greater{}, &explanation::predicted);

  fmt::print("{}: sectors (global) and wavefronts (shared) a request\n\n", size_text(all.front()));
  fmt::print("{:<19}{:>12}{:>11}{:>11}{:>12}{:>6}  {}\n", "rung", "load", "sh. store", "sh. load", "store", "speed", "limit");
  for (auto const* each : served)
    fmt::print("{:<19}{:>12}{:>11}{:>11}{:>12}{:>6.2f}  {}\n", each->rung, cost_text(*each, memory_space::global, false),
               cost_text(*each, memory_space::shared, true), cost_text(*each, memory_space::shared, false),
               cost_text(*each, memory_space::global, true), each->predicted, each->limit.substr(0, each->limit.find(' ')));
  for (auto const* each : others) fmt::print("{:<20}n/a: {}\n", each->rung, wrapped(each->unavailable, 25));
  fmt::print(
      "\nspeed: as a ratio to a copy, predicted for an H200; fastest first. limit: what\n"
      "sets it. In brackets: as few as would do; box: moved by TMA.\n"
      "cornerturn explain RUNG says more.\n");
}

}  // namespace cornerturn::cli
