#include "module.hpp"

#include <cornerturn/permute.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "attribute.hpp"
#include "axes.hpp"
#include "framework.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "operations.hpp"
#include "streams.hpp"

namespace cornerturn::python {
namespace {

/// Consecutive arrays of a list with the same strides, which one call moves.
struct alike_arrays {
  std::vector<std::int64_t> strides;  ///< strides of the permuted arrays, in elements
  std::vector<void const*> addresses;
};

/// The arrays of a list, permuted.
class listed_arrays {
 public:
  listed_arrays(nb::handle list, nb::handle axes) : arrays_(owned(PySequence_Tuple(list.ptr()))) {
    if (size() == 0) refuse(PyExc_ValueError, "x", "an empty list", "a list of at least one array");
    views_.reserve(std::size_t(size()));
    for (Py_ssize_t i = 0; i < size(); ++i) {
      names_.push_back(fmt::format("x[{}]", i));
      views_.push_back(view_of(item(i), name(i)));
      if (seen(i).of != seen(0).of) refuse(PyExc_TypeError, name(i), kind_of(item(i)), "of the framework of x[0]");
      expect_alike(seen(0), seen(i), name(i));
    }
    auto const order = axes_argument(axes).of(seen(0).rank);
    for (auto& each : views_) permute_modes(each, order);
  }

  Py_ssize_t size() const { return PyTuple_Size(arrays_.ptr()); }
  nb::object item(Py_ssize_t i) const { return nb::borrow(PyTuple_GetItem(arrays_.ptr(), i)); }
  std::string const& name(Py_ssize_t i) const { return names_[std::size_t(i)]; }
  view const& seen(Py_ssize_t i) const { return views_[std::size_t(i)]; }

  /// The first array with an axis of the list in front.
  view whole() const {
    auto result = views_.front();
    add_first_axis(result, size(), 0, "x");
    return result;
  }

  /// All arrays, in their order.
  std::vector<alike_arrays> parts() const {
    std::vector<alike_arrays> result;
    for (Py_ssize_t i = 0; i < size(); ++i) {
      auto strides = element_strides(seen(i), name(i));
      if (result.empty() || result.back().strides != strides) result.push_back({std::move(strides), {}});
      result.back().addresses.push_back(seen(i).data);
    }
    return result;
  }

 private:
  nb::object arrays_;               ///< a tuple, which no other thread changes
  std::vector<std::string> names_;  ///< in messages
  std::vector<view> views_;
};

/// Permutes each array of a list to its part of `out` or of a new array, whose first axis is the list.
nb::object permute_list(nb::handle x, nb::handle axes, nb::handle out, nb::handle stream, nb::handle threads, nb::handle dtype,
                        nb::handle scale, nb::handle bias) {
  int const limit = threads_of(threads);
  listed_arrays const arrays(x, axes);
  auto const first = arrays.item(0);
  auto const& source = arrays.seen(0);
  nb::int_ const one(1), zero(0);
  operation_arguments const given{dtype, one, zero, zero, zero, scale, bias};
  auto operation = operation_of(given, source, "x[0].dtype");
  auto const to = receiver_of_changed(first, arrays.whole(), given, out);
  auto const& destination = to.seen;
  for (Py_ssize_t i = 1; i < arrays.size(); ++i) expect_apart(arrays.seen(i), arrays.name(i), destination, to.name);
  auto const factors = add_factors(operation, given, source, "x[0]");
  factors.expect_apart(destination, to.name);
  auto const written = element_strides(destination, to.name);
  auto const parts = arrays.parts();
  for (Py_ssize_t i = 0; i < arrays.size(); ++i) expect_unmoved(arrays.item(i), arrays.seen(i), arrays.name(i));
  expect_unmoved(to.array, destination, to.name);
  return to.fill(first, source, stream, {factors.scale.array, factors.bias.array}, [&](call_stream const& work) {
    for (Py_ssize_t i = 1; i < arrays.size(); ++i) {
      work.wait_for(arrays.seen(i));
      work.keep(arrays.item(i));
    }
    if (destination.is_empty()) return;
    auto const copied = options_of(source, destination, work.get(), limit);
    std::vector<std::int64_t> in_order(std::size_t(source.rank));
    std::iota(in_order.begin(), in_order.end(), 0);
    auto* part = static_cast<std::byte*>(destination.data);
    gil_release const released(should_release_gil(destination));
    for (auto const& each : parts) {
      permute_options const options{.source_strides = each.strides,
                                    .destination_strides = {written.begin() + 1, written.end()},
                                    .processor = copied.processor,
                                    .stream = copied.stream,
                                    .device = copied.device,
                                    .threads = copied.threads};
      permute_batched(each.addresses, part, written[0], source.shape(), in_order, operation, options);
      part += std::int64_t(each.addresses.size()) * destination.stride_bytes[0];
    }
  });
}

}  // namespace

void add_listed(nb::module_& m) {
  builtin<permute_list>::add(m, "_permute_list(x, axes, *, out=None, stream=None, threads=0, dtype=None, scale=None, bias=None)",
                             R"(Permutes the arrays of a list to parts of one array, as permute does.)");
}

}  // namespace cornerturn::python
