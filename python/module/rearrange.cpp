#include "module.hpp"

#include <algorithm>
#include <cornerturn/rearrange.hpp>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "dtypes.hpp"
#include "fill_result.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "plan_array.hpp"
#include "rearrange_docs.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

nb::object item_of(nb::handle tuple, Py_ssize_t i) {
  PyObject* const item = PyTuple_GetItem(tuple.ptr(), i);
  if (!item) throw nb::python_error();
  return nb::borrow(item);
}

Py_ssize_t count_of(nb::handle tuple) { return PyTuple_Size(tuple.ptr()); }

nb::module_ python_part() { return nb::module_::import_("cornerturn._rearrange"); }

/// The text of a str, which keeps it.
std::string_view utf8_of(nb::handle text) {
  Py_ssize_t size = 0;
  auto const* const characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!characters) throw nb::python_error();
  return {characters, std::size_t(size)};
}

/// The argument of the package that is an argument of the library's rearrange.
std::string parameter_of(std::string_view argument) {
  constexpr std::string_view kResult = "result_", kOptions = "options.";
  if (argument == "rank") return "x.ndim";
  if (argument.starts_with("shape[")) return "x." + std::string(argument);
  if (argument.starts_with("source_strides[")) return "x." + std::string(argument.substr(argument.find("strides")));
  if (argument.starts_with("destination_strides[")) return "out." + std::string(argument.substr(argument.find("strides")));
  for (auto const prefix : {kResult, kOptions})
    if (argument.starts_with(prefix)) return std::string(argument.substr(prefix.size()));
  return std::string(argument);
}

/// Calls a function of the library that reads a pattern. Where einops is imported, its refusals are also an EinopsError.
template <class Read>
auto read_pattern(Read const& read) {
  try {
    return read();
  } catch (error const& e) {
    if (e.kind() != error_kind::argument) throw;
    auto const told = e.argument() == "out" && e.value() == "given"
                          ? error({"out", "given", "left out, because rearrange always returns a new array"})
                          : e.with_argument(parameter_of(e.argument()));
    nb::object const thrown = python_part().attr("error")(told.what());
    PyErr_SetObject(thrown.type().ptr(), thrown.ptr());
    throw nb::python_error();
  }
}

/// The name of array `number` of a list in messages.
std::string name_of(bool is_listed, Py_ssize_t number) { return is_listed ? fmt::format("x[{}]", number) : "x"; }

/// Splits each axis of a view.
void split_modes(view& array, rearrangement const& steps) {
  auto const strides = array.stride_bytes;
  array.rank = int(steps.split.size());
  std::ranges::copy(steps.split, array.extents.begin());
  for (std::size_t axis = 0, begin = 0; axis < steps.split_counts.size(); ++axis) {
    auto const count = std::size_t(steps.split_counts[axis]);
    auto stride = std::uint64_t(strides[axis]);  // unsigned: it may wrap for an array without elements
    for (std::size_t i = begin + count; i-- > begin; stride *= std::uint64_t(array.extents[i]))
      array.stride_bytes[i] = std::int64_t(stride);
    begin += count;
  }
}

/// What is rearranged: the arrays of a list, or one array.
nb::object arrays_of(nb::handle x) {
  if (!PyList_Check(x.ptr())) return nb::make_tuple(PyTuple_Check(x.ptr()) ? nb::borrow(x) : array_of(x, "x"));
  nb::list arrays;
  for (auto const each : owned(PySequence_Tuple(x.ptr())))
    arrays.append(array_of(each, name_of(true, Py_ssize_t(arrays.size()))));
  return nb::tuple(arrays);
}

/// The calls of rearrange for an array, or for the arrays of a list, which have one more axis in front.
class rearranging {
 public:
  rearranging(nb::handle x, std::string_view pattern, std::span<axis_length const> lengths, bool is_promoted = false)
      : pattern_(pattern),
        lengths_(lengths),
        is_promoted_(is_promoted),
        is_listed_(PyList_Check(x.ptr())),
        arrays_(arrays_of(x)),
        count_(count_of(arrays_)) {
    if (count_ == 0) refuse(PyExc_ValueError, "x", "an empty list", "an array or a list of at least one array");
    first_ = view_of(item_of(arrays_, 0), name_of(is_listed_, 0));
    view all = first_;
    if (is_listed_) add_first_axis(all, count_, 1, "x");  // the stride counts arrays
    steps_ = read_pattern([&] { return rearrangement_of(pattern, all.shape(), lengths); });
    list_axes_ = is_listed_ ? steps_->split_counts[0] : 0;
    order_.size = int(steps_->order.size());
    std::ranges::copy(steps_->order, order_.numbers.begin());
    all_ = permuted(first_);
  }

