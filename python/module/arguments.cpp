#include "arguments.hpp"

#include <cornerturn/text.hpp>
#include <limits>

#include "attribute.hpp"

namespace cornerturn::python {
namespace {

/// The text that describe() returns, as `excerpt_of` shortens it, or the kind of an object that raises an exception instead, as
/// an integer of thousands of digits does.
template <class Describe>
std::string shortened(Describe const& describe, nb::handle object) {
  constexpr std::size_t kMost = 100;
  std::string whole, text;
  try {
    whole = describe();
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;
    return kind_of(object);
  }
  bool const has_lines = whole.find('\n') != whole.npos;
  for (char const c : whole) {
    bool const is_space = has_lines && (c == ' ' || c == '\n');
    if (!is_space || !text.ends_with(' ')) text += is_space ? ' ' : c;
  }
  if (text.size() <= kMost) return text;
  auto end = kMost;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character of UTF-8
  return text.substr(0, end) + "...";
}

}  // namespace

std::string text_of(nb::handle object) {
  auto const text = nb::str(object);
  auto const bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(bytes.ptr()), std::size_t(PyBytes_Size(bytes.ptr()))};
}

std::string excerpt_of(nb::handle object) {
  return shortened([&] { return text_of(object); }, object);
}

std::string repr_of(nb::handle object) {
  if (object.is(missing())) return "missing";
  return shortened([&] { return text_of(nb::repr(object)); }, object);
}

std::string type_of(nb::handle object) {
  auto const type = object.type();
  auto const module = text_of(get<"__module__">(type)), name = text_of(get<"__qualname__">(type));
  return module == "builtins" ? name : module + "." + name;
}

std::string hint_at(nb::handle given, std::vector<std::string> const& values) {
  if (!PyUnicode_Check(given.ptr())) return {};
  auto meant = similar_names(text_of(given), values);
  for (auto& each : meant) each = fmt::format("'{}'", each);
  return did_you_mean(meant);
}

std::string kind_of(nb::handle object) { return object.is(missing()) ? "missing" : "of type " + type_of(object); }

std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high, PyObject* beyond) {
  auto const number = try_int64(given);
  if (number && low <= *number && *number <= high) return *number;
  refuse(PyIndex_Check(given.ptr()) ? beyond : PyExc_TypeError, name, repr_of(given),
         fmt::format("an integer from {} to {}", low, high));
}

int threads_of(nb::handle given) { return int(integer_of(given, "threads", 0, std::numeric_limits<int>::max())); }

void refuse_number(nb::handle given, std::string_view name) {
  nb::python_error cause;  // takes the exception
  if (!cause.matches(PyExc_Exception)) throw cause;
  bool const overflows = cause.matches(PyExc_OverflowError);
  refuse_because(cause, overflows ? PyExc_ValueError : PyExc_TypeError, name, repr_of(given),
                 overflows ? "within the range of float64" : "a number");
}

bool bool_of(nb::handle given, std::string_view name) {
  constexpr std::string_view kAllowed = "True or False";
  if (PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), kAllowed);
  int const result = PyObject_IsTrue(given.ptr());
  if (result >= 0) return result == 1;
  nb::python_error cause;  // takes the exception
  if (!cause.matches(PyExc_Exception)) throw cause;
  refuse_because(cause, PyExc_TypeError, name, repr_of(given), kAllowed);
}

std::string string_of(nb::handle given, std::string_view name) {
  if (!PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), "a str");
  auto text = text_of(given);
  if (text.find('\0') != text.npos) refuse(PyExc_ValueError, name, repr_of(given), "a str without null characters");
  return text;
}

}  // namespace cornerturn::python
