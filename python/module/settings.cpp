#include "settings.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cornerturn/cache.hpp>
#include <cornerturn/threads.hpp>
#include <limits>

#include "arguments.hpp"
#include "functions.hpp"

namespace nb = nanobind;
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
  builtin<cache_info>::add(m, "cache_info()",
                           "Returns the state of the plan cache that permute, transpose, ascontiguous and copy use.");
  builtin<cache_clear>::add(m, "cache_clear()",
                            "Empties the plan cache, so that later calls plan anew and use the choices of `tune`.");
  builtin<set_threads>::add(m, "set_num_threads(threads)",
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
  builtin<num_threads>::add(m, "num_threads()", "Returns the maximum number of threads that a call would use now.");
}

}  // namespace cornerturn::python
