#include <cornerturn/formats.hpp>
#include <limits>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "axes.hpp"
#include "functions.hpp"
#include "module.hpp"
#include "view.hpp"

namespace cornerturn::python {
namespace {

nb::object str_of(std::string const& text) { return nb::str(text.c_str(), text.size()); }

nb::object format_names() {
  nb::list names;
  for (auto const& each : cornerturn::format_names()) names.append(str_of(each));
  return nb::tuple(names);
}

/// What cornerturn.formats.Format has, in its order.
nb::object format(nb::handle name) {
  auto const found = format_of(string_of(name, "name"));
  nb::list lengths;
  for (auto const& each : found.lengths) lengths.append(nb::make_tuple(str_of(each.name), each.value, each.in_bytes));
  return nb::make_tuple(str_of(found.name), str_of(found.pattern), nb::tuple(lengths), found.padded, found.bits,
                        str_of(found.swizzle), found.by_shape, str_of(found.description), str_of(found.source));
}

/// `pack` and `unpack` give rearrange the lengths of axes beside its keywords.
void expect_no_keywords(std::string const& pattern, nb::handle given) {
  for (std::string_view const keyword : {"pad", "shape", "bits", "order", "swizzle", "source_swizzle", "out"})
    if (has_axis(pattern, keyword))
      refuse(PyExc_ValueError, "pattern", repr_of(given),
             fmt::format("one whose axes have other names than {}, a keyword of rearrange", keyword));
}

nb::object register_format(nb::handle name, nb::handle pattern, nb::handle lengths, nb::handle padded, nb::handle bits,
                           nb::handle swizzle, nb::handle description, nb::handle source) {
  layout_format made{.name = string_of(name, "name"), .pattern = string_of(pattern, "pattern")};
  expect_no_keywords(made.pattern, pattern);
  for (auto const& each : nb::borrow<nb::tuple>(lengths)) {
    auto const pair = nb::borrow<nb::tuple>(each);
    auto const axis = text_of(pair[0]);
    made.lengths.push_back({axis, integer_of(pair[1], axis, 0, std::numeric_limits<std::int64_t>::max())});
  }
  made.padded = bool_of(padded, "padded");
  made.bits = int(integer_of(bits, "bits", 1, 8));
  made.swizzle = string_of(swizzle, "swizzle");
  made.description = string_of(description, "description");
  made.source = string_of(source, "source");
  cornerturn::register_format(std::move(made));
  return nb::none();
}

/// The pattern and a dict of the lengths with which `rearrange` packs or unpacks an array, whether it is padded, and the
/// swizzles.
nb::object format_call(nb::handle name, nb::handle shape, nb::handle element_bits, nb::handle given, nb::handle packs) {
  auto const extents = read_index_list(shape, "shape");
  std::vector<std::string> names;
  std::vector<axis_length> lengths;
  auto const pairs = nb::borrow<nb::tuple>(given);
  for (auto const& each : pairs) names.push_back(text_of(nb::borrow<nb::tuple>(each)[0]));
  for (std::size_t i = 0; i < names.size(); ++i)
    lengths.push_back(
        {names[i], integer_of(nb::borrow<nb::tuple>(pairs[i])[1], names[i], 0, std::numeric_limits<std::int64_t>::max())});
  auto const call = (bool_of(packs, "packs") ? packing : unpacking)(
      string_of(name, "name"), extents.list(), integer_of(element_bits, "bits", 1, std::numeric_limits<int>::max()), lengths);
  nb::dict all;
  for (auto const& each : call.lengths) all[str_of(each.name)] = each.value;
  return nb::make_tuple(str_of(call.pattern), all, call.padded, str_of(call.swizzle), str_of(call.source_swizzle));
}

}  // namespace

void add_formats(nb::module_& m) {
  builtin<format_names>::add(m, "_format_names() -> tuple", "The names of all formats.");
  builtin<format>::add(m, "_format(name: str) -> tuple", "What a format consists of.");
  builtin<register_format>::add(
      m,
      "_register_format(name: str, pattern: str, lengths: tuple, padded: bool, bits: int, swizzle: str, "
      "description: str, source: str) -> None",
      "Adds a format.");
  builtin<format_call>::add(m, "_format_call(name: str, shape: Axes, element_bits: int, given: tuple, packs: bool) -> tuple",
                            "What rearrange gets to pack or to unpack an array.");
}

}  // namespace cornerturn::python
