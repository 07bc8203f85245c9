#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace cornerturn::python {

namespace nb = nanobind;

/// A sentinel: the default of required arguments. Functions that read such an argument report it as missing.
inline nb::handle missing() {
  static nb::handle const made = nb::module_::import_("builtins").attr("object")().release();
  return made;
}

/// A parameter that may be given by position or by keyword. It is registered in nanobind without a name and with the default
/// `missing()`, so that this package and not nanobind reports an argument that is given twice.
struct parameter {
  std::string_view name;
  nb::handle default_value = missing();
};

/// Fills in the `values` that were given by keyword. Throws TypeError for an argument given twice and for an unknown one.
void bind_arguments(std::span<nb::handle> values, std::span<parameter const> parameters, nb::args const& positional,
                    nb::kwargs const& named, std::string_view signature);

/// Wraps a function for nanobind. Its first parameters, listed in `parameters`, may be given by position or by keyword.
/// Unexpected arguments raise TypeError with the `signature` in the package's wording.
template <std::size_t Positional, class Result, class... Parameters>
auto strict(Result (*function)(Parameters...), char const* signature, parameter const (&parameters)[Positional]) {
  using all = std::tuple<Parameters...>;
  auto const known = std::to_array(parameters);
  return [=]<std::size_t... First, std::size_t... Other>(std::index_sequence<First...>, std::index_sequence<Other...>) {
    return [=](std::tuple_element_t<First, all>... first, nb::args const& positional,
               std::tuple_element_t<Positional + Other, all>... other, nb::kwargs const& named) {
      std::array<nb::handle, Positional> values{first...};
      if (named.size() + positional.size() > 0) bind_arguments(values, known, positional, named, signature);
      auto const given = [&](std::size_t i) { return values[i].is(missing()) ? known[i].default_value : values[i]; };
      return function(given(First)..., other...);
    };
  }
  (std::make_index_sequence<Positional>(), std::make_index_sequence<sizeof...(Parameters) - Positional>());
}

/// Wraps a function without parameters.
template <class Result>
auto strict(Result (*function)(), char const* signature) {
  return [=](nb::args const& positional, nb::kwargs const& named) {
    bind_arguments({}, {}, positional, named, signature);
    return function();
  };
}

/// Converts an integer from `low` to `high`. Throws TypeError if it is not an integer, ValueError if it is out of range.
std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high);

/// Converts a str. Throws TypeError for anything else.
std::string string_of(nb::handle given, std::string_view name);

}  // namespace cornerturn::python
