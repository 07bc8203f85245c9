#include "dtypes.hpp"

#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <cornerturn/text.hpp>
#include <iterator>
#include <vector>

#include "arguments.hpp"
#include "attribute.hpp"
#include "functions.hpp"

namespace cornerturn::python {
namespace {

/// True if a row is of a type that ml_dtypes adds to NumPy.
bool is_of_ml_dtypes(element_type_row const& row) { return row.code.empty(); }

/// What `read_dtype` accepts, with the dtypes that a misspelt name may mean.
std::string accepted_dtypes(nb::handle given) {
  auto others = names_of_types([](element_type type) { return is_of_ml_dtypes(kElementTypes[std::size_t(type)]); },
                               &element_type_row::dtype);
  for (auto& each : others) each = fmt::format("'{}'", each);
  auto const accepted =
      fmt::format("a dtype of NumPy or PyTorch, its name or NumPy's code for it, e.g. 'float32', '<f4' or 'f4' for 4 bytes, {}",
                  list_text(others));
  std::vector<std::string> meant;
  if (PyUnicode_Check(given.ptr()))
    for (auto const type : similar_types(text_of(given)))
      meant.push_back(fmt::format("'{}'", kElementTypes[std::size_t(type)].dtype));
  return accepted + did_you_mean(meant);
}

/// `numpy_dtype`, whose message ends with the text that `allowed()` returns.
template <class Allowed>
nb::object numpy_dtype_or(nb::handle description, std::string_view name, Allowed allowed) {
  nb::object result;
  try {
    result = nb::module_::import_("numpy").attr("dtype")(description);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;
    refuse_because(e, PyExc_TypeError, name, repr_of(description), allowed());
  }
  if (is_true(get<"hasobject">(result))) refuse(PyExc_TypeError, name, text_of(result), "one without Python objects");
  return result;
}

/// True for a dtype of NumPy in the byte order that this machine does not have.
bool is_swapped(nb::handle dtype) { return has<"isnative">(dtype) && !is_true(get<"isnative">(dtype)); }

}  // namespace

element_type_row const* row_of_dtype(std::string_view name) {
  auto const found = std::ranges::find(kElementTypes, name, &element_type_row::dtype);
  return found == std::end(kElementTypes) ? nullptr : found;
}

std::optional<number_type> number_of_dtype(std::string_view name) {
  constexpr char kSwapped = std::endian::native == std::endian::little ? '>' : '<';
  if (auto const* const row = row_of_dtype(name)) return number_type{row->type};
  if (!name.starts_with(kSwapped)) return {};
  auto const found = std::ranges::find(kElementTypes, name.substr(1), &element_type_row::code);
  if (name.size() == 1 || found == std::end(kElementTypes)) return {};
  return number_type{found->type, true};
}

bool are_same_dtypes(nb::handle a, nb::handle b) {
  return a.type().is(b.type()) ? are_equal(a, b) : name_of_dtype(a) == name_of_dtype(b);
}

std::optional<element_operation> swap_between(nb::handle from, nb::handle to) {
  bool const reads_swapped = is_swapped(from);
  if (reads_swapped == is_swapped(to)) return {};
  auto const swapped = reads_swapped ? from : to, native = reads_swapped ? to : from;
  auto const kind = text_of(get<"kind">(swapped));
  auto const size = to_int64(get<"itemsize">(swapped)), parts = std::int64_t(kind == "c" ? 2 : 1), part = size / parts;
  bool const has_integer = part == 2 || part == 4 || part == 8;
  if (std::string_view("iufcmM").find(kind) == std::string_view::npos || !has_integer) return {};
  if (!are_same_dtypes(swapped.attr("newbyteorder")(), native)) return {};
  using enum element_type;
  auto const type = parts == 2 ? (part == 4 ? c64 : c128) : part == 2 ? u16 : part == 4 ? u32 : u64;
  return element_operation{.source = type, .destination = type, .source_swapped = true};
}

bool differ_in_byte_order(nb::handle from, nb::handle to) {
  auto const native = [](nb::handle dtype) { return nb::object(dtype.attr("newbyteorder")("=")); };
  return has<"isnative">(from) && has<"isnative">(to) && !are_same_dtypes(from, to) && are_same_dtypes(native(from), native(to));
}

void swap_in_place(nb::handle array, nb::handle from) {
  auto const dtype = get<"dtype">(array);
  if (are_same_dtypes(dtype, from)) return;
  if (auto const names = get<"names">(dtype); !names.is_none()) {
    for (auto const name : names) swap_in_place(array[name], from[name].attr("base"));
  } else {
    array.attr("byteswap")(nb::arg("inplace") = true);
  }
}

nb::object numpy_dtype(nb::handle description, std::string_view name) {
  return numpy_dtype_or(description, name, [] { return "a dtype that NumPy knows"; });
}

nb::object numpy_dtype_named(std::string const& dtype, std::string_view name) {
  auto const* const row = row_of_dtype(dtype);
  if (!row || !is_of_ml_dtypes(*row)) return numpy_dtype(nb::str(dtype.c_str()), name);
  try {
    return numpy_dtype(nb::module_::import_("ml_dtypes").attr(dtype.c_str()), name);
  } catch (nb::python_error& e) {
    refuse_because(e, PyExc_TypeError, name, dtype, "one that NumPy has, unless ml_dtypes is installed");
  }
}

nb::object read_dtype(nb::handle given, std::string_view name) {
  if (given.is_none()) refuse(PyExc_TypeError, name, "None", accepted_dtypes(given));  // NumPy takes it for float64
  if (PyUnicode_Check(given.ptr())) {
    auto const text = text_of(given);
    if (auto const* const row = row_of_dtype(text); row && is_of_ml_dtypes(*row)) return nb::borrow(given);
  } else if (auto const torch = loaded_module("torch");
             torch.is_valid() && has<"dtype">(torch) && is_instance(given, get<"dtype">(torch))) {
    return nb::borrow(given);
  }
  return numpy_dtype_or(given, name, [&] { return accepted_dtypes(given); });
}

std::string name_of_dtype(nb::handle dtype) {
  bool const of_numpy = has<"isnative">(dtype) && is_true(get<"isnative">(dtype));
  auto const text = text_of(of_numpy ? get<"name">(dtype) : nb::borrow(dtype));
  constexpr std::string_view kTorch = "torch.";
  return text.starts_with(kTorch) ? text.substr(kTorch.size()) : text;
}

std::int64_t item_size_of(nb::handle dtype) {
  if (!PyUnicode_Check(dtype.ptr())) return to_int64(get<"itemsize">(dtype));
  return row_of_dtype(text_of(dtype))->bytes;
}

std::string read_dtype_name(nb::handle given, std::string_view name) {
  if (PyUnicode_Check(given.ptr()))
    if (auto const text = text_of(given); row_of_dtype(text)) return text;  // quicker than asking NumPy
  return name_of_dtype(read_dtype(given, name));
}

namespace {

std::string dtype_name_of(nb::handle dtype, nb::handle name) { return read_dtype_name(dtype, text_of(name)); }

}  // namespace

void add_dtypes(nb::module_& m) {
  builtin<dtype_name_of>::add(
      m, "_dtype_name(dtype, name)",
      "The name of a dtype, or TypeError, with the name of the argument, for what permute does not take.");
  nb::list rows;
  for (auto const& each : kElementTypes) {
    nb::dict row;
    row["name"] = nb::str(each.name.data(), each.name.size());
    row["dtype"] = nb::str(each.dtype.data(), each.dtype.size());
    row["code"] = nb::str(each.code.data(), each.code.size());
    row["bytes"] = each.bytes;
    row["is_8_bit_float"] = is_8_bit_float(each.type);
    row["is_quantizable"] = is_quantizable(each.type);
    row["is_wide"] = is_wide(each.type);
    rows.append(row);
  }
  m.attr("_element_types") = rows;
}

}  // namespace cornerturn::python
