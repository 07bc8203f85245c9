#include "plan_ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "cornerturn/distributed.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "lists.hpp"
#include "options.hpp"
#include "text.hpp"

namespace cornerturn::cli {
namespace {

using list = std::vector<std::int64_t>;

/// The heading of the options about ranks in the help.
constexpr auto kOfRanks = "Arrays over ranks of MPI or torch.distributed";

/// Parses what each mode of the grid divides, "0,r,-1"; `r` is for replicated. Without a text, mode i divides axis i. `grid_name`
/// is the option of the grid.
list shards_of(std::string_view name, std::string const& text, std::string_view grid_name, std::size_t grid_rank,
               std::size_t array_rank) {
  list result;
  auto const rank = std::int64_t(array_rank);
  if (text.empty()) {
    if (grid_rank > array_rank)
      throw error({std::string(grid_name), std::to_string(grid_rank), fmt::format("{} or less without {}", rank, name)},
                  fmt::format("{{}} has {}; an array of {} needs {} as well", count_text(std::int64_t(grid_rank), "number"),
                              rank == 1 ? "1 axis" : fmt::format("{} axes", rank), name));
    for (std::size_t i = 0; i < grid_rank; ++i) result.push_back(std::int64_t(i));
    return result;
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    auto const item = text.substr(begin, end - begin);
    std::int64_t axis = distributed::kReplicated;
    if (item != "r") {
      auto const [last, problem] = std::from_chars(item.data(), item.data() + item.size(), axis);
      if (problem != std::errc() || last != item.data() + item.size() || axis < -rank || axis >= rank)
        refuse(name, text, fmt::format("axes from {} to {}, or r for replicated", -rank, rank - 1));
      if (axis < 0) axis += rank;
    }
    result.push_back(axis);
    begin = end + 1;
  }
  if (result.size() != grid_rank)
    refuse(name, text,
           fmt::format("a list of {}, one for each number of {}", count_text(std::int64_t(grid_rank), "item"), grid_name));
  return result;
}

/// "axis 0 in 8, axis 1 in 16" for the blocks of one side.
std::string blocks_text(distributed::sharding const& side) {
  std::map<std::int64_t, std::int64_t> parts;
  for (std::size_t i = 0; i < side.grid.size(); ++i)
    if (side.modes[i] != distributed::kReplicated) parts.try_emplace(side.modes[i], 1).first->second *= side.grid[i];
  std::vector<std::string> texts;
  for (auto const& [axis, count] : parts) texts.push_back(fmt::format("axis {} in {}", axis, count_text(count, "block")));
  std::int64_t copies = 1;
  for (std::size_t i = 0; i < side.grid.size(); ++i)
    if (side.modes[i] == distributed::kReplicated) copies *= side.grid[i];
  if (copies > 1) texts.push_back(fmt::format("{} replicas", copies));
  return texts.empty() ? "whole" : fmt::format("{}", fmt::join(texts, ", "));
}

std::string box_text(distributed::box const& indices) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < indices.begin.size(); ++i)
    ranges.push_back(fmt::format("{}:{}", indices.begin[i], indices.begin[i] + indices.extents[i]));
  return fmt::format("[{}]", fmt::join(ranges, ", "));
}

/// `of_type` names what messages consist of if elements change, e.g. " of bf16".
std::string totals_text(distributed::totals const& sum, std::string const& of_type) {
  std::string text;
  auto const line = [&](std::string_view name, std::string const& of_one, std::string const& of_all) {
    text += fmt::format("{:<17}{:>24}{:>34}", name, of_one, of_all);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  };
  auto const empty = [](std::int64_t count) { return count > 0 ? fmt::format("{} empty", count) : ""; };
  line("", "one rank at most", fmt::format("all {}", count_text(sum.ranks, "rank")));
  line("source block", size_text(sum.largest_source_block), empty(sum.empty_source_blocks));
  line("result block", size_text(sum.largest_destination_block), empty(sum.empty_destination_blocks));
  line("sent", size_text(sum.most_bytes_sent), fmt::format("{} on the wire", size_text(sum.bytes_on_the_wire)));
  line("received", size_text(sum.most_bytes_received), fmt::format("{} kept", size_text(sum.bytes_kept)));
  line("messages", fmt::format("{}", sum.most_messages), fmt::format("{}", sum.messages));
  line("workspace", size_text(sum.most_workspace), "");
  if (sum.messages > 0)
    text += sum.smallest_message == sum.largest_message
                ? fmt::format("Each message has {}{}.\n", size_text(sum.largest_message), of_type)
                : fmt::format("Messages have {} to {}{}.\n", size_text(sum.smallest_message), size_text(sum.largest_message),
                              of_type);
  return text;
}