  /// True if neighbours in the result come from different arrays, which would fill it in single elements.
  bool is_interleaved() const {
    if (std::ranges::count(first_.shape(), 1) == first_.rank) return false;
    for (int i = all_.rank; i-- > 0;)
      if (all_.extents[std::size_t(i)] != 1) return is_list_axis(i);
    return false;
  }

  nb::object run() const {
    constexpr std::string_view kName = "the new array";
    auto const like = item_of(arrays_, 0);
    auto const result = first_.of->empty(like, first_, tuple_of(steps_->shape));
    auto whole = view_of(result, kName);
    expect_shape(whole, kName, steps_->shape);
    expect_dense(whole, kName);
    whole.rank = all_.rank;
    whole.extents = all_.extents;
    set_c_order(whole);
    for (Py_ssize_t i = 0; i < count_; ++i) {
      auto const array = item_of(arrays_, i);
      auto const name = name_of(is_listed_, i);
      auto const seen = i == 0 ? first_ : view_of(array, name);
      if (!is_promoted_ && !are_same_dtypes(first_.dtype, seen.dtype))
        if (auto const promoted = nb::object(python_part().attr("promoted")(arrays_)); !promoted.is_none())
          return rearranging(promoted, pattern_, lengths_, true).run();
      expect_alike(first_, seen, name);
      auto source = permuted(seen), destination = whole;
      expect_unmoved(array, seen, name);
      select_array(source, destination, i);
      expect_compatible(source, name, destination, kName);
      call_stream const work(nb::none(), array, source, result, destination, true);
      move(source, destination, kName, work.get());
      work.finish();
    }
    return first_.of->wrap_result(like, result);
  }

 private:
  bool is_list_axis(int i) const { return order_.numbers[std::size_t(i)] < list_axes_; }

  /// The axes of the permuted array, with the strides of one array.
  view permuted(view array) const {
    if (is_listed_) add_first_axis(array, count_, 1, "x");
    split_modes(array, *steps_);
    permute_modes(array, order_);
    return array;
  }

  /// Restricts both sides to one array of the list.
  void select_array(view& source, view& destination, Py_ssize_t number) const {
    std::size_t kept = 0;
    std::int64_t offset = 0;
    for (int axis = 0; axis < order_.size; ++axis) {
      auto const i = std::size_t(axis);
      if (is_list_axis(axis)) {
        offset += number / source.stride_bytes[i] % source.extents[i] * destination.stride_bytes[i];
        continue;
      }
      source.extents[kept] = destination.extents[kept] = source.extents[i];
      source.stride_bytes[kept] = source.stride_bytes[i];
      destination.stride_bytes[kept++] = destination.stride_bytes[i];
    }
    source.rank = destination.rank = int(kept);
    destination.data = static_cast<std::byte*>(destination.data) + offset;
  }

  std::string_view pattern_;              ///< the caller keeps it
  std::span<axis_length const> lengths_;  ///< the caller keeps them
  bool is_promoted_;                      ///< true if the arrays of the list were converted to one dtype
  bool is_listed_;
  nb::object arrays_;  ///< a tuple, which no other thread changes
  Py_ssize_t count_;
  view first_;
  std::shared_ptr<rearrangement const> steps_;
  std::int64_t list_axes_ = 0;  ///< number of axes into which the axis of the list is split; they are the first split axes
  index_list_argument order_;
  view all_;  ///< the permuted axes of all arrays
};

/// The lengths in a tuple of pairs of names and lengths, which keeps the names.
std::vector<axis_length> lengths_of(nb::handle pairs) {
  std::vector<axis_length> lengths;
  for (Py_ssize_t i = 0; i < count_of(pairs); ++i) {
    auto const pair = item_of(pairs, i), name = item_of(pair, 0), length = item_of(pair, 1);
    if (PyBool_Check(length.ptr())) refuse(PyExc_TypeError, text_of(name), repr_of(length), "an integer, not a bool");
    lengths.push_back({utf8_of(name), integer_of(length, text_of(name), 0, std::numeric_limits<std::int64_t>::max())});
  }
  return lengths;
}

