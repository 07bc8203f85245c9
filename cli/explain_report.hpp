#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "cornerturn/layout.hpp"

namespace cornerturn::cli {

/// A list of explanations as JSON: counts, sample requests lane by lane, findings. Of a layout: an object of the same, and what
/// was suggested.
std::string json_of(std::vector<explanation> const& all);
std::string json_of(layout_explanation const& each, std::optional<layout_suggestion> const& found);

/// A page without needs of its own, in which a person looks at the explanations; those of `type` come first.
std::string page_of(std::vector<explanation> const& all, std::string const& type);

}  // namespace cornerturn::cli
