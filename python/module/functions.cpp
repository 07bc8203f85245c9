#include "functions.hpp"

#include <nanobind/eval.h>

#include <algorithm>
#include <cornerturn/text.hpp>
#include <cstdlib>
#include <ranges>

#include "arguments.hpp"
#include "attribute.hpp"

namespace cornerturn::python {
namespace {

/// Takes the first parameter off a list. A comma in brackets is part of a type.
std::string_view take_parameter(std::string_view& list) {
  constexpr std::string_view kSeparator = ", ";
  int depth = 0;
  std::size_t end = 0;
  for (; end < list.size() && (list[end] != ',' || depth > 0); ++end) depth += (list[end] == '[') - (list[end] == ']');
  auto const taken = list.substr(0, end);
  list.remove_prefix(std::min(end + kSeparator.size(), list.size()));
  return taken;
}

}  // namespace

signature::signature(std::string_view text) : text_(text.substr(0, text.find('(') + 1)) {
  auto const begin = text_.size();
  bool has_star = false;
  for (auto list = text.substr(begin, text.find(')') - begin); !list.empty();) {
    auto const each = take_parameter(list);
    auto const name = each.substr(0, each.find_first_of(":="));
    if (text_.size() > begin) text_ += ", ";
    text_ += name;
    if (each == "/") {
      named_from_ = parameters_.size();
    } else if (each == "*") {
      has_star = true;
    } else {
      has_rest_ = name.starts_with("**");
      parameters_.push_back({.name = PyUnicode_InternFromString(std::string(name.substr(has_rest_ ? 2 : 0)).c_str())});
      if (auto const equals = each.find('='); equals != each.npos) {
        auto const value = std::string(each.substr(each.find_first_not_of(' ', equals + 1)));
        parameters_.back().default_value = nb::eval(nb::str(value.c_str())).release();
        text_ += '=' + value;
      }
      positional_ += !has_star && !has_rest_;
    }
  }
  text_ += ')';
}

std::string_view signature::parameters() const {
  auto const begin = text_.find('(') + 1;
  return std::string_view(text_).substr(begin, text_.size() - begin - 1);
}

std::size_t signature::find(nb::handle name) const {
  auto const by_keyword = std::ranges::subrange(parameters_.begin() + std::ptrdiff_t(named_from_), parameters_.end() - has_rest_);
  for (auto const& each : by_keyword)
    if (each.name.is(name)) return std::size_t(&each - parameters_.data());
  for (auto const& each : by_keyword)
    if (are_equal(each.name, name)) return std::size_t(&each - parameters_.data());
  return parameters_.size();
}

std::vector<std::string> signature::names() const {
  std::vector<std::string> result;
  for (auto const& each : std::span(parameters_).subspan(named_from_)) result.push_back(text_of(each.name));
  return result;
}

/// Refuses permute(x, 2, 0, 1), which means the axes (2, 0, 1) in methods of NumPy and PyTorch.
void signature::refuse_loose_axes(call_arguments const& given) const {
  constexpr std::size_t kAxes = 1;
  if (size() <= kAxes || text_of(parameters_[kAxes].name) != "axes") return;
  auto const axes = std::span(given.values, std::size_t(given.count)).subspan(kAxes);
  if (!std::ranges::all_of(axes, [](PyObject* each) { return PyLong_Check(each) != 0; })) return;
  std::string list;
  for (auto const each : axes) list += (list.empty() ? "" : ", ") + text_of(each);
  refuse(PyExc_TypeError, "axes", list, fmt::format("one tuple, ({})", list));
}

void signature::bind(call_arguments const& given, std::span<nb::handle> values, nb::object& rest) const {
  auto const count = std::size_t(given.count), used = std::min(count, positional_);
  for (std::size_t i = 0; i < used; ++i) values[i] = given.values[i];
  std::ranges::fill(values.subspan(used), nb::handle());
  nb::object pairs = has_rest_ ? nb::object(nb::list()) : nb::object();
  for (Py_ssize_t i = 0; given.names && i < PyTuple_Size(given.names); ++i) {
    nb::handle const name = PyTuple_GetItem(given.names, i), value = given.values[given.count + i];
    auto const found = find(name);
    if (bool const is_free = found < size() && !values[found].is_valid(); is_free)
      values[found] = value;
    else if (has_rest_)
      nb::borrow<nb::list>(pairs).append(nb::make_tuple(name, value));
    else if (found < size())
      refuse(PyExc_TypeError, text_of(name), "given by position and by name", "given once");
    else
      raise(PyExc_TypeError,
            fmt::format("unknown argument '{}' of {}{}", text_of(name), text_, did_you_mean(text_of(name), names())));
  }
  if (count > positional_) {
    refuse_loose_axes(given);
    raise(PyExc_TypeError,
          fmt::format("{} takes {} by position, not {}", text_, count_text(std::int64_t(positional_), "argument"), count));
  }
  for (std::size_t i = used; i < size(); ++i)
    if (!values[i].is_valid()) values[i] = parameters_[i].default_value;
  if (has_rest_) {
    rest = nb::tuple(pairs);
    values.back() = rest;
  }
}

std::string documented(std::string_view text, std::string_view returns, std::string_view raises, std::string_view example) {
  return fmt::format(R"({}
{}
Raises
------
ValueError, TypeError, BufferError, MemoryError, RuntimeError
    {}

Examples
--------
>>> import cornerturn, numpy as np
{}
)",
                     text, returns.empty() ? "" : fmt::format("\nReturns\n-------\narray\n    {}\n", returns), raises, example);
}

bool is_for_stubs() { return std::getenv("NB_STUBGEN") != nullptr; }

void add_for_stubs(nb::handle scope, std::string const& name, std::string_view text, std::string const& documentation) {
  auto const parameters_and_result = text.substr(text.find('(') + 1);
  auto const is_method = PyType_Check(scope.ptr());
  auto const self = !is_method ? "" : parameters_and_result.starts_with(')') ? "self" : "self, ";
  auto const typed = fmt::format("def {}({}{}", name, self, parameters_and_result);
  auto const refuse_call = [](nb::args const&) {
    raise(PyExc_RuntimeError, "cornerturn only has signatures while NB_STUBGEN is set");
  };
  auto const add = [&](auto... extra) {
    nb::setattr(scope, name.c_str(),
                nb::cpp_function(refuse_call, nb::scope(scope), nb::name(name.c_str()), nb::sig(typed.c_str()),
                                 documentation.c_str(), extra...));
  };
  is_method ? add(nb::is_method()) : add();
}

}  // namespace cornerturn::python
