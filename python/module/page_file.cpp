#include "page_file.hpp"

#include <fmt/format.h>

#include <cornerturn/error.hpp>
#include <cornerturn/file.hpp>

#include "arguments.hpp"
#include "attribute.hpp"

namespace cornerturn::python {
namespace {

/// The path that a str, bytes or os.PathLike names, as the bytes that the system gets.
std::string path_of(nb::handle path) {
  nb::object encoded;
  try {
    encoded = nb::module_::import_("os").attr("fsencode")(path);
  } catch (nb::python_error& e) {
    if (e.matches(PyExc_UnicodeError))
      refuse_because(e, PyExc_ValueError, "path", repr_of(path), "a name that the system has bytes for");
    if (!e.matches(PyExc_TypeError)) throw;
    refuse(PyExc_TypeError, "path", kind_of(path), "a str or an os.PathLike");
  }
  std::string const result(PyBytes_AsString(encoded.ptr()), std::size_t(PyBytes_Size(encoded.ptr())));
  if (result.find('\0') != result.npos) refuse(PyExc_ValueError, "path", repr_of(path), "without null characters");
  return result;
}

}  // namespace

std::string html_documentation(std::string_view command) {
  return fmt::format(R"(Writes the page of `cornerturn {} --html` to a file.

Raises
------
ValueError
    The file cannot be written.
TypeError
    path is neither a str nor an os.PathLike.
)",
                     command);
}

void write_page(nb::handle path, std::string const& page) {
  try {
    write_file(path_of(path), page);
  } catch (error const&) {
    refuse(PyExc_ValueError, "path", repr_of(path), "a file that can be written");
  }
}

}  // namespace cornerturn::python
