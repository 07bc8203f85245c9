#include "change.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "options.hpp"
#include "types.hpp"

namespace cornerturn::cli {

element_operation change_arguments::operation(element_type source) const {
  return {.source = source,
          .destination = to.value_or(source),
          .alpha = alpha,
          .beta = beta,
          .conjugate = conjugate,
          .saturate = saturate};
}

std::string change_arguments::name() const {
  std::string text;
  if (alpha != 1) text += fmt::format(", alpha {}", alpha);
  if (beta != 0) text += fmt::format(", beta {}", beta);
  if (conjugate) text += ", conjugate";
  if (saturate) text += ", saturated";
  return text;
}

void change_arguments::write(nlohmann::ordered_json& report) const {
  if (to) report["to"] = name_of(*to);
  if (alpha != 1) report["alpha"] = alpha;
  if (beta != 0) report["beta"] = beta;
  if (conjugate) report["conj"] = true;
  if (saturate) report["saturate"] = true;
}

std::vector<CLI::Option*> add_change(CLI::App& command, change_arguments& into, std::string const& heading) {
  auto const add_factor = [&](std::string const& name, double& factor, std::string const& help) {
    return command
        .add_option_function<std::string>(
            name, [name, &factor](std::string const& text) { factor = real_number(name, text); }, help)
        ->type_name("NUMBER");
  };
  auto* const to = command
                       .add_option_function<std::string>(
                           "--to,--dtype", [&into](std::string const& text) { into.to = changed_type_named(text, "--to"); },
                           "The type that elements become, e.g. bf16,\nf8_e4m3fn or complex64; default: --type")
                       ->type_name("TYPE");
  std::vector<CLI::Option*> const all{
      to, add_factor("--alpha", into.alpha, "Multiply each element by this number"),
      add_factor("--beta", into.beta, "Add this number times the old result"),
      command.add_flag("--conj", into.conjugate, "Conjugate complex elements"),
      command
          .add_flag("--saturate", into.saturate,
                    "With --to: numbers beyond the range of an 8-bit\nfloating-point type become its largest number")
          ->needs(to)};
  for (auto* const each : all) each->group(heading);
  return all;
}

}  // namespace cornerturn::cli
