#include "module.hpp"

#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cornerturn/layout.hpp>
#include <cornerturn/page.hpp>
#include <numeric>
#include <optional>

#include "arguments.hpp"
#include "attribute.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "page_file.hpp"

namespace cornerturn::python {
namespace {

/// A layout's counts, with the options that its page shows, too.
struct explained_layout {
  layout_options options;
  layout_explanation counts;
  std::optional<layout_suggestion> suggestion;

  /// False for the memory that `space` leaves out, and for global memory if ldmatrix is the only access.
  bool is_in(memory_space memory) const {
    bool const only_ldmatrix = counts.ldmatrix && counts.instructions.size() == 1;
    return counts.space.value_or(memory) == memory && (memory == memory_space::shared || !only_ldmatrix);
  }

  /// The sum of a count over all accesses; empty if no access is in its memory.
  std::optional<std::int64_t> sum(memory_space memory, std::int64_t memory_instruction::*count) const {
    if (!is_in(memory)) return std::nullopt;
    return std::accumulate(counts.instructions.begin(), counts.instructions.end(), std::int64_t(0),
                           [&](std::int64_t so_far, memory_instruction const& each) { return so_far + each.*count; });
  }

  auto wavefronts() const { return sum(memory_space::shared, &memory_instruction::wavefronts); }
  auto ideal_wavefronts() const { return sum(memory_space::shared, &memory_instruction::ideal_wavefronts); }
  auto sectors() const { return sum(memory_space::global, &memory_instruction::sectors); }
  auto ideal_sectors() const { return sum(memory_space::global, &memory_instruction::ideal_sectors); }

