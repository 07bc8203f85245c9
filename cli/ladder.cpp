#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "commands.hpp"
#include "cornerturn/info.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "report.hpp"
#include "terminal.hpp"
#include "text.hpp"
#include "types.hpp"

namespace cornerturn::cli {
namespace {

/// Milliseconds with four to six decimals, so that most times have three significant digits.
std::string in_ms(double ms) {
  int const needed = ms > 0 ? 2 - int(std::floor(std::log10(ms))) : 0;
  return fmt::format("{:.{}f}", ms, std::clamp(needed, 4, 6));
}

std::string access_text(int bytes) { return bytes ? std::to_string(bytes) : "box"; }

void print_row(ladder_row const& row, bool timed) {
  std::string tile, accesses;
  if (!row.tile.empty()) {
    tile = fmt::format("{}/{}", row.tile, row.threads) + (row.tiles > 1 ? fmt::format(" {}", row.tiles) : "");
    accesses = fmt::format("{}/{}", access_text(row.load_bytes), access_text(row.store_bytes));
  }
  auto const what = fmt::format("{:<20}{:<13}{:>7}", row.name, tile, accesses);
  if (row.result == ladder_row::outcome::not_available)
    fmt::print("{:<20}n/a: {}\n", row.name, wrapped(row.reason, 25));
  else if (row.result == ladder_row::outcome::wrong)
    fmt::print("{}\n{:<20}WRONG: {}\n", what, "", wrapped(row.reason, 27));
  else if (!timed)
    fmt::print("{}  right\n", what);
  else
    fmt::print("{}{:>9}{:>8.4f}{:>7.0f}{:>7.3f}{:>6.0f} %{}\n", what, in_ms(row.median_ms), row.iqr_ms, row.gbs, row.ratio,
               100 * row.peak, row.best ? "*" : "");
}

void print_cpu_run(ladder_run const& run, int repeats) {
  auto const moved = fmt::format("{} x {} {}, {} read and as much written, median of {} rounds", run.rows, run.cols, run.type,
                                 size_text(run.rows * run.cols * type_size(run.type)), repeats);
  fmt::print("{}\n{}\n\n", wrapped(run.device, 2), wrapped(moved, 2));
  fmt::print("{:<14}{:<12}{:>8}{:>11}{:>10}{:>8}{:>8}{:>9}\n", "rung", "tile", "threads", "ms", "iqr", "GB/s", "ratio",
             "nt-ratio");
  for (auto const& row : run.rungs) {
    auto const what = fmt::format("{:<14}{:<12}{:>8}", row.name, row.tile, row.threads);
    if (row.result == ladder_row::outcome::wrong)
      fmt::print("{}\n{:<14}WRONG: {}\n", what, "", wrapped(row.reason, 21));
    else
      fmt::print("{}{:>11}{:>10}{:>8.2f}{:>8.3f}{:>9.3f}\n", what, in_ms(row.median_ms), in_ms(row.iqr_ms), row.gbs, row.ratio,
                 row.nt_ratio);
  }
  fmt::print(
      "\ntile: source rows x columns; GB/s: bytes read plus written; ratio: to memcpy;\n"
      "nt-ratio: to nt-copy, a copy with non-temporal stores\n");
}

void print_run(ladder_run const& run, ladder_options const& options) {
  bool const timed = !run.device.empty();
  if (timed) {
    fmt::print("{}: {} x {} {}, {} read and as much written\n", run.device, run.rows, run.cols, run.type,
               size_text(run.rows * run.cols * type_size(run.type)));
    fmt::print("median of {} rounds, {}\n\n", options.repeats,
               run.timing == "graph" ? "each row a CUDA graph of several launches" : "single launches on a busy stream");
    fmt::print("{:<20}{:<13}{:>7}{:>9}{:>8}{:>7}{:>7}{:>8}\n", "rung", "tile/threads", "bytes", "ms", "iqr", "GB/s", "ratio",
               "of peak");
  } else {
    bool const limited = run.rows != options.rows || run.cols != options.cols;
    auto const limit = limited ? fmt::format(" (limited from {} x {})", options.rows, options.cols) : "";
    fmt::print("No GPU: {}.\n{}\nThe CPU has its own ladder: --device cpu.\n\n", cornerturn::info().gpu_problem,
               wrapped(fmt::format("Verified on the host executor instead, {} x {} {}{}; nothing is timed.", run.rows, run.cols,
                                   run.type, limit),
                       0));
    fmt::print("{:<20}{:<13}{:>7}\n", "rung", "tile/threads", "bytes");
  }
  for (auto const& row : run.rungs) print_row(row, timed);
  if (!timed) return;
  fmt::print(
      "\ntile/threads: per block; a number after them: tiles that a block moves in turn\n"
      "bytes: per thread of a global load and store (box: TMA); GB/s: read plus written\n"
      "ratio: to memcpy; peak: {:.0f} GB/s, the GPU's memory clock times its bus width\n",
      run.peak_gbs);
  if (std::ranges::any_of(run.rungs, &ladder_row::best)) fmt::print("*: the fastest of the rung's tiles\n");
}

/// The CPU's default for rows and columns; it would take minutes for the GPU's default.
constexpr std::int64_t kCpuSide = 8192;

struct ladder_command {
  ladder_options options;
  std::string json;

