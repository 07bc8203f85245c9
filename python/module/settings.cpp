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

void choose_threads(nb::handle threads) {
  set_num_threads(int(integer_of(threads, "threads", 0, std::numeric_limits<int>::max())));
}

}  // namespace

void add_settings(nb::module_& m) {
  nb::class_<cache_counters>(m, "CacheInfo", "What the cache of plans holds, and how often it was asked.")
      .def_ro("hits", &cache_counters::hits)
      .def_ro("misses", &cache_counters::misses)
      .def_ro("entries", &cache_counters::entries)
      .def_ro("capacity", &cache_counters::capacity)
      .def("__repr__", [](cache_counters const& c) {
        return fmt::format("CacheInfo(hits={}, misses={}, entries={}, capacity={})", c.hits, c.misses, c.entries, c.capacity);
      });
  m.def("cache_info", strict(cache_info, "cache_info()"), "positional"_a, "named"_a, nb::sig("def cache_info() -> CacheInfo"),
        "What the cache of plans behind permute, transpose, ascontiguous and copy holds.");
  m.def("cache_clear", strict(cache_clear, "cache_clear()"), "positional"_a, "named"_a, nb::sig("def cache_clear() -> None"),
        "Forgets all plans, so that they are made anew with what `tune` has found since.");
  m.def("set_num_threads", strict(choose_threads, "set_num_threads(threads)", {{"threads"}}), nb::arg().none() = missing(),
        "positional"_a, "named"_a, nb::sig("def set_num_threads(threads: int) -> None"),
        R"(How many threads a call may use for arrays in host memory, from now on in the whole process.

0, as at first: one for each processor that the calling thread may use. Raises ValueError for a negative number or one above
2^31 - 1, TypeError for what is no integer.

Examples
--------
>>> import cornerturn
>>> cornerturn.set_num_threads(1)
>>> cornerturn.num_threads()
1
>>> cornerturn.set_num_threads(0)
)");
  m.def("num_threads", strict(num_threads, "num_threads()"), "positional"_a, "named"_a, nb::sig("def num_threads() -> int"),
        "As many threads as a call would use at most now.");
}

}  // namespace cornerturn::python
