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

/// The default of an argument that must be given: whoever reads it says that it is missing.
inline nb::handle missing() {
  static nb::handle const made = nb::module_::import_("builtins").attr("object")().release();
  return made;
}

/// A parameter that may be given by position or by name. To nanobind it has none, and `missing()` for its default: given twice,
/// it would be refused in nanobind's words.
struct parameter {
  std::string_view name;
  nb::handle otherwise = missing();
};

/// Sets those of the `values` that were given by name. Throws TypeError where one is given twice, or where there is anything that
/// a function has no parameters for.
void take_rest(std::span<nb::handle> values, std::span<parameter const> parameters, nb::args const& positional,
               nb::kwargs const& named, std::string_view signature);

/// A function as nanobind takes it, whose first parameters may be given by position. The arguments that do not fit are caught,
/// and refused in the words of the package with its `signature`: nanobind has words of its own.
template <std::size_t Positional, class Result, class... Parameters>
auto strict(Result (*function)(Parameters...), char const* signature, parameter const (&parameters)[Positional]) {
  using all = std::tuple<Parameters...>;
  auto const known = std::to_array(parameters);
  return [=]<std::size_t... First, std::size_t... Other>(std::index_sequence<First...>, std::index_sequence<Other...>) {
    return [=](std::tuple_element_t<First, all>... first, nb::args const& positional,
               std::tuple_element_t<Positional + Other, all>... other, nb::kwargs const& named) {
      std::array<nb::handle, Positional> values{first...};
      if (named.size() + positional.size() > 0) take_rest(values, known, positional, named, signature);
      auto const given = [&](std::size_t i) { return values[i].is(missing()) ? known[i].otherwise : values[i]; };
      return function(given(First)..., other...);
    };
  }
  (std::make_index_sequence<Positional>(), std::make_index_sequence<sizeof...(Parameters) - Positional>());
}

/// One without such parameters.
template <class Result>
auto strict(Result (*function)(), char const* signature) {
  return [=](nb::args const& positional, nb::kwargs const& named) {
    take_rest({}, {}, positional, named, signature);
    return function();
  };
}

/// An integer from `low` to `high`. Throws TypeError for what is none, ValueError for another.
std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high);

/// Throws TypeError for what is no text.
std::string string_of(nb::handle given, std::string_view name);

}  // namespace cornerturn::python