  void run() const {
    if (!json.empty()) expect_writable(json);  // fails before minutes of work, not after
    refuse_missing_gpu(options.processor);
    watch_for_signals();
    auto const show_progress = [](std::string_view step) {
      show_status("");
      stop_if_interrupted("no report is written");
      show_status(step);
    };
    auto const result = run_ladder(options, show_progress);
    show_progress("");
    options.processor == processor_kind::cpu ? print_cpu_run(result, options.repeats) : print_run(result, options);
    if (!json.empty()) write_json(result, json);
    if (!result.all_right()) throw CLI::RuntimeError(1);
  }
};

}  // namespace

void add_ladder(CLI::App& app) {
  auto const command = std::make_shared<ladder_command>();
  auto* const sub = app.add_subcommand("ladder", "Verify every transpose kernel and time it beside a copy");
  sub->add_option_function<std::string>(
         "--device", [command](std::string const& name) { command->options.processor = processor_of(name); },
         "auto, cpu or gpu; auto: the GPU; without one, its rungs\nare verified on the host")
      ->type_name("NAME");
  add_threads(*sub);
  auto* const rows =
      add_number(*sub, "--rows", command->options.rows, fmt::format("Rows of the matrix; on the CPU {}", kCpuSide));
  auto* const cols = add_number(*sub, "--cols", command->options.cols, fmt::format("Columns; on the CPU {}", kCpuSide));
  add_type(*sub, command->options.type);
  sub->add_option("--kernels", command->options.kernels,
                  "Rungs to run, separated by commas; default: all:\n" + name_list(rung_names()) + "\non the CPU:\n" +
                      name_list(rung_names(processor_kind::cpu)))
      ->delimiter(',')
      ->type_name("LIST");
  sub->add_option("--tiles", command->options.tiles,
                  "all: sweep each rung over all its tiles; or over those\n"
                  "listed, e.g. 64x64,32x32; default: one tile per rung.\n"
                  "CORNERTURN_KERNELS=sweeps builds more tiles")
      ->delimiter(',')
      ->type_name("LIST");
  add_number(*sub, "--repeats", command->options.repeats, "Number of timed rounds");
  sub->add_option("--json", command->json, "Write the run to this file as JSON")->type_name("FILE");
  sub->footer(
      "Without a GPU, the host executor verifies the GPU's rungs, untimed. The CPU's\n"
      "rungs are verified and timed. Example:\n"
      "  cornerturn ladder --device cpu\n"
      "Exit code: 0; 1 if a result is wrong or the GPU failed; 2 for bad arguments and\n"
      "files that cannot be written.");
  sub->callback([command, rows, cols] {
    if (command->options.processor == processor_kind::cpu) {
      if (!*rows) command->options.rows = kCpuSide;
      if (!*cols) command->options.cols = kCpuSide;
    }
    command->run();
  });
}

}  // namespace cornerturn::cli
