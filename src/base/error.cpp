#include "cornerturn/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace cornerturn {
namespace {

constexpr std::string_view kName = "{}";

/// The text with the name in place of its first "{}".
std::string with_name(std::string_view name, std::string text) {
  auto const at = text.find(kName);
  return at == text.npos ? text : text.replace(at, kName.size(), name);
}

std::string text_or_sentence(refused_argument const& refused, std::string text) {
  return text.empty() ? fmt::format("{} is {}; it must be {}", kName, refused.value, refused.allowed) : std::move(text);
}

}  // namespace

error::error(refused_argument refused, std::string text)
    : std::runtime_error(with_name(refused.name, text_or_sentence(refused, text))),
      kind_(error_kind::argument),
      about_(std::make_shared<argument_text>(argument_text{refused, text_or_sentence(refused, text)})) {}

error error::with_argument(std::string name) const {
  if (!about_) return *this;
  return error({std::move(name), about_->refused.value, about_->refused.allowed}, about_->text);
}

}  // namespace cornerturn
