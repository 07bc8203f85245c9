#include "fuzz/families.hpp"

#include <string>
#include <string_view>

#include "support/all_types.hpp"

namespace cornerturn::fuzz {

std::string_view name_of_destination(element_type type) {
  static auto const all = [] {
    std::vector<std::string> names;
    for (auto const each : test::kAllTypes) names.push_back("to " + std::string(name_of(each)));
    return names;
  }();
  return all[std::size_t(type)];
}

std::vector<counted_family> call_families() {
  std::vector<std::string_view> const begin{"begins a line", "begins within a line"};
  std::vector<std::string_view> sources, destinations;
  for (auto const type : test::kAllTypes) {
    if (is_quantizable(type)) sources.push_back(name_of(type));
    if (is_8_bit_float(type)) destinations.push_back(name_of_destination(type));
  }
  std::vector<unreachable_pairs> unreachable{
      {"one given scale", {"power of two"}, "a given scale is used as it is"},
      {"in memory", {"a scale a row", "1 x 128", "128 x 128"}, "other scales are computed"}};
  for (auto const type : test::kAllTypes) {
    if (!is_8_bit_float(type)) continue;
    auto others = destinations;
    std::erase(others, name_of_destination(type));
    unreachable.push_back({name_of(type), others, "8-bit floats keep their type"});
  }
  return {{"quantize",
           {{"source", sources},
            {"destination", destinations},
            {"blocks", {"one given scale", "a scale a row", "1 x 128", "128 x 128"}},
            {"scale", {"as it is", "power of two", "in memory"}},
            {"outputs", {"along rows", "along columns", "along both"}},
            {"sides", {"sides of whole vectors", "other sides"}},
            {"threads", {"one thread", "several threads"}}},
           unreachable},
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
            {"pieces", {"usual memory", "little memory"}},
            {"limits", {"usual limits", "small limits"}}},
           {{"changed elements", {"in place", "in place in two calls"}, "elements in place keep their bits"}}}};
}

}  // namespace cornerturn::fuzz
