#include "change.hpp"

#include <fmt/format.h>

#include <cctype>
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

std::vector<CLI::Option*> add_change(CLI::App& command, change_arguments& into, std::string const& with) {
  auto const begun = [&](std::string help) {
    if (with.empty()) help.front() = char(std::toupper(help.front()));
    return with + help;
  };
  auto const add_factor = [&](std::string const& name, double& factor, std::string const& help) {
    return command
        .add_option_function<std::string>(
            name, [name, &factor](std::string const& text) { factor = real_number(name, text); }, begun(help))
        ->type_name("NUMBER");
  };
  auto* const to = command
                       .add_option_function<std::string>(
                           "--to", [&into](std::string const& text) { into.to = changed_type_named(text, "--to"); },
                           begun("the type that elements become,\ne.g. bf16, f8_e4m3fn or complex64; default: --type"))
                       ->type_name("TYPE");
  return {to, add_factor("--alpha", into.alpha, "multiply each element by this number"),
          add_factor("--beta", into.beta, "add this number times the old result"),
          command.add_flag("--conj", into.conjugate, begun("conjugate complex elements")),
          command
              .add_flag("--saturate", into.saturate,
                        begun("numbers beyond the range of an 8-bit\nfloating-point type become its largest number"))
              ->needs(to)};
}

}  // namespace cornerturn::cli
