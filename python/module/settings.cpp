#include "module.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cornerturn/cache.hpp>
#include <cornerturn/threads.hpp>
#include <limits>

#include "arguments.hpp"
#include "functions.hpp"

namespace cornerturn::python {
namespace {

void set_threads(nb::handle threads) { set_num_threads(int(integer_of(threads, "threads", 0, std::numeric_limits<int>::max()))); }

}  // namespace

void add_settings(nb::module_& m) {
  nb::class_<cache_counters>(m, "CacheInfo", "The state of the plan cache; made by `cache_info`.")
      .def_ro("hits", &cache_counters::hits, "Lookups that found a plan, since the process started or the last `cache_clear`.")
      .def_ro("misses", &cache_counters::misses, "Lookups after which a plan was made.")
      .def_ro("entries", &cache_counters::entries, "Plans in the cache.")
      .def_ro("capacity", &cache_counters::capacity, "The maximum number of plans.")
      .def("__repr__", [](cache_counters const& c) {
        return fmt::format("CacheInfo(hits={}, misses={}, entries={}, capacity={})", c.hits, c.misses, c.entries, c.capacity);
      });
  builtin<cache_info>::add(m, "cache_info() -> CacheInfo",
                           R"(The state of the plan cache that permute, transpose, ascontiguous, copy and fp8.quantize use.

Returns
-------
CacheInfo
)");
  builtin<cache_clear>::add(m, "cache_clear() -> None",
                            "Empties the plan cache, so that later calls plan anew and use the choices of `tune`.");
  builtin<set_threads>::add(m, "set_num_threads(threads: int) -> None",
                            R"(Sets the maximum number of threads per call for arrays in host memory, for the whole process.

0, the default, means one thread per processor available to the calling thread.

Raises
------
ValueError
    The number is below 0 or above 2^31 - 1.
TypeError
    It is not an integer.

Examples
--------
>>> import cornerturn
>>> cornerturn.set_num_threads(1)
>>> cornerturn.num_threads()
1
>>> cornerturn.set_num_threads(0)
)");
  builtin<num_threads>::add(m, "num_threads() -> int", R"(The maximum number of threads that a call on this thread would use now.

Returns
-------
int
)");
}

}  // namespace cornerturn::python
