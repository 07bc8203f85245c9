#include "change.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "options.hpp"
#include "types.hpp"

namespace cornerturn::cli {

element_operation change_arguments::operation(element_type source) const {
  return {.source = source, .destination = to.value_or(source), .alpha = alpha, .beta = beta, .conjugate = conjugate};
}

std::string change_arguments::name() const {
  std::string text;
  if (alpha != 1) text += fmt::format(", alpha {}", alpha);
  if (beta != 0) text += fmt::format(", beta {}", beta);
  if (conjugate) text += ", conjugate";
  return text;
}

void change_arguments::write(nlohmann::ordered_json& report) const {
  if (to) report["to"] = name_of(*to);
  if (alpha != 1) report["alpha"] = alpha;
  if (beta != 0) report["beta"] = beta;
  if (conjugate) report["conj"] = true;
}

std::vector<CLI::Option*> add_change(CLI::App& command, change_arguments& into, std::string const& with) {
  auto const add_factor = [&](std::string const& name, double& factor, std::string const& help) {
    return command
        .add_option_function<std::string>(
            name, [name, &factor](std::string const& text) { factor = real_number(name, text); }, with + help)
        ->type_name("NUMBER");
  };
  auto* const to = command
                       .add_option_function<std::string>(
                           "--to", [&into](std::string const& text) { into.to = changed_type_named(text, "--to"); },
                           with + "the type that elements become,\ne.g. bf16, f8_e4m3fn or complex64; default: --type")
                       ->type_name("TYPE");
  return {to, add_factor("--alpha", into.alpha, "multiply each element by this number"),
          add_factor("--beta", into.beta, "add this number times the old result"),
          command.add_flag("--conj", into.conjugate, with + "conjugate complex elements")};
}

}  // namespace cornerturn::cli