std::string messages_text(distributed::rank_plan const& plan, std::size_t listed) {
  auto const sends = plan.sends();
  auto text = wrapped(fmt::format("Rank {} has {} and sends {}.", plan.rank(), box_text(plan.source_block()),
                                  count_text(std::int64_t(sends.size()), "message")),
                      2) +
              "\n";
  if (sends.empty()) return text;
  text += fmt::format("\n{:>8} {:>12}  box of the source\n", "to rank", "bytes");
  for (std::size_t i = 0; i < std::min(listed, sends.size()); ++i)
    text += fmt::format("{:>8} {:>12}  {}\n", sends[i].peer, sends[i].bytes,
                        wrapped(box_text(sends[i].indices) + (sends[i].is_direct ? ", not packed" : ""), 23));
  if (listed < sends.size())
    text += fmt::format("{:>23}and {}; --all lists them\n", "", count_text(std::int64_t(sends.size() - listed), "other"));
  return text;
}

nlohmann::ordered_json json_of(std::span<distributed::message const> messages) {
  auto result = nlohmann::ordered_json::array();
  for (auto const& each : messages)
    result.push_back({{"rank", each.peer},
                      {"bytes", each.bytes},
                      {"begin", each.indices.begin},
                      {"extents", each.indices.extents},
                      {"copied", !each.is_direct}});
  return result;
}

}  // namespace

void add_ranks(CLI::App& command, ranks_arguments& into) {
  auto* const ranks = command.add_option("--ranks", into.grid, "The grid of ranks over which the array is spread, e.g.\n8x16");
  ranks->type_name("GRID")->group(kOfRanks);
  for (auto const* name : {"--device", "--threads", "--source-align", "--destination-align"})
    into.unused.push_back(command.get_option(name));
  for (auto* const each :
       {command
            .add_option(
                "--shards", into.shards,
                "The axis of the array that each mode of the grid\ndivides, or r for replicated, e.g. 0,r. Default: 0,1,…")
            ->type_name("LIST"),
        command.add_option("--result-shards", into.result_shards, "Likewise for the result and its axes")->type_name("LIST"),
        command
            .add_option("--result-ranks", into.result_grid,
                        "The grid of the same ranks for the result, e.g. slabs\nto pencils. Default: that of --ranks")
            ->type_name("GRID"),
        add_number(command, "--rank", into.rank, "The rank whose messages are listed; default: 0")})
    each->needs(ranks)->group(kOfRanks);
}

ranks_report plan_over_ranks(permutation_case const& asked, ranks_arguments const& arguments, bool every) {
  for (auto const* each : arguments.unused)
    if (each->count() > 0) throw error({each->get_name(), "given", "left out with --ranks"});
  auto const grid = grid_of("--ranks", arguments.grid);
  bool const is_regridded = !arguments.result_grid.empty();
  auto const result_grid = is_regridded ? grid_of("--result-ranks", arguments.result_grid) : grid;
  auto const rank = asked.shape.size();
  auto const source_shards = shards_of("--shards", arguments.shards, "--ranks", grid.size(), rank);
  auto const result_shards = shards_of("--result-shards", arguments.result_shards, is_regridded ? "--result-ranks" : "--ranks",
                                       result_grid.size(), rank);
  distributed::description given{.shape = asked.shape,
                                 .axes = asked.axes,
                                 .source = {grid, source_shards},
                                 .destination = {result_grid, result_shards},
                                 .element = asked.element()};
  std::string of_type;
  if (auto const& operation = given.element.operation())
    of_type = fmt::format(" of {}", name_of(size_of(operation->destination) <= size_of(operation->source) ? operation->destination
                                                                                                          : operation->source));
  distributed::rank_plan const plan(given, arguments.rank);
  auto const sum = distributed::total(given);
  ranks_report report;
  report.text = wrapped(
      fmt::format("{} over {} ranks: {}", asked.name(), fmt::join(grid, "x"), size_text(std::int64_t(asked.source_bytes()))), 2);
  report.text +=
      "\n" + wrapped(fmt::format("source: {}; result: {}", blocks_text(given.source), blocks_text(given.destination)), 2);
  report.text += "\n\n" + totals_text(sum, of_type) + "\n" + messages_text(plan, every ? plan.sends().size() : kListed);
  nlohmann::ordered_json json{{"shape", asked.shape},
                              {"axes", asked.axes},
                              {"type", asked.type},
                              {"ranks", grid},
                              {"result_ranks", result_grid},
                              {"shards", given.source.modes},
                              {"result_shards", given.destination.modes},
                              {"messages", sum.messages},
                              {"bytes_on_the_wire", sum.bytes_on_the_wire},
                              {"bytes_kept", sum.bytes_kept},
                              {"most_messages", sum.most_messages},
                              {"most_bytes_sent", sum.most_bytes_sent},
                              {"most_bytes_received", sum.most_bytes_received},
                              {"most_workspace", sum.most_workspace},
                              {"rank", arguments.rank},
                              {"sends", json_of(plan.sends())},
                              {"receives", json_of(plan.receives())}};
  asked.change.write(json);
  report.json = json.dump(1) + "\n";
  return report;
}

}  // namespace cornerturn::cli
