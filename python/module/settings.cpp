#include "settings.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cornerturn/cache.hpp>
#include <cornerturn/threads.hpp>

namespace nb = nanobind;
using namespace nanobind::literals;

namespace cornerturn::python {

void add_settings(nb::module_& m) {
  nb::class_<cache_counters>(m, "CacheInfo", "What the cache of plans holds, and how often it was asked.")
      .def_ro("hits", &cache_counters::hits)
      .def_ro("misses", &cache_counters::misses)
      .def_ro("entries", &cache_counters::entries)
      .def_ro("capacity", &cache_counters::capacity)
      .def("__repr__", [](cache_counters const& c) {
        return fmt::format("CacheInfo(hits={}, misses={}, entries={}, capacity={})", c.hits, c.misses, c.entries, c.capacity);
      });
  m.def("cache_info", cache_info, "What the cache of plans behind permute, transpose, ascontiguous and copy holds.");
  m.def("cache_clear", cache_clear, "Forgets all plans, so that they are made anew with what `tune` has found since.");
  m.def("set_num_threads", set_num_threads, "threads"_a,
        R"(How many threads a call may use for arrays in host memory, from now on in the whole process.

0, as at first: one for each processor that the calling thread may use. Raises ValueError for a negative number.

Examples
--------
>>> import cornerturn
>>> cornerturn.set_num_threads(1)
>>> cornerturn.num_threads()
1
>>> cornerturn.set_num_threads(0)
)");
  m.def("num_threads", num_threads, "As many threads as a call would use at most now.");
}

}  // namespace cornerturn::python
