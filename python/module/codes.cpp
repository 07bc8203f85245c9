#include "module.hpp"

#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cornerturn/code.hpp>
#include <cornerturn/page.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "page_file.hpp"

namespace cornerturn::python {
namespace {

struct explained_code {
  code_explanation counts;
  std::vector<code_suggestion> suggestions;

  std::string repr() const {
    std::vector<std::string> arrays;
    for (auto const& each : suggestions) arrays.push_back(fmt::format("{}: {}", each.array, each.layout));
    return fmt::format("CodeExplanation({}; suggestions=[{}])", counts.idea, fmt::join(arrays, ", "));
  }
};

explained_code explain_a_code(nb::handle code, nb::handle suggest) {
  auto const text = string_of(code, "code");
  bool const suggests = bool_of(suggest, "suggest");
  gil_release const released;
  explained_code result{explain_code(text), {}};
  if (suggests) result.suggestions = suggest_code(text);
  return result;
}

explained_code const& code_in(nb::handle self) {
  if (!nb::inst_ready(self)) refuse(PyExc_TypeError, "self", kind_of(self), "a cornerturn.CodeExplanation made by explain_code");
  return *nb::inst_ptr<explained_code>(self);
}

std::string draw_code(nb::handle self) {
  auto const& each = code_in(self);
  return picture_of(each.suggestions.empty() ? each.counts : explain_suggested_code(each.counts.code, each.suggestions));
}

void write_code(nb::handle self, nb::handle path) {
  auto const& each = code_in(self);
  write_page(path, page_of(each.counts, each.suggestions));
}

template <auto member>
auto counted(explained_code const& each) {
  return each.counts.*member;
}

std::optional<std::string> code_of(std::optional<layout_padding> const& each) {
  return each ? std::optional(each->cuda_code) : std::nullopt;
}

}  // namespace

void add_codes(nb::module_& m) {
  using suggestion = code_suggestion;
  nb::class_<suggestion>(m, "CodeSuggestion", "A better layout of an array in shared memory, for all accesses of a code together.")
      .def_ro("array", &suggestion::array, "The name of the array.")
      .def_ro("layout", &suggestion::layout, "The layout as cute::print writes it.")
      .def_ro("code", &suggestion::code, "The layout as a statement for CuTe.")
      .def_ro("cuda_code", &suggestion::cuda_code, "The layout in CUDA C++ without CuTe.")
      .def_ro("cute_dsl_code", &suggestion::cute_dsl_code, "The layout as a statement for CuTe DSL.")
      .def_ro("gluon_code", &suggestion::gluon_code,
              "The layout as a statement for Triton's Gluon; empty if Gluon does not have it.")
      .def_ro("given_wavefronts", &suggestion::given_wavefronts, "Wavefronts of all accesses with the given layout.")
      .def_ro("wavefronts", &suggestion::wavefronts, "Wavefronts with the suggested layout.")
      .def_ro("ideal_wavefronts", &suggestion::ideal_wavefronts, "Wavefronts without bank conflicts.")
      .def_ro("given_elements", &suggestion::given_elements, "Shared memory with the given layout, in elements.")
      .def_ro("elements", &suggestion::elements, "Shared memory with the suggested layout, in elements.")
      .def_ro("tma_swizzle", &suggestion::tma_swizzle,
              "Bytes of the swizzle mode of TMA and wgmma that the layout has: 32, 64 or 128; 0: none of these.")
      .def_prop_ro(
          "padded_code", [](suggestion const& each) { return code_of(each.padding); },
          "The best padding in CUDA C++, if a swizzle is suggested and a padding has an effect, too.")
      .def_prop_ro(
          "tma_code", [](suggestion const& each) { return code_of(each.tma); },
          "The best swizzle that TMA and wgmma have in CUDA C++, if the layout has another one.")
      .def("__repr__", [](suggestion const& each) {
        return fmt::format("CodeSuggestion({}: {}, wavefronts={} instead of {})", each.array, each.layout, each.wavefronts,
                           each.given_wavefronts);
      });
  nb::class_<explained_code> type(m, "CodeExplanation", "The memory requests of lines of CUDA C++; made by `explain_code`.");
  type.def_prop_ro("code", &counted<&code_explanation::code>, "The lines, as given.")
      .def_prop_ro("block", &counted<&code_explanation::block>, "The threads of a block along x, y and z, such as '32 x 8'.")
      .def_prop_ro("threads", &counted<&code_explanation::threads>, "Threads of a block.")
      .def_prop_ro("idea", &counted<&code_explanation::idea>, "The sums of all counts in one line.")
      .def_prop_ro("instructions", &counted<&code_explanation::instructions>,
                   "A list of MemoryInstruction in the order of the lines; their file is 'code'.")
      .def_prop_ro("findings", &counted<&code_explanation::findings>, "A list of Finding.")
      .def_prop_ro("tiles", &counted<&code_explanation::tiles>, "A list of TileMap: arrays in shared memory.")
      .def_ro("suggestions", &explained_code::suggestions,
              "A list of CodeSuggestion: one for each array with bank conflicts that a layout cures; empty without suggest=True.")
      .def("__repr__", &explained_code::repr);
  builtin<draw_code>::add_method(type, "picture", "picture() -> str", kPicture);
  builtin<write_code>::add_method(type, "html", kHtmlSignature, html_documentation("explain --code"));
  builtin<explain_a_code>::add(
      m, "explain_code(code: str, *, suggest: bool = False) -> CodeExplanation",
      R"(Counts the memory requests of lines of CUDA C++, or of a whole kernel, as `cornerturn explain --code` does. It needs no GPU.

Each thread of one block runs the lines. An array is in shared memory, unless it is declared __device__ or another one is declared
__shared__; a pointer points to global memory. docs/explain.md has the grammar.

Parameters
----------
code : str
    Declarations and accesses, such as '__shared__ float t[32][33]; t[threadIdx.x][0]'.
suggest : bool
    Search the least padding and the best swizzle of each array in shared memory, for all its accesses together.

Returns
-------
CodeExplanation

Raises
------
ValueError
    The code is wrong, or an address depends on values in memory; the message names the character.

Examples
--------
>>> import cornerturn
>>> read = cornerturn.explain_code("__shared__ float t[32][32]; t[threadIdx.x][0]", suggest=True)
>>> read.instructions[0].wavefronts, read.suggestions[0].cuda_code
(32, '__shared__ float t[32][32];  // element (i, j) is t[i][j ^ i]')
)");
}

}  // namespace cornerturn::python
