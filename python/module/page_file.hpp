#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

/// The methods `html` of explanations, which write a page to a file.
namespace cornerturn::python {

namespace nb = nanobind;

inline constexpr char const* kHtmlSignature = "html(path: str | bytes | PathLike[str] | PathLike[bytes]) -> None";

/// The docstring of a method that writes the page of "layout --html", say.
std::string html_documentation(std::string_view command);

/// Replaces the file that a path names by a page. Raises ValueError for a file that cannot be written, TypeError for no path.
void write_page(nb::handle path, std::string const& page);

}  // namespace cornerturn::python