/// The keywords of rearrange that are not lengths of axes, unless the pattern names an axis so.
struct keywords {
  keywords(nb::handle given_pad, nb::handle given_shape, nb::handle given_bits, nb::handle given_order, nb::handle given_swizzle,
           nb::handle given_source_swizzle, nb::handle given_out, std::string_view pattern, std::vector<axis_length>& lengths)
      : pad(given_pad), shape(given_shape), out(given_out) {
    auto const take = [&](std::string_view name, nb::handle& given) {
      if (given.is_none() || !read_pattern([&] { return has_axis(pattern, name); })) return;
      if (PyBool_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), "an integer, not a bool");
      lengths.push_back({name, integer_of(given, name, 0, std::numeric_limits<std::int64_t>::max())});
      given = nb::none();
    };
    take("pad", pad), take("shape", shape), take("bits", given_bits), take("order", given_order);
    take("swizzle", given_swizzle), take("source_swizzle", given_source_swizzle), take("out", out);
    if (!given_swizzle.is_none()) swizzle = string_of(given_swizzle, "swizzle");
    if (!given_source_swizzle.is_none()) source_swizzle = string_of(given_source_swizzle, "source_swizzle");
    if (!given_bits.is_none()) bits = int(integer_of(given_bits, "bits", 1, 8));
    auto const name = given_order.is_none() ? "little" : PyUnicode_Check(given_order.ptr()) ? text_of(given_order) : "";
    if (name != "little" && name != "big") refuse(PyExc_ValueError, "order", repr_of(given_order), "'little' or 'big'");
    order = name == "big" ? bit_order::big : bit_order::little;
    if (!shape.is_none()) sizes = read_index_list(shape, "shape");
  }

  bool are_default() const {
    return pad.is_none() && shape.is_none() && bits == 8 && swizzle.empty() && source_swizzle.empty() && out.is_none();
  }

  nb::handle pad, shape, out;  ///< None: not given
  index_list_argument sizes;
  int bits = 8;
  bit_order order = bit_order::little;
  std::string swizzle, source_swizzle;
};

/// Throws an exception for a shape of 2^63 bytes or more. Frameworks do not count extents of 0.
void expect_size(std::span<std::int64_t const> shape, std::int64_t item_size) {
  auto bytes = std::max<std::int64_t>(item_size, 1);
  for (auto const extent : shape)
    if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes))
      refuse(PyExc_ValueError, "the size of the result", "beyond 64 bits", "within 64 bits");
}

/// True if the elements of the last `axes` axes follow one another in C order.
bool has_dense_tiles(view const& array, int axes) {
  auto stride = array.item_size;
  for (auto i = std::size_t(array.rank); i-- > std::size_t(array.rank - axes);) {
    if (array.extents[i] != 1 && array.stride_bytes[i] != stride) return false;
    stride *= array.extents[i];
  }
  return true;
}

/// The strides of an array in its elements, of which each byte holds `per_byte`.
std::vector<std::int64_t> strides_of(view const& array, std::string_view name, int per_byte) {
  if (array.rank == 0 || array.is_empty()) return {};  // an array without elements may have any
  auto strides = element_strides(array, name);
  if (per_byte == 1) return strides;
  for (auto& stride : strides) stride *= per_byte;
  if (strides.back() == per_byte || array.shape().back() < 2) strides.back() = 1;
  return strides;
}

/// A call of the library's rearrange for an array.
struct library_call {
  std::string_view pattern;
  std::span<axis_length const> lengths;
  std::vector<std::int64_t> shape;  ///< of the array, in elements
  std::shared_ptr<rearrangement const> steps;
  rearrange_options options;
};

