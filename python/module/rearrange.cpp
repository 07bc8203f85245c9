#include "module.hpp"

#include <algorithm>
#include <limits>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "dtypes.hpp"
#include "fill_result.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "move.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

/// The steps of a pattern: each axis of x is split into axes, these are permuted, and neighbours are merged.
struct rearrangement {
  nb::object split;  ///< a tuple of the extents of the split axes for each axis of x
  nb::object order;  ///< the split axis of each axis of the permuted array, a tuple
  nb::object shape;  ///< the shape of the result, a tuple
};

nb::object item_of(nb::handle tuple, Py_ssize_t i) {
  PyObject* const item = PyTuple_GetItem(tuple.ptr(), i);
  if (!item) throw nb::python_error();
  return nb::borrow(item);
}

Py_ssize_t size_of(nb::handle tuple) { return PyTuple_Size(tuple.ptr()); }

nb::module_ python_part() { return nb::module_::import_("cornerturn._rearrange"); }

/// Calls cornerturn/_rearrange.py, which caches the steps.
rearrangement steps_of(nb::handle pattern, nb::handle shape, nb::handle lengths) {
  static nb::handle steps;  // not initialised by the import, during which another thread may wait for it with the GIL
  if (!steps.is_valid()) steps = nb::object(python_part().attr("steps")).release();
  auto const found = owned(PyObject_CallFunctionObjArgs(steps.ptr(), pattern.ptr(), shape.ptr(), lengths.ptr(), nullptr));
  return {item_of(found, 0), item_of(found, 1), item_of(found, 2)};
}

/// The name of array `number` of a list in messages.
std::string name_of(bool is_listed, Py_ssize_t number) { return is_listed ? fmt::format("x[{}]", number) : "x"; }

/// Splits each axis of a view into axes of the given extents.
void split_modes(view& array, nb::handle split) {
  auto const strides = array.stride_bytes;
  array.rank = 0;
  for (Py_ssize_t axis = 0; axis < size_of(split); ++axis) {
    auto const extents = item_of(split, axis);
    auto const begin = std::size_t(array.rank), count = std::size_t(size_of(extents));
    read_tuple(extents, {&array.extents[begin], count});
    array.rank += int(count);
    auto stride = std::uint64_t(strides[std::size_t(axis)]);  // unsigned: it may wrap for an array without elements
    for (std::size_t i = begin + count; i-- > begin; stride *= std::uint64_t(array.extents[i]))
      array.stride_bytes[i] = std::int64_t(stride);
  }
}