  std::string repr() const {
    std::vector<std::string> parts;
    if (wavefronts()) parts.push_back(fmt::format("wavefronts={} of {} ideal", *wavefronts(), *ideal_wavefronts()));
    if (sectors()) parts.push_back(fmt::format("sectors={} of {} ideal", *sectors(), *ideal_sectors()));
    if (suggestion) parts.push_back("suggestion=" + suggestion->layout);
    auto const about = counts.addresses.empty() ? counts.layout : "addresses " + counts.addresses;
    return fmt::format("LayoutExplanation({}: {})", about, fmt::join(parts, ", "));
  }
};

/// A layout in CuTe's notation, from a str, an int, or a tuple of these.
std::string notation_of(nb::handle given, std::string_view name, int depth = 0) {
  constexpr int kMaxDepth = 64;  // more than the notation has, which says so; the limit protects the stack
  if (nb::isinstance<nb::tuple>(given)) {
    if (depth == kMaxDepth) refuse(PyExc_ValueError, name, kind_of(given), fmt::format("nested at most {} deep", kMaxDepth));
    std::string text;
    for (auto const item : nb::borrow<nb::tuple>(given)) text += (text.empty() ? "(" : ",") + notation_of(item, name, depth + 1);
    return text + ")";
  }
  if (PyUnicode_Check(given.ptr())) return text_of(given);
  constexpr std::int64_t kMost = 2147483647;
  return std::to_string(integer_of(given, name, -kMost, kMost));
}

/// A text in CuTe's notation, an extent, or a pair (shape, stride) of ints or nested tuples; None: "".
std::string layout_of(nb::handle given, std::string_view name) {
  constexpr auto kAllowed = "a str, an int, or a tuple of shape and stride";
  if (given.is_none()) return "";
  if (PyUnicode_Check(given.ptr()) || PyIndex_Check(given.ptr())) return notation_of(given, name);
  if (!nb::isinstance<nb::tuple>(given)) refuse(PyExc_TypeError, name, repr_of(given), kAllowed);
  auto const pair = nb::borrow<nb::tuple>(given);
  if (pair.size() != 2) refuse(PyExc_ValueError, name, repr_of(given), kAllowed);
  return notation_of(pair[0], name) + ":" + notation_of(pair[1], name);
}

std::optional<memory_space> space_of(nb::handle given) {
  auto const name = string_of(given, "space");
  if (name == "shared") return memory_space::shared;
  if (name == "global") return memory_space::global;
  if (name != "both") refuse(PyExc_ValueError, "space", repr_of(given), "'shared', 'global' or 'both'");
  return std::nullopt;
}

/// An expression of lane, or a sequence of addresses in which None is a lane without access.
std::string addresses_of(nb::handle given) {
  if (PyUnicode_Check(given.ptr())) return text_of(given);
  if (!PySequence_Check(given.ptr())) refuse(PyExc_TypeError, "addresses", repr_of(given), "a str or a sequence of integers");
  constexpr std::int64_t kMost = 2147483647;
  std::string text;
  auto const sequence = nb::borrow<nb::sequence>(given);
  for (auto const item : sequence)
    text += (text.empty() ? "" : ",") + (item.is_none() ? "-" : std::to_string(integer_of(item, "addresses", 0, kMost)));
  return nb::len(sequence) == 1 ? text + ",-" : text;  // one entry without a comma is that of all lanes
}

/// The number of matrices of ldmatrix.x1, .x2 or .x4; 0 for none.
int matrices_of(nb::handle given) {
  auto const number = try_int64(given);
  if (number && (*number == 0 || *number == 1 || *number == 2 || *number == 4)) return int(*number);
  refuse(PyIndex_Check(given.ptr()) ? PyExc_ValueError : PyExc_TypeError, "ldmatrix", repr_of(given), "1, 2 or 4, or 0 for none");
}

explained_layout explain_a_layout(nb::handle layout, nb::handle store_threads, nb::handle store_values, nb::handle store_vector,
                                  nb::handle load_threads, nb::handle load_values, nb::handle load_vector, nb::handle element,
                                  nb::handle ldmatrix, nb::handle suggest, nb::handle space, nb::handle swizzles,
                                  nb::handle addresses, nb::handle access, nb::handle store) {
  constexpr int kMostVector = 16;
  auto const bytes = [](nb::handle given, std::string_view name) { return int(integer_of(given, name, 0, kMostVector)); };
  explained_layout result;
  auto const memory = space_of(space);
  if (!addresses.is_none()) {
    for (auto const& [given, name] :
         {std::pair(layout, "layout"), std::pair(store_threads, "store_threads"), std::pair(store_values, "store_values"),
          std::pair(load_threads, "load_threads"), std::pair(load_values, "load_values")})
      if (!given.is_none()) refuse(PyExc_ValueError, name, repr_of(given), "None with addresses");
    if (PyObject_IsTrue(suggest.ptr()) == 1) refuse(PyExc_ValueError, "suggest", "True", "False with addresses");
    address_options const asked{addresses_of(addresses), bytes(access, "access"), PyObject_IsTrue(store.ptr()) == 1, memory};
    result.counts = explain_addresses(asked);
    return result;
  }
  if (layout.is_none()) refuse(PyExc_TypeError, "layout", "None", "given, or addresses must be");
  result.options.space = memory;
  auto const kinds = string_of(swizzles, "swizzles");
  if (kinds != "any" && kinds != "tma") refuse(PyExc_ValueError, "swizzles", repr_of(swizzles), "'any' or 'tma'");
  result.options.tma_swizzles = kinds == "tma";
  result.options.layout = layout_of(layout, "layout");
  result.options.store = {layout_of(store_threads, "store_threads"), layout_of(store_values, "store_values"),
                          bytes(store_vector, "store_vector")};
  result.options.load = {layout_of(load_threads, "load_threads"), layout_of(load_values, "load_values"),
                         bytes(load_vector, "load_vector")};
  result.options.element_size = bytes(element, "element");
  result.options.ldmatrix = matrices_of(ldmatrix);
  bool const suggests = PyObject_IsTrue(suggest.ptr()) == 1;
  gil_release const released;
  result.counts = explain_layout(result.options);
  if (suggests) result.suggestion = suggest_layout(result.options);
  return result;
}

explained_layout const& layout_in(nb::handle self) {
  if (!nb::inst_ready(self)) refuse(PyExc_TypeError, "self", kind_of(self), "a cornerturn.LayoutExplanation made by layout");
  return *nb::inst_ptr<explained_layout>(self);
}

std::string draw_layout(nb::handle self) {
  auto const& each = layout_in(self);
  return picture_of(each.options, each.counts, each.suggestion);
}

void write_layout(nb::handle self, nb::handle path) {
  auto const& each = layout_in(self);
  write_page(path, page_of(each.options, each.counts, each.suggestion));
}

/// A member of a layout's counts, or of its suggestion if there is one.
template <auto member>
auto counted(explained_layout const& each) {
  return each.counts.*member;
}
template <auto member>
auto suggested(explained_layout const& each) {
  return each.suggestion ? std::optional(*each.suggestion.*member) : std::nullopt;
}

}  // namespace

void add_layouts(nb::module_& m) {
  using each = explained_layout;
  nb::class_<each> type(m, "LayoutExplanation", "The bank conflicts and sectors of the accesses to a tile with a layout.");
  type.def_prop_ro("layout", &counted<&layout_explanation::layout>,
                   "The layout as cute::print writes it; empty if addresses were given.")
      .def_prop_ro("elements", &counted<&layout_explanation::elements>,
                   "The number of elements from the first to the last one, with gaps.")
      .def_prop_ro("element_size", &counted<&layout_explanation::element_size>, "Bytes of an element.")
      .def_prop_ro("instructions", &counted<&layout_explanation::instructions>,
                   "A list of MemoryInstruction: the store and the load, as far as given.")
      .def_prop_ro(
          "findings", [](each const& e) { return std::vector<finding>(e.counts.findings.begin(), e.counts.findings.end()); },
          "A list of Finding.")
      .def_prop_ro("wavefronts", &each::wavefronts, "Wavefronts of all accesses in shared memory; None if they are not counted.")
      .def_prop_ro("ideal_wavefronts", &each::ideal_wavefronts, "Wavefronts without bank conflicts; None likewise.")
      .def_prop_ro("sectors", &each::sectors, "Sectors of all accesses in global memory; None if they are not counted.")
      .def_prop_ro("ideal_sectors", &each::ideal_sectors, "Sectors that the bytes would fill; None likewise.")
      .def_prop_ro("suggestion", &suggested<&layout_suggestion::layout>, "The suggested layout; None without suggest=True.")
      .def_prop_ro("code", &suggested<&layout_suggestion::code>, "The suggestion as a statement for CuTe.")
      .def_prop_ro("cuda_code", &suggested<&layout_suggestion::cuda_code>, "The suggestion in CUDA C++ without CuTe.")
      .def_prop_ro(
          "padded_code",
          [](each const& e) {
            return e.suggestion && e.suggestion->padding ? std::optional(e.suggestion->padding->cuda_code) : std::nullopt;
          },
          "The best padding in CUDA C++, if a swizzle is suggested and a padding has an effect, too.")
      .def_prop_ro("cute_dsl_code", &suggested<&layout_suggestion::cute_dsl_code>, "The suggestion as a statement for CuTe DSL.")
      .def_prop_ro("gluon_code", &suggested<&layout_suggestion::gluon_code>,
                   "The suggestion as a statement for Triton's Gluon; empty if Gluon does not have the layout.")
      .def_prop_ro("suggested_wavefronts", &suggested<&layout_suggestion::wavefronts>,
                   "Wavefronts of all accesses with the suggestion.")
      .def_prop_ro("tma_swizzle", &suggested<&layout_suggestion::tma_swizzle>,
                   "Bytes of the swizzle mode of TMA and wgmma that the suggestion has: 32, 64 or 128; 0: none of these.")
      .def_prop_ro("rearrange_code", &suggested<&layout_suggestion::rearrange_code>,
                   "The call of rearrange that stores an array in tiles of the suggestion; empty if it lacks their swizzle.")
      .def("__repr__", &each::repr);
  builtin<draw_layout>::add_method(type, "picture", "picture() -> str", kPicture);
  builtin<write_layout>::add_method(type, "html", kHtmlSignature, html_documentation("layout"));
  builtin<explain_a_layout>::add(
      m,
      "layout(layout: Layout | None = None, store_threads: Layout | None = None, store_values: Layout | None = None, *, "
      "store_vector: int = 0, load_threads: Layout | None = None, load_values: Layout | None = None, load_vector: int = 0, "
      "element: int = 0, ldmatrix: int = 0, suggest: bool = False, space: Literal['shared', 'global', 'both'] = 'both', "
      "swizzles: Literal['any', 'tma'] = 'any', addresses: str | Sequence[int | None] | NDArray[integer] | None = None, "
      "access: int = 4, store: bool = False) -> LayoutExplanation",
      R"(Counts the bank conflicts and sectors of the accesses to a tile, as `cornerturn layout` does. It needs no GPU.

Layouts are texts in CuTe's notation, '(64,64):(64,1)', or tuples of shape and stride, ((64, 64), (64, 1)); or layouts of Triton,
'[64, 64], SwizzledSharedLayout(8, 1, 8, [1, 0])' with threads 'BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])'.

Parameters
----------
layout : str, int or tuple
    The layout of the tile, or a tensor as cute::print writes it.
store_threads, store_values : str, int or tuple, optional
    The thread and value layouts of the store, as in make_tiled_copy.
load_threads, load_values : str, int or tuple, optional
    Those of the load.
store_vector, load_vector : int
    Bytes of one access; 0: one element, or with a layout of Triton the widest access.
element : int
    The element size in bytes; 0: that of the pointer in `layout`, else 4.
ldmatrix : int
    The matrices of an ldmatrix that loads the tile, 1, 2 or 4; 0: the load is none.
suggest : bool
    Search the cheapest padding or swizzle.
space : 'shared', 'global' or 'both'
    The memory that the tile is in; 'both': either may be meant, and both are counted. Counts of the other memory are None.
swizzles : 'any' or 'tma'
    What may be suggested; 'tma': only the swizzles that TMA and wgmma have, and no padding.
addresses : str or sequence of int, optional
    Instead of a layout: the byte addresses of one access of a warp. An expression of `lane` such as 'lane*132', or up to 32
    addresses; None, or - in a str, is a lane without access.
access : int
    With addresses: bytes per lane.
store : bool
    With addresses: the access is a store, else a load.

Returns
-------
LayoutExplanation

Raises
------
ValueError
    A layout is wrong; the message names the character.

Examples
--------
>>> import cornerturn
>>> tile = cornerturn.layout(((64, 64), (64, 1)), '(32,8):(1,32)', suggest=True)
>>> tile.wavefronts, tile.ideal_wavefronts, tile.suggestion
(4096, 128, 'Sw<5,0,6> o _0 o (64,64):(64,1)')
>>> cornerturn.layout(addresses='lane*128', space='shared').wavefronts
32
)");
}

}  // namespace cornerturn::python
