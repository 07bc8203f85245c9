#include "cornerturn/tune.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cases.hpp"
#include "commands.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/info.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "interrupt.hpp"
#include "options.hpp"
#include "quantize.hpp"
#include "refuse.hpp"
#include "terminal.hpp"
#include "types.hpp"

namespace cornerturn::cli {
namespace {

void print_line(std::string_view us, std::string_view speed, std::string_view estimate, std::string const& text) {
  show_status("");
  fmt::print("{:>9} {:>7} {:>8}  {}\n", us, speed, estimate, wrapped(text, 28));
  std::fflush(stdout);  // the next line may take half a second
}

/// What is timed: a permutation, or a matrix that is quantised.
struct timed_case {
  std::string name;
  double moved_bytes;
  std::function<tuned()> tune;
};

struct tune_command {
  case_arguments arguments;
  quantize_arguments quantized;
  CLI::Option* shape_given = nullptr;
  std::string file;

  /// The matrix of the arguments.
  timed_case validated_matrix() const {
    auto const asked = arguments.parsed();
    auto const matrix = quantized.matrix_of(asked);
    quantized.refuse_options(arguments.options, "auto or gpu");
    refuse_missing_gpu(arguments.options.processor);
    if (auto const why = info().gpu_problem; !why.empty())
      refuse("--device", "auto", fmt::format("gpu with --scales, because the CPU has no kernels to choose from; here {}", why));
    auto const planned = quantize_candidates(matrix).front();
    return {quantized.name_of(asked), double(planned.read_bytes / planned.launches + planned.written_bytes),
            [matrix, options = arguments.options] { return tune_quantize(matrix, options); }};
  }

  /// The cases of the arguments, with types of `type_names`. All are validated before the first one is timed.
  std::vector<permutation_case> validated_cases() const {
    bool const one = shape_given->count() > 0;
    if (one != file.empty())
      throw error(error_kind::argument,
                  one ? "tune takes either a SHAPE or --cases FILE, not both" : "tune needs a SHAPE or --cases FILE");
    if (!one && arguments.change.is_given())
      throw error(error_kind::argument,
                  "--to, --alpha, --beta, --conj and --saturate are for a SHAPE; the cases of --cases FILE copy elements");
    auto cases = one ? std::vector{arguments.parsed()} : cases_in(file);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      try {
        cases[i].type = type_named(cases[i].type);
        plan_candidates(cases[i].shape, cases[i].axes, cases[i].element(), arguments.options);
      } catch (error const& e) {
        if (one) throw;
        throw error(e.kind(), fmt::format("{}: case {}: {}", file, i + 1, e.what()));
      }
    }
    return cases;
  }

  /// What the arguments ask for.
  std::vector<timed_case> timed_cases() const {
    if (quantized.is_given() && shape_given->count() > 0 && file.empty()) return {validated_matrix()};
    std::vector<timed_case> result;
    for (auto const& each : validated_cases())
      result.push_back({each.name(), each.moved_bytes(), [each, options = arguments.options] {
                          return tune_permute(each.shape, each.axes, each.element(), options);
                        }});
    return result;
  }

  void run() const {
    auto const cases = timed_cases();
    refuse_missing_gpu(arguments.options.processor);
    watch_for_signals();
    fmt::print("{:>9} {:>7} {:>8}  case: kernel chosen\n", "us", "GB/s", "estimate");
    std::size_t timed = 0, failed = 0;
    double logarithms = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      stop_if_interrupted("the choices up to here are stored");
      auto const& each = cases[i];
      show_status(fmt::format("{} of {}: {}", i + 1, cases.size(), each.name));
      try {
        auto const found = each.tune();
        if (found.kernel.empty()) {
          print_line("-", "-", "-", fmt::format("{}: nothing to move", each.name));
          continue;
        }
        double const ratio = found.seconds / found.estimated_seconds;
        ++timed, logarithms += std::log(ratio);
        print_line(fmt::format("{:.2f}", 1e6 * found.seconds), fmt::format("{:.2f}", 1e-9 * each.moved_bytes / found.seconds),
                   fmt::format("{:.3f}", ratio), fmt::format("{}: {}", each.name, found.kernel));
      } catch (error const& e) {
        if (!e.is_of_machine()) throw;
        ++failed;
        print_line("n/a", "n/a", "n/a", fmt::format("{}: {}", each.name, e.what()));
      }
    }
    fmt::print(
        "\nus: measured; GB/s: bytes read plus written; estimate: speed of the kernel that\n"
        "is chosen without measuring, as a ratio to this one; 1: it is the fastest\n");
    if (timed > 1)
      fmt::print("{}, geometric mean of the estimates {:.3f}\n", count_text(std::int64_t(timed), "case"),
                 std::exp(logarithms / double(timed)));
    if (failed > 0) throw CLI::RuntimeError(1);
  }
};

}  // namespace

void add_tune(CLI::App& app) {
  auto const command = std::make_shared<tune_command>();
  auto* const sub = app.add_subcommand("tune", "Time the kernels for an array and store the fastest");
  command->shape_given = add_case(*sub, command->arguments, false);
  sub->add_option("--cases", command->file, "Tune all cases of a JSON file instead of a SHAPE:\na list of [shape, axes, type]")
      ->type_name("FILE");
  add_quantize(*sub, command->quantized, kOfChanges);
  sub->footer(
      "Later plans of this user for the same array and alignment use the choice. It is\n"
      "stored in $CORNERTURN_CACHE_DIR, else in cornerturn in the user's cache\n"
      "directory. Example:\n"
      "  cornerturn tune 256x224x224x3 --axes 0,3,1,2 --type u8\n"
      "Exit code: 0; 1 if a GPU failed; 2 for bad arguments.");
  sub->callback([command] { command->run(); });
}

}  // namespace cornerturn::cli
