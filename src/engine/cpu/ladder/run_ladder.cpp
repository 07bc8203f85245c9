#include "engine/cpu/ladder/run_ladder.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>

#include "base/refuse.hpp"
#include "base/round.hpp"
#include "cornerturn/text.hpp"
#include "cpu/machine.hpp"
#include "cpu/memory.hpp"
#include "cpu/sizes.hpp"
#include "engine/cpu/copies.hpp"
#include "engine/cpu/ladder/pattern.hpp"
#include "measure/clock.hpp"
#include "measure/ladder_rows.hpp"

namespace cornerturn::cpu {
namespace {

constexpr int kPoison = 0x5A;

/// The two buffers of a run, each on pages of its own. Every row of the run uses them.
struct buffers {
  explicit buffers(matrix const& shape) : shape(shape), bytes(shape.rows * shape.cols * shape.element_size) {
    if (auto const most = available_memory() / 2; bytes > most)
      refuse("rows x cols", fmt::format("{} x {} of {}", shape.rows, shape.cols, count_text(shape.element_size, "byte")),
             fmt::format("at most {} bytes twice, the memory that is available", most));
    auto const pages = std::size_t(ceil_div(bytes, kPage));
    source.resize(pages), destination.resize(pages);
    fill_pattern(source.data(), shape);
  }

  /// The number of elements that are wrong after one run over a poisoned destination.
  std::int64_t verify(runner const& each, bool transposed) {
    std::memset(destination.data(), kPoison, std::size_t(bytes));
    run(each);
    return count_wrong(destination.data(), shape, transposed);
  }

  void run(runner const& each) { each.run(source.data(), destination.data()); }

  struct alignas(kPage) page {
    std::byte bytes[kPage];
  };
  matrix shape;
  std::int64_t bytes;
  std::vector<page> source, destination;
};

}  // namespace

ladder_run run_ladder(ladder_options const& options, std::vector<cpu_rung> const& rungs,
                      std::function<void(std::string_view)> const& progress) {
  auto const tell = [&](std::string const& what) {
    if (progress) progress(what);
  };
  matrix const shape{options.rows, options.cols, type_size(options.type)};
  buffers memory(shape);
  ladder_run run{.device = fmt::format("{}, {}", model(), known_instructions()),
                 .rows = shape.rows,
                 .cols = shape.cols,
                 .type = options.type,
                 .timing = "clock",
                 .rungs = {}};

  std::vector<runner> runners;  // one per verified row
  auto const add = [&](std::string_view name, runner const& each, bool transposed) {
    tell(fmt::format("verifying {}", name));
    ladder_row const row{.name = std::string(name), .tile = each.tile, .threads = each.threads};
    if (add_row(run, row, memory.verify(each, transposed))) runners.push_back(each);
  };
  int const threads = prepare_threads(shape).threads;
  auto const copy = [&](auto const& by) {
    return runner{[=, bytes = memory.bytes](void const* from, void* to) { by(to, from, bytes, threads); }, "", threads};
  };
  add("memcpy", copy(plain_copy), false);
  add("nt-copy", copy(streaming_copy), false);
  for (auto const& each : rungs) add(each.name, each.prepare(shape), true);

  std::vector<std::vector<double>> ms(runners.size());
  for (int round = 1; round <= options.repeats; ++round) {
    tell(fmt::format("round {} of {}", round, options.repeats));
    for (std::size_t i = 0; i < runners.size(); ++i) ms[i].push_back(1e3 * seconds_of([&] { memory.run(runners[i]); }));
  }

  set_times(run, ms, memory.bytes);
  for (auto& row : run.rungs) row.nt_ratio = row.gbs / run.rungs[1].gbs;
  return run;
}

}  // namespace cornerturn::cpu
