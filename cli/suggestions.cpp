#include "suggestions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cornerturn/text.hpp"

namespace cornerturn::cli {

void print_code(std::string_view code) {
  for (std::size_t begin = 0; begin < code.size();) {
    auto const end = std::min(code.find('\n', begin), code.size());
    fmt::print("  {}\n", code.substr(begin, end - begin));
    begin = end + 1;
  }
}

void print_option(std::string_view title, layout_padding const& option) {
  fmt::print("\n{}, {}: {}, {}:\n", title, option.layout, count_text(option.wavefronts, "wavefront"),
             count_text(option.elements, "element"));
  print_code(option.cuda_code);
}

void print_suggestions(std::vector<code_suggestion> const& found) {
  if (found.empty()) fmt::print("\nSuggested: nothing; no padding and no swizzle of an array is better.\n");
  for (auto const& each : found) {
    auto const before = each.elements == each.given_elements ? ", as before" : fmt::format(" instead of {}", each.given_elements);
    fmt::print("\nSuggested for {}: {}\n{} instead of {}, {} without conflicts; {}{}\n\n", each.array, each.layout,
               count_text(each.wavefronts, "wavefront"), each.given_wavefronts, each.ideal_wavefronts,
               count_text(each.elements, "element"), before);
    print_code(each.cuda_code);
    fmt::print("\nWith CuTe:\n");
    print_code(each.code);
    if (each.tma_swizzle) fmt::print("\nIts swizzle is the {}-byte mode of TMA and wgmma.\n", each.tma_swizzle);
    if (each.padding) print_option("Or padded", *each.padding);
    if (each.tma) print_option("Or with a swizzle of TMA and wgmma", *each.tma);
  }
}

}  // namespace cornerturn::cli
