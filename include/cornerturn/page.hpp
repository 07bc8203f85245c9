#pragma once

#include "cornerturn/cxx20.hpp"

#include <optional>
#include <string>
#include <vector>

#include "cornerturn/code.hpp"
#include "cornerturn/explain.hpp"
#include "cornerturn/export.h"
#include "cornerturn/layout.hpp"
#include "cornerturn/trace.hpp"

namespace cornerturn {

/// Explanations as a JSON list, with counts, sample requests by lane, and findings. A layout's explanation is one JSON object,
/// with the suggestion if there is one.
CORNERTURN_API std::string json_of(std::vector<explanation> const& all);
CORNERTURN_API std::string json_of(layout_explanation const& each, std::optional<layout_suggestion> const& found);

/// A code's explanation and the suggestions for its arrays, with the explanation of the code that follows them, as one JSON
/// object.
CORNERTURN_API std::string json_of(code_explanation const& code, std::vector<code_suggestion> const& found);

/// The kernels of a trace as a JSON list, with counts, sample requests by lane, and findings.
CORNERTURN_API std::string json_of(std::vector<traced_kernel> const& all);

/// A self-contained HTML page that shows the explanations, the ones of `type` first. A layout's page shows the suggestion beside
/// the layout.
///
/// ```cpp
/// std::string const html = cornerturn::page_of({cornerturn::explain("smem-swizzled", {})}, "f32");
/// ```
CORNERTURN_API std::string page_of(std::vector<explanation> const& all, std::string const& type);
CORNERTURN_API std::string page_of(layout_options const& asked, layout_explanation const& given,
                                   std::optional<layout_suggestion> const& found);
CORNERTURN_API std::string page_of(code_explanation const& code, std::vector<code_suggestion> const& found);
CORNERTURN_API std::string page_of(std::vector<traced_kernel> const& all);

}  // namespace cornerturn
