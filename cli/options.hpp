#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/info.hpp"
#include "cornerturn/processor.hpp"
#include "cornerturn/text.hpp"
#include "cornerturn/threads.hpp"
#include "refuse.hpp"

namespace cornerturn::cli {

/// Parses a decimal integer. Throws `error`, which names the argument, for anything else.
template <class Integer>
Integer whole_number(std::string_view name, std::string const& text) {
  Integer number{};
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size())
    refuse(name, text, fmt::format("a whole number, at most {}", std::numeric_limits<Integer>::max()));
  return number;
}

/// Parses a real decimal number. Throws `error`, which names the argument, for anything else.
inline double real_number(std::string_view name, std::string const& text) {
  double number = 0;
  auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size())
    refuse(name, text,
           problem == std::errc::result_out_of_range ? "a real number within the range of 64 bits" : "a real number, e.g. 0.5");
  return number;
}

/// Parses auto, cpu or gpu. Throws `error` for anything else; `or_h200` says that the command has h200, too.
inline processor_kind processor_of(std::string_view device, bool or_h200 = false) {
  if (device == "cpu") return processor_kind::cpu;
  if (device == "gpu") return processor_kind::gpu;
  if (device == "auto") return processor_kind::automatic;
  std::vector<std::string> names{"auto", "cpu", "gpu"};
  if (or_h200) names.emplace_back("h200");
  refuse("--device", device, list_text(names) + did_you_mean(device.starts_with("cuda") ? "gpu" : device, names));
}

/// Throws `error` if --device is gpu and no GPU can be used. `or_h200` is as in `processor_of`.
inline void refuse_missing_gpu(processor_kind asked, bool or_h200 = false) {
  if (auto const why = info().gpu_problem; asked == processor_kind::gpu && !why.empty())
    refuse("--device", "gpu", fmt::format("{} here: {}", or_h200 ? "cpu, auto or h200" : "cpu or auto", why));
}

/// Adds an option that takes a decimal integer. A default of 0 means that something else decides, and is not shown.
template <class Integer>
CLI::Option* add_number(CLI::App& command, std::string const& name, Integer& into, std::string const& help) {
  return command
      .add_option_function<std::string>(
          name, [name, &into](std::string const& text) { into = whole_number<Integer>(name.substr(0, name.find(',')), text); },
          help)
      ->type_name("INT")
      ->default_str(into ? std::to_string(into) : "");
}

/// Adds --threads to a command that moves host memory.
inline void add_threads(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--threads", [](std::string const& text) { set_num_threads(whole_number<int>("--threads", text)); },
          "Maximum CPU threads; default: the number that\ncornerturn info prints")
      ->type_name("INT");
}

}  // namespace cornerturn::cli