/// The calls of rearrange for an array, or for the arrays of a list, which have one more axis in front.
class rearranging {
 public:
  rearranging(nb::handle x, nb::handle pattern, nb::handle lengths, bool is_promoted = false)
      : pattern_(pattern),
        lengths_(lengths),
        is_promoted_(is_promoted),
        is_listed_(PyList_Check(x.ptr())),
        arrays_(owned(is_listed_ ? PySequence_Tuple(x.ptr()) : PyTuple_Pack(1, x.ptr()))),
        count_(size_of(arrays_)) {
    if (count_ == 0) refuse(PyExc_ValueError, "x", "an empty list", "an array or a list of at least one array");
    first_ = view_of(item_of(arrays_, 0), name_of(is_listed_, 0));
    view all = first_;
    if (is_listed_) add_first_axis(all, count_, 1, "x");  // the stride counts arrays
    steps_ = steps_of(pattern, tuple_of(all.shape()), lengths);
    list_axes_ = is_listed_ ? size_of(item_of(steps_.split, 0)) : 0;
    order_.size = int(size_of(steps_.order));
    read_tuple(steps_.order, {order_.numbers.data(), std::size_t(order_.size)});
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
    auto const result = first_.of->empty(like, first_, steps_.shape);
    auto whole = view_of(result, kName);
    if (auto const shape = tuple_of(whole.shape()); !are_equal(shape, steps_.shape))
      refuse(PyExc_ValueError, fmt::format("{}.shape", kName), text_of(shape), text_of(steps_.shape));
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
    split_modes(array, steps_.split);
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

  nb::handle pattern_, lengths_;  ///< the caller keeps them
  bool is_promoted_;              ///< true if the arrays of the list were converted to one dtype
  bool is_listed_;
  nb::object arrays_;  ///< a tuple, which no other thread changes
  Py_ssize_t count_;
  view first_;
  rearrangement steps_;
  Py_ssize_t list_axes_ = 0;  ///< number of axes into which the axis of the list is split; they are the first split axes
  index_list_argument order_;
  view all_;  ///< the permuted axes of all arrays
};

/// Converts the lengths in pairs of names and lengths to int.
nb::object lengths_of(nb::handle pairs) {
  nb::list lengths;
  for (nb::handle const pair : nb::borrow<nb::tuple>(pairs)) {
    auto const name = item_of(pair, 0), length = item_of(pair, 1);
    if (text_of(name) == "out" && !PyLong_Check(length.ptr()))
      refuse(PyExc_TypeError, "out", "given", "left out, because rearrange always returns a new array");
    if (PyBool_Check(length.ptr())) refuse(PyExc_TypeError, text_of(name), repr_of(length), "an integer, not a bool");
    lengths.append(nb::make_tuple(name, integer_of(length, text_of(name), 0, std::numeric_limits<std::int64_t>::max())));
  }
  return nb::tuple(lengths);
}

nb::object rearrange(nb::handle x, nb::handle pattern, nb::handle axes_lengths) {
  if (!PyUnicode_Check(pattern.ptr())) refuse(PyExc_TypeError, "pattern", kind_of(pattern), "a str; x comes before it");
  auto const lengths = size_of(axes_lengths) == 0 ? nb::borrow(axes_lengths) : lengths_of(axes_lengths);
  rearranging const call(x, pattern, lengths);
  if (!call.is_interleaved()) return call.run();
  auto const stacked = rearranging(x, nb::str("... -> ..."), nb::tuple()).run();
  return rearranging(stacked, pattern, lengths).run();
}

}  // namespace

void add_rearrange(nb::module_& m) {
  builtin<rearrange>::add(
      m, "rearrange(x: Array | list[Array], /, pattern: str, **axes_lengths: SupportsIndex) -> Array",
      R"doc(Splits, permutes and merges axes by a pattern, in one copy. The grammar of patterns is that of einops.

The left side of the pattern names the axes of x, the right side those of the result. Parentheses split an axis of x into axes, or
merge axes of the result; the last one is the innermost. ... stands for all axes that are not named, in parentheses on the right
for their product. 1 or () is an axis of extent 1. https://einops.rocks explains the grammar with examples.

Parameters
----------
x : array, or list of arrays
    As in permute. The arrays of a list have the same shape and device; the list is their new first axis. If their dtypes differ,
    their framework promotes them first, as numpy.stack and torch.stack do.
pattern : str
    For example 'b h w c -> b c h w'. Both sides have the same names.
**axes_lengths : int
    The lengths of axes, by name. In parentheses on the left, one name may have none: its length follows from x.

Returns
-------
array
    A new array in C order, never a view, with the framework, dtype and device of x.

Raises
------
ValueError
    The pattern does not follow the grammar, or does not fit the shape of x and the lengths. Where einops is imported, the
    exception is also an einops.EinopsError.
TypeError, BufferError, MemoryError, RuntimeError
    As permute.

Notes
-----
Each array of a list is copied to its place directly. But if neighbours in the result come from different arrays, as in
'b h w c -> h w c b', the arrays are stacked first, which is a second copy.

Every keyword is the length of an axis, so there is no parameter `threads`; `set_num_threads` limits the threads.

Examples
--------
>>> import cornerturn, numpy as np
>>> images = np.zeros((8, 224, 160, 3), np.uint8)
>>> cornerturn.rearrange(images, "b h w c -> b c h w").shape
(8, 3, 224, 160)
>>> cornerturn.rearrange(images, "b (h p) (w q) c -> (b h w) (p q c)", p=16, q=16).shape
(1120, 768)
>>> cornerturn.rearrange(list(images), "b ... -> ... b").shape
(224, 160, 3, 8)
>>> cornerturn.rearrange(images, "b h w c -> b c h")
Traceback (most recent call last):
cornerturn.ArgumentError: pattern is 'b h w c -> b c h'; it must have the same axes on both sides, unlike 'w' at index 4
)doc");
}

}  // namespace cornerturn::python
