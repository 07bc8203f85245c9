#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace cornerturn::python {

namespace nb = nanobind;

/// The default of an argument that must be given: whoever reads it says that it is missing.
nb::handle missing();

/// Throws TypeError where there is anything in what a function has no parameters for.
void refuse_rest(nb::args const& positional, nb::kwargs const& named, std::string_view signature);

/// A function as nanobind takes it, with `Positional` parameters that may be given by position. The arguments that do not fit
/// are caught, and refused in the words of the package with its `signature`: nanobind has words of its own.
template <std::size_t Positional, class Result, class... Parameters>
auto strict(Result (*function)(Parameters...), char const* signature) {
  using all = std::tuple<Parameters...>;
  return [=]<std::size_t... First, std::size_t... Other>(std::index_sequence<First...>, std::index_sequence<Other...>) {
    return [=](std::tuple_element_t<First, all>... first, nb::args const& positional,
               std::tuple_element_t<Positional + Other, all>... other, nb::kwargs const& named) {
      refuse_rest(positional, named, signature);
      return function(first..., other...);
    };
  }
  (std::make_index_sequence<Positional>(), std::make_index_sequence<sizeof...(Parameters) - Positional>());
}

/// An integer from `low` to `high`. Throws TypeError for what is none, ValueError for another.
std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high);

/// Throws TypeError for what is no text.
std::string string_of(nb::handle given, std::string_view name);

}  // namespace cornerturn::python