/// Calls finish(x, view of x, call) with the array, or with a copy of it if the library cannot read its strides. Throws
/// ValueError instead of making a copy if `may_copy` is false.
template <class Finish>
nb::object with_call(nb::handle x, std::string_view pattern, std::span<axis_length const> lengths, keywords const& given,
                     bool may_copy, Finish const& finish) {
  framework_of(x, "x");  // refuses what is no array
  std::string element;   // the bytes of the pad, which Python code makes before x is described
  if (!given.pad.is_none()) {
    nb::object const made = python_part().attr("element_bytes")(x, given.pad, given.bits);
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(made.ptr(), &bytes, &size)) throw nb::python_error();
    element.assign(bytes, std::size_t(size));
  }
  auto const source = view_of(x, "x");
  auto const with_copy = [&] {
    if (!may_copy)
      refuse(PyExc_ValueError, "x.strides", text_of(tuple_of(source.strides())),
             "multiples of the item size, and tiles of a source_swizzle dense, because rearrange copies other arrays first");
    return with_call(rearranging(x, "... -> ...", {}).run(), pattern, lengths, given, may_copy, finish);
  };
  if (has_odd_strides(source)) return with_copy();
  if (source.item_size == 0) refuse(PyExc_TypeError, "x.itemsize", 0, "1 or more with pad, shape, bits, a swizzle or out");
  if (given.bits != 8 && source.item_size != 1) refuse(PyExc_TypeError, "x.itemsize", source.item_size, "1 for packed elements");
  if (!given.pad.is_none() && std::int64_t(element.size()) != source.item_size)
    refuse(PyExc_ValueError, "pad", repr_of(given.pad), fmt::format("{} bytes, as an element of x", source.item_size));
  rearrange_options options{.source_strides = strides_of(source, "x", 8 / given.bits),
                            .bits = given.bits,
                            .order = given.order,
                            .swizzle = given.swizzle,
                            .source_swizzle = given.source_swizzle};
  auto const shape = read_pattern([&] { return shape_in_elements(source.shape(), given.bits); });
  options.pad = element.empty() ? nullptr : element.data();
  options.shape.assign(given.sizes.list().begin(), given.sizes.list().end());
  auto const steps = read_pattern([&] { return rearrangement_of(pattern, shape, lengths, {!element.empty(), options.shape}); });
  if (!given.shape.is_none() && options.shape.empty() && !steps->shape.empty())
    refuse(PyExc_ValueError, "shape", "()", fmt::format("{} lengths, as the result has axes", steps->shape.size()));
  if (!given.source_swizzle.empty() && !source.is_empty() && !has_dense_tiles(source, steps->source_tile)) return with_copy();
  return finish(x, source, library_call{pattern, lengths, shape, steps, options});
}

/// Calls the library's rearrange to fill an array, which errors name.
void call_library(library_call const& call, view const& source, view const& destination, std::string_view name) {
  try {
    gil_release const released(should_release_gil(destination));
    cornerturn::rearrange(source.data, destination.data, call.pattern, call.shape, source.item_size, call.lengths, call.options);
  } catch (error const& e) {
    if (e.argument() == "destination")
      refuse(PyExc_ValueError, name, "within the addresses of x", "memory that does not overlap x, such as a new array");
    if (e.argument() == "destination_strides") refuse_strides(destination, name);
    throw;
  }
}

/// Rearranges an array by the library's rearrange, to `out` or, if that is None, to a new array.
nb::object run_limited(nb::handle x, view const& source, library_call call, nb::handle out) {
  auto& options = call.options;
  auto const result_shape = read_pattern([&] { return shape_in_bytes(call.steps->shape, options.bits); });
  expect_size(result_shape, source.item_size);
  receiver const to(out, [&] { return source.of->empty(x, source, tuple_of(result_shape)); });
  expect_shape(to.seen, to.name, result_shape);
  expect_same_device(source, "x", to.seen, to.name);
  bool const is_swapped = differ_in_byte_order(source.dtype, to.seen.dtype);
  if (!is_swapped) expect_same_dtype(source, "x", to.seen, to.name);
  expect_writable(to.seen, to.name);
  if (has_odd_strides(to.seen) || is_swapped) {
    auto const made = run_limited(x, source, call, nb::none());
    return fill_result(made, view_of(made, "x"), out, nb::none(), 0);
  }
  if (to.is_new)
    expect_dense(to.seen, to.name);
  else
    options.destination_strides = strides_of(to.seen, to.name, 8 / options.bits);
  if (to.seen.is_empty()) {
    read_pattern(
        [&] { cornerturn::rearrange(nullptr, nullptr, call.pattern, call.shape, source.item_size, call.lengths, options); });
    return to.is_new ? source.of->wrap_result(x, to.array) : to.array;
  }
  return to.fill(x, source, nb::none(), {}, [&](call_stream const& work) {
    auto const places = options_of(source, to.seen, work.get(), 0);
    options.processor = places.processor, options.stream = places.stream, options.device = places.device;
    read_pattern([&] { call_library(call, source, to.seen, to.name); });
  });
}

nb::object rearrange(nb::handle x, nb::handle pattern, nb::handle pad, nb::handle shape, nb::handle bits, nb::handle order,
                     nb::handle swizzle, nb::handle source_swizzle, nb::handle out, nb::handle axes_lengths) {
  if (!PyUnicode_Check(pattern.ptr())) refuse(PyExc_TypeError, "pattern", kind_of(pattern), "a str; x comes before it");
  auto const text = utf8_of(pattern);
  auto lengths = lengths_of(axes_lengths);
  keywords const given(pad, shape, bits, order, swizzle, source_swizzle, out, text, lengths);
  if (!given.are_default()) {
    auto const stacked = PyList_Check(x.ptr()) ? rearranging(x, "... -> ...", {}).run() : nb::object(item_of(arrays_of(x), 0));
    return with_call(stacked, text, lengths, given, true, [&](nb::handle array, view const& source, library_call const& made) {
      return run_limited(array, source, made, given.out);
    });
  }
  rearranging const call(x, text, lengths);
  if (!call.is_interleaved()) return call.run();
  auto const stacked = rearranging(x, "... -> ...", {}).run();
  return rearranging(stacked, text, lengths).run();
}

