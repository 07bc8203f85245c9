#include "fuzz/families.hpp"

#include <string_view>

namespace cornerturn::fuzz {

std::vector<plan_family> call_families() {
  std::vector<std::string_view> const begin{"begins a line", "begins within a line"};
  return {{"quantize",
           {{"source", {"bf16", "f16", "f32", "f8_e4m3fn", "f8_e5m2"}},
            {"destination", {"to f8_e4m3fn", "to f8_e5m2"}},
            {"blocks", {"one given scale", "a scale a row", "1 x 128", "128 x 128"}},
            {"scale", {"as it is", "power of two", "in memory"}},
            {"outputs", {"along rows", "along columns", "along both"}},
            {"sides", {"sides of whole vectors", "other sides"}},
            {"threads", {"one thread", "several threads"}}},
           {{"f8_e4m3fn", {"to f8_e5m2"}, "8-bit floats keep their type"},
            {"f8_e5m2", {"to f8_e4m3fn"}, "8-bit floats keep their type"},
            {"one given scale", {"power of two"}, "a given scale is used as it is"},
            {"in memory", {"a scale a row", "1 x 128", "128 x 128"}, "other scales are computed"}}},
          {"calls of C",
           {{"call", {"permute", "strided copy", "elements", "batched", "plan", "in place", "quantize"}},
            {"size", {"within the caches", "past the caches"}},
            {"begin", begin},
            {"threads", {"one thread", "several threads"}}},
           {{"quantize", {"past the caches"}, "its results are stored through the caches"}}},
          {"files",
           {{"call", {"to another file", "onto itself", "in place", "in place in two calls"}},
            {"format", {"raw", ".npy in C order", ".npy in Fortran order"}},
            {"elements", {"bits", "changed elements"}},
            {"pieces", {"usual memory", "little memory"}}},
           {{"changed elements", {"in place", "in place in two calls"}, "elements in place keep their bits"}}}};
}

}  // namespace cornerturn::fuzz
