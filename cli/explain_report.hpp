#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "cornerturn/layout.hpp"

namespace cornerturn::cli {

/// Explanations as a JSON list, with counts, sample requests by lane, and findings. A layout's explanation is one JSON object,
/// with its suggestion if there is one.
std::string json_of(std::vector<explanation> const& all);
std::string json_of(layout_explanation const& each, std::optional<layout_suggestion> const& found);

/// A self-contained HTML page that shows the explanations; those of `type` come first.
std::string page_of(std::vector<explanation> const& all, std::string const& type);

}  // namespace cornerturn::cli