nb::object plan_pattern(nb::handle x, nb::handle pattern, nb::handle pad, nb::handle shape, nb::handle swizzle,
                        nb::handle source_swizzle, nb::handle effort, nb::handle axes_lengths) {
  if (!PyUnicode_Check(pattern.ptr())) refuse(PyExc_TypeError, "pattern", kind_of(pattern), "a str; x comes before it");
  auto const text = utf8_of(pattern);
  auto lengths = lengths_of(axes_lengths);
  keywords const given(pad, shape, nb::none(), nb::none(), swizzle, source_swizzle, nb::none(), text, lengths);
  auto const array = PyList_Check(x.ptr()) ? nb::borrow(x) : array_of(x, "x");
  return with_call(array, text, lengths, given, false,
                   [&](nb::handle, view const& source, library_call const& call) -> nb::object {
                     auto const places = options_for(source, effort);
                     auto const described = read_pattern([&] {
                       gil_release const released;
                       return plan_rearrange(text, call.shape, source.item_size, lengths, call.options, places).describe();
                     });
                     return nb::str(described.c_str(), described.size());
                   });
}

/// The axes of the source, each as its names, its text and its index; the order; the numbers of the axes of the result; and the
/// numbers of axes in the tiles of both.
nb::object parse(nb::handle pattern, nb::handle rank, nb::handle given) {
  std::vector<std::string_view> names;
  for (Py_ssize_t i = 0; i < count_of(given); ++i) names.push_back(utf8_of(PyTuple_GetItem(given.ptr(), i)));
  auto const count = int(integer_of(rank, "rank", 0, std::numeric_limits<int>::max()));
  auto const parsed = read_pattern([&] { return parse_pattern(utf8_of(pattern), count, names); });
  nb::list source, result;
  for (auto const& axis : parsed.source) {
    nb::list axis_names;
    for (auto const& name : axis.names) axis_names.append(nb::str(name.c_str(), name.size()));
    source.append(nb::make_tuple(nb::tuple(axis_names), nb::str(axis.text.c_str(), axis.text.size()), axis.index));
  }
  for (auto const& merged : parsed.result) result.append(tuple_of(merged));
  return nb::make_tuple(nb::tuple(source), tuple_of(parsed.order), nb::tuple(result),
                        std::ranges::count(parsed.source, true, &parsed_pattern::axis::in_tile), parsed.result_tile);
}

nb::object expect(nb::handle pattern) {
  read_pattern([&] { expect_pattern(utf8_of(pattern)); });
  return nb::none();
}

nb::object names_axis(nb::handle pattern, nb::handle name) {
  return nb::bool_(read_pattern([&] { return has_axis(utf8_of(pattern), utf8_of(name)); }));
}

}  // namespace

void add_rearrange(nb::module_& m) {
  builtin<parse>::add(m, "_parse_pattern(pattern: str, rank: int, given: tuple) -> tuple",
                      "A pattern for arrays of a rank, with lengths for the given names.");
  builtin<expect>::add(m, "_expect_pattern(pattern: str) -> None", "Throws unless a pattern follows the grammar.");
  builtin<names_axis>::add(m, "_has_axis(pattern: str, name: str) -> bool", "Whether a pattern names an axis so.");
  builtin<rearrange>::add(m,
                          "rearrange(x: Array | list[Array], /, pattern: str, *, pad: object = None, shape: Axes | None = None, "
                          "bits: SupportsIndex | None = None, order: Literal['little', 'big'] | None = None, swizzle: str | None "
                          "= None, source_swizzle: str | None = None, out: Array | None = None, **axes_lengths: SupportsIndex) "
                          "-> Array",
                          kRearrange);
  builtin<plan_pattern>::add(m,
                             "plan_rearrange(x: Array, /, pattern: str, *, pad: object = None, shape: Axes | None = None, "
                             "swizzle: str | None = None, source_swizzle: str | None = None, "
                             "effort: Literal['estimate', 'measure'] = 'estimate', **axes_lengths: SupportsIndex) -> str",
                             kPlanRearrange);
}

}  // namespace cornerturn::python
