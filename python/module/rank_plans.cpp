#include "rank_plans.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cornerturn/distributed.hpp>
#include <tuple>
#include <vector>

#include "arguments.hpp"
#include "framework.hpp"
#include "gil.hpp"
#include "move.hpp"
#include "refuse.hpp"

namespace cornerturn::python {
namespace {

namespace distributed = cornerturn::distributed;
using list = std::vector<std::int64_t>;

/// A grid, what each of its modes divides, and the extents of the blocks along each mode of the array.
using sharding_tuple = std::tuple<list, list, std::vector<list>>;

distributed::sharding sharding_of(sharding_tuple const& given) {
  auto const& [grid, modes, blocks] = given;
  return {grid, modes, blocks};
}

/// The peer, the size in bytes, whether no copy is needed, and the offset in bytes.
using message_tuple = std::tuple<int, std::int64_t, bool, std::int64_t>;

std::vector<message_tuple> tuples_of(std::span<distributed::message const> messages) {
  std::vector<message_tuple> result;
  for (auto const& each : messages) result.emplace_back(each.peer, each.bytes, each.is_direct, each.offset);
  return result;
}

void expect_shape(view const& array, std::string_view name, list const& wanted) {
  if (!std::ranges::equal(array.shape(), wanted))
    refuse(PyExc_ValueError, fmt::format("{}.shape", name), text_of(tuple_of(array.shape())),
           fmt::format("{}, the shape of this rank's block", text_of(tuple_of(wanted))));
}

/// Throws unless both arrays are this rank's blocks: dense, of one dtype and device, without overlap, the second one writable.
/// Throws, too, for a limit of threads that `permute` would not take.
void expect_blocks(distributed::rank_plan const& plan, nb::handle x_local, nb::handle out, nb::handle threads) {
  threads_of(threads);
  auto const source = view_of(x_local, "x_local"), destination = view_of(out, "out");
  expect_shape(source, "x_local", plan.source_block().extents);
  expect_shape(destination, "out", plan.destination_shape());
  expect_dense(source, "x_local");
  expect_dense(destination, "out");
  expect_same_dtype(source, "x_local", destination, "out");
  expect_same_device(source, "x_local", destination, "out");
  if (destination.read_only) refuse(PyExc_ValueError, "out", "read-only", "writable");
  auto const read = range_of(source, "x_local"), written = range_of(destination, "out");
  if (read.low < written.high && written.low < read.high)
    refuse(PyExc_ValueError, "out", "within the addresses of x_local", "memory that does not overlap x_local");
}

/// Calls copy(source, destination, options) with the addresses of two arrays, without the GIL.
void copy_between(nb::handle from, nb::handle to, int threads, auto const& copy) {
  auto const source = view_of(from, "the source"), destination = view_of(to, "the destination");
  auto* const stream = source.device == kHost ? nullptr : source.of->current_stream(source);
  auto const options = options_of(source, destination, stream, threads);
  gil_release const released;
  copy(source.data, destination.data, options);
}

}  // namespace

void add_rank_plans(nb::module_& m) {
  using distributed::rank_plan;
  nb::class_<rank_plan>(m, "_RankPlan", "The part of one rank in a permutation over ranks.")
      .def("__init__",
           [](rank_plan* self, list const& shape, list const& axes, sharding_tuple const& source,
              sharding_tuple const& destination, std::int64_t element_size, int rank) {
             new (self) rank_plan({shape, axes, sharding_of(source), sharding_of(destination), element_size}, rank);
           })
      .def_prop_ro("source_shape", [](rank_plan const& self) { return tuple_of(self.source_block().extents); })
      .def_prop_ro("destination_shape", [](rank_plan const& self) { return tuple_of(self.destination_shape()); })
      .def_prop_ro("sends", [](rank_plan const& self) { return tuples_of(self.sends()); })
      .def_prop_ro("receives", [](rank_plan const& self) { return tuples_of(self.receives()); })
      .def_prop_ro("send_bytes", &rank_plan::send_bytes)
      .def_prop_ro("receive_bytes", &rank_plan::receive_bytes)
      .def("expect_blocks", &expect_blocks)
      .def("pack",
           [](rank_plan const& self, std::size_t send, nb::handle x_local, nb::handle buffer, int threads) {
             copy_between(x_local, buffer, threads,
                          [&](auto* from, auto* to, auto const& options) { self.pack(send, from, to, options); });
           })
      .def("unpack",
           [](rank_plan const& self, std::size_t receive, nb::handle buffer, nb::handle out, int threads) {
             copy_between(buffer, out, threads,
                          [&](auto* from, auto* to, auto const& options) { self.unpack(receive, from, to, options); });
           })
      .def("keep", [](rank_plan const& self, nb::handle x_local, nb::handle out, int threads) {
        copy_between(x_local, out, threads, [&](auto* from, auto* to, auto const& options) { self.keep(from, to, options); });
      });
}

}  // namespace cornerturn::python
