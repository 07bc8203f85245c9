#include "fuzz/families.hpp"

#include <string_view>

namespace cornerturn::fuzz {

std::vector<counted_family> call_families() {
  std::vector<std::string_view> const begin{"begins a line", "begins within a line"};
  return {{"calls of C",
           {{"call", {"permute", "strided copy", "elements", "batched", "plan", "in place", "quantize"}},
            {"size", {"within the caches", "past the caches"}},
            {"begin", begin},
            {"threads", {"one thread", "several threads"}}},
           {{"quantize", {"past the caches"}, "its results are stored through the caches"}}},
          {"packed elements",
           {{"elements", {"4 bits", "2 bits", "1 bit"}},
            {"first", {"lowest", "highest"}},
            {"way", {"whole bytes", "matrices", "one by one"}},
            {"size", {"within the caches", "past the caches"}},
            {"begin", begin},
            {"threads", {"one thread", "several threads"}}},
           {{"past the caches", {"whole bytes", "one by one"}, "only matrices are drawn so large"}}},
          {"files",
           {{"call", {"to another file", "onto itself", "in place", "in place in two calls"}},
            {"format", {"raw", ".npy in C order", ".npy in Fortran order"}},
            {"elements", {"bits", "changed elements"}},
            {"pieces", {"usual memory", "little memory"}},
            {"limits", {"usual limits", "small limits"}}},
           {{"changed elements", {"in place", "in place in two calls"}, "elements in place keep their bits"}}}};
}

}  // namespace cornerturn::fuzz
