#include "module.hpp"

#include <nanobind/stl/complex.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <cornerturn/distributed.hpp>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "dtypes.hpp"
#include "framework.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "operations.hpp"

namespace cornerturn::python {
namespace {

namespace distributed = cornerturn::distributed;
using list = std::vector<std::int64_t>;

/// A grid, what each of its modes divides, and the extents of the blocks along each mode of the array.
using sharding_tuple = std::tuple<list, list, std::vector<list>>;

/// The dtypes of source and destination, alpha, beta, and whether elements are conjugated and saturated.
using element_change = std::tuple<std::string, std::string, std::complex<double>, std::complex<double>, bool, bool>;

/// The bytes of an element that is copied, or how it changes.
using element_description = std::variant<std::int64_t, element_change>;

distributed::sharding sharding_of(sharding_tuple const& given) {
  auto const& [grid, modes, blocks] = given;
  return {grid, modes, blocks};
}

distributed::description description_of(list const& shape, list const& axes, sharding_tuple const& source,
                                        sharding_tuple const& destination, element_description const& element) {
  distributed::description result{shape, axes, sharding_of(source), sharding_of(destination)};
  if (auto const* const size = std::get_if<std::int64_t>(&element)) {
    result.element = *size;
  } else {
    auto const& [from, to, alpha, beta, conj, saturate] = std::get<element_change>(element);
    auto const source = number_named(from, "x_local.dtype"), destination = number_named(to, "dtype");
    result.element =
        element_operation{source.type, destination.type, alpha, beta, conj, saturate, source.swapped, destination.swapped};
  }
  return result;
}

/// Reads the arguments of `permute` that change elements. `out` may be None.
element_description element_of(nb::handle x_local, nb::handle out, nb::handle dtype, nb::handle alpha, nb::handle beta,
                               nb::handle conj, nb::handle saturate) {
  auto const none = nb::none();
  operation_arguments const given{dtype, alpha, beta, conj, saturate, none, none};
  auto const source = view_of(x_local, "x_local");
  if (given.are_default()) return source.item_size;
  auto const operation = operation_of(given, source, "x_local.dtype");
  expect_out_to_read(operation, out);
  auto to = dtype.is_none() ? dtype_name(source) : read_dtype_name(dtype);
  number_named(to, "dtype");
  return element_change{dtype_name(source), std::move(to),       operation.alpha,
                        operation.beta,     operation.conjugate, operation.saturate};
}

/// The peer, the size in bytes, whether no copy is needed, and the offset in bytes.
using message_tuple = std::tuple<int, std::int64_t, bool, std::int64_t>;

std::vector<message_tuple> tuples_of(std::span<distributed::message const> messages) {
  std::vector<message_tuple> result;
  for (auto const& each : messages) result.emplace_back(each.peer, each.bytes, each.is_direct, each.offset);
  return result;
}

constexpr std::string_view kOfBlock = ", the shape of this rank's block";

/// Throws unless an array is this rank's block of the result: dense, writable and with elements of this size in bytes. The plan
/// was made for the size, which an attribute may have named that is wrong in a subclass.
void expect_destination(distributed::rank_plan const& plan, view const& out, std::string_view name, std::int64_t item_size) {
  expect_shape(out, name, plan.destination_shape(), kOfBlock);
  if (out.item_size != item_size)
    refuse(PyExc_ValueError, fmt::format("{}.itemsize", name), out.item_size,
           fmt::format("{}, which the plan was made for", item_size));
  expect_dense(out, name);
  expect_writable(out, name);
}

/// Throws unless both arrays are this rank's blocks: dense, of one device, with the dtypes of their elements, the second one
/// writable.
void expect_blocks(distributed::rank_plan const& plan, view const& source, std::string_view source_name, view const& destination,
                   std::string_view name, element_description const& element) {
  expect_shape(source, source_name, plan.source_block().extents, kOfBlock);
  expect_dense(source, source_name);
  if (auto const* const change = std::get_if<element_change>(&element)) {
    auto const& to = std::get<1>(*change);
    for (auto const& [array, of, dtype] : {std::tuple{&source, source_name, std::get<0>(*change)}, {&destination, name, to}}) {
      if (auto const found = dtype_name(*array); found != dtype)
        refuse(PyExc_ValueError, fmt::format("{}.dtype", of), found, dtype);
      if (auto const address = reinterpret_cast<std::uintptr_t>(array->data); address % std::uintptr_t(array->item_size) != 0)
        refuse(PyExc_ValueError, of, fmt::format("at {:#x}", address), "aligned to its elements, which change");
    }
    expect_destination(plan, destination, name, size_of(number_named(to, "dtype").type));
  } else {
    expect_same_dtype(source, source_name, destination, name);
    expect_destination(plan, destination, name, plan.element_size());
  }
  expect_same_device(source, source_name, destination, name);
}

/// Throws unless both arrays are this rank's blocks, without overlap. Throws, too, for a limit of threads that `permute` would
/// not take.
void expect_rank(distributed::rank_plan const& plan, nb::handle x_local, nb::handle out, element_description const& element,
                 nb::handle threads) {
  threads_of(threads);
  auto const source = view_of(x_local, "x_local"), destination = view_of(out, "out");
  expect_blocks(plan, source, "x_local", destination, "out", element);
  auto const read = range_of(source, "x_local"), written = range_of(destination, "out");
  if (read.low < written.high && written.low < read.high)
    refuse(PyExc_ValueError, "out", "within the addresses of x_local", "memory that does not overlap x_local");
}

/// Moves an array whose blocks are all in this process, given as lists with one array per rank.
void run_locally(distributed::local_plan const& plan, nb::list const& x_blocks, nb::list const& out,
                 element_description const& element, nb::handle threads) {
  int const limit = threads_of(threads);
  auto const ranks = plan.ranks();
  if (out.size() != ranks.size())
    refuse(PyExc_ValueError, "the length of out", fmt::to_string(out.size()),
           fmt::format("{}, one array per rank", ranks.size()));
  std::vector<distributed::rank_memory> memory;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    auto const source_name = fmt::format("x_blocks[{}]", i), name = fmt::format("out[{}]", i);
    auto const source = view_of(x_blocks[i], source_name), destination = view_of(out[i], name);
    if (i > 0) expect_same_dtype(view_of(x_blocks[0], "x_blocks[0]"), "x_blocks[0]", source, source_name);
    expect_blocks(ranks[i], source, source_name, destination, name, element);
    memory.push_back({source.data, destination.data, source.device == kHost ? nullptr : source.of->current_stream(source)});
  }
  gil_release const released;
  plan.run(memory, limit);
}

/// Calls copy(source, destination, options) with the addresses of two arrays, without the GIL.
void copy_between(nb::handle from, nb::handle to, int threads, auto const& copy) {
  auto const source = view_of(from, "the source"), destination = view_of(to, "the destination");
  auto* const stream = source.device == kHost ? nullptr : source.of->current_stream(source);
  auto const options = options_of(source, destination, stream, threads);
  expect_both_unmoved(from, source, "the source", to, destination, "the destination");
  gil_release const released;
  copy(source.data, destination.data, options);
}

/// Packs or unpacks a message, or moves what a batch keeps; `number` is that of the message or of the batch.
template <auto Copy>
void copy_part(distributed::rank_plan const& self, std::size_t number, nb::handle from, nb::handle to, int threads) {
  copy_between(from, to, threads,
               [&](auto* source, auto* destination, auto const& options) { (self.*Copy)(number, source, destination, options); });
}

}  // namespace

