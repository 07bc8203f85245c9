#include "settings.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cornerturn/cache.hpp>
#include <cornerturn/threads.hpp>
#include <limits>

#include "arguments.hpp"

namespace nb = nanobind;
using namespace nanobind::literals;

namespace cornerturn::python {
namespace {

void set_threads(nb::handle threads) { set_num_threads(int(integer_of(threads, "threads", 0, std::numeric_limits<int>::max()))); }

}  // namespace

void add_settings(nb::module_& m) {
  nb::class_<cache_counters>(m, "CacheInfo",
                             "The state of the plan cache: hits and misses count lookups, entries and capacity count plans.")
      .def_ro("hits", &cache_counters::hits)
      .def_ro("misses", &cache_counters::misses)
      .def_ro("entries", &cache_counters::entries)
      .def_ro("capacity", &cache_counters::capacity)
      .def("__repr__", [](cache_counters const& c) {
        return fmt::format("CacheInfo(hits={}, misses={}, entries={}, capacity={})", c.hits, c.misses, c.entries, c.capacity);
      });
  m.def("cache_info", strict(cache_info, "cache_info()"), "positional"_a, "named"_a, nb::sig("def cache_info() -> CacheInfo"),
        "Returns the state of the plan cache that permute, transpose, ascontiguous and copy use.");
  m.def("cache_clear", strict(cache_clear, "cache_clear()"), "positional"_a, "named"_a, nb::sig("def cache_clear() -> None"),
        "Empties the plan cache, so that later calls plan anew and use the choices of `tune`.");
  m.def("set_num_threads", strict(set_threads, "set_num_threads(threads)", {{"threads"}}), nb::arg().none() = missing(),
        "positional"_a, "named"_a, nb::sig("def set_num_threads(threads: int) -> None"),
        R"(Sets the maximum number of threads per call for arrays in host memory, for the whole process.

0, the default, means one thread per processor available to the calling thread. Raises ValueError for a number below 0 or above
2^31 - 1, TypeError if it is not an integer.

Examples
--------
>>> import cornerturn
>>> cornerturn.set_num_threads(1)
>>> cornerturn.num_threads()
1
>>> cornerturn.set_num_threads(0)
)");
  m.def("num_threads", strict(num_threads, "num_threads()"), "positional"_a, "named"_a, nb::sig("def num_threads() -> int"),
        "Returns the maximum number of threads that a call would use now.");
}

}  // namespace cornerturn::python