void add_rank_plans(nb::module_& m) {
  m.def("_element_of", &element_of, nb::arg("x_local"), nb::arg("out").none(), nb::arg("dtype").none(), nb::arg("alpha").none(),
        nb::arg("beta").none(), nb::arg("conj").none(), nb::arg("saturate").none());
  m.def("_empty_of", [](nb::handle like, nb::handle shape, std::string const& dtype) {
    auto const seen = view_of(like, "x_local");
    return seen.of->empty_of(like, seen, shape, dtype);
  });
  using distributed::rank_plan;
  nb::class_<rank_plan>(m, "_RankPlan", "The part of one rank in a permutation over ranks.")
      .def("__init__", [](rank_plan* self, list const& shape, list const& axes, sharding_tuple const& source,
                          sharding_tuple const& destination, element_description const& element,
                          int rank) { new (self) rank_plan(description_of(shape, axes, source, destination, element), rank); })
      .def_prop_ro("source_block",
                   [](rank_plan const& self) {
                     std::vector<std::tuple<std::int64_t, std::int64_t>> result;
                     auto const [begin, extents] = self.source_block();
                     for (std::size_t i = 0; i < begin.size(); ++i) result.emplace_back(begin[i], begin[i] + extents[i]);
                     return result;
                   })
      .def_prop_ro("destination_shape", [](rank_plan const& self) { return tuple_of(self.destination_shape()); })
      .def_prop_ro("sends", [](rank_plan const& self) { return tuples_of(self.sends()); })
      .def_prop_ro("receives", [](rank_plan const& self) { return tuples_of(self.receives()); })
      .def_prop_ro("batches",
                   [](rank_plan const& self) {
                     std::vector<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>> result;
                     for (auto const& each : self.batches())
                       result.emplace_back(each.first_send, each.end_send, each.first_receive, each.end_receive);
                     return result;
                   })
      .def("in_runs", &rank_plan::in_runs)
      .def("in_batches", &rank_plan::in_batches)
      .def_prop_ro("send_bytes", &rank_plan::send_bytes)
      .def_prop_ro("receive_bytes", &rank_plan::receive_bytes)
      .def_prop_ro("workspace_bytes", &rank_plan::workspace_bytes)
      .def("expect_blocks", &expect_rank)
      .def("expect_destination",
           [](rank_plan const& self, nb::handle out) {
             expect_destination(self, view_of(out, "out"), "out", self.element_size());
           })
      .def("pack", &copy_part<&rank_plan::pack>)
      .def("unpack", &copy_part<&rank_plan::unpack>)
      .def("keep_part", &copy_part<&rank_plan::keep_part>)
      .def("write", [](rank_plan const& self, nb::handle x_local, nb::handle out, nb::list const& peers_out, int threads) {
        std::vector<void*> peers;
        for (std::size_t i = 0; i < peers_out.size(); ++i)
          peers.push_back(view_of(peers_out[i], fmt::format("peers_out[{}]", i)).data);
        copy_between(x_local, out, threads,
                     [&](auto* from, auto* to, auto const& options) { self.write(from, to, peers, options); });
      });
  using distributed::local_plan;
  nb::class_<local_plan>(m, "_LocalPlan", "A permutation whose ranks are all in this process.")
      .def("__init__",
           [](local_plan* self, list const& shape, list const& axes, sharding_tuple const& source,
              sharding_tuple const& destination, element_description const& element) {
             new (self) local_plan(description_of(shape, axes, source, destination, element));
           })
      .def("destination_shape",
           [](local_plan const& self, std::size_t rank) { return tuple_of(self.ranks()[rank].destination_shape()); })
      .def("run", &run_locally);
}

}  // namespace cornerturn::python
