#include "explanations.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cornerturn/error.hpp>
#include <cornerturn/explain.hpp>
#include <cornerturn/ladder.hpp>
#include <initializer_list>
#include <limits>

#include "arguments.hpp"
#include "functions.hpp"
#include "gil.hpp"
#include "refuse.hpp"

namespace nb = nanobind;
namespace cornerturn::python {
namespace {

/// Replaces the names of a library message by those of the Python parameters and functions.
std::string with_python_names(std::string text) {
  constexpr std::string_view kListed = "that cornerturn explain --help lists";
  if (auto const at = text.find(kListed); at != text.npos) return text.replace(at, kListed.size(), "of rung_names()");
  for (std::string_view const word : {"source align", "destination align", "destination pitch", "rows x destination pitch"})
    if (text.starts_with(word)) return text.replace(word.rfind(' '), 1, "_");
  for (std::string_view const word : {"align", "pitch", "rows x pitch"})
    if (text.starts_with(word)) return text.insert(word.rfind(' ') + 1, "source_");
  return text;
}

explanation explain_rung(nb::handle rung, nb::handle rows, nb::handle cols, nb::handle type, nb::handle source_pitch,
                         nb::handle destination_pitch, nb::handle source_align, nb::handle destination_align) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr int kMostAlignment = 256;
  auto const name = string_of(rung, "rung");
  explain_options const options{
      .rows = integer_of(rows, "rows", 1, kMost),
      .cols = integer_of(cols, "cols", 1, kMost),
      .type = string_of(type, "type"),
      .source_pitch = integer_of(source_pitch, "source_pitch", 0, kMost),
      .destination_pitch = integer_of(destination_pitch, "destination_pitch", 0, kMost),
      .source_align = int(integer_of(source_align, "source_align", 1, kMostAlignment)),
      .destination_align = int(integer_of(destination_align, "destination_align", 1, kMostAlignment)),
  };
  try {
    gil_release const released;
    return explain(name, options);
  } catch (error const& e) {
    raise(PyExc_ValueError, with_python_names(e.what()));
  }
}

std::vector<std::string> rungs() { return rung_names(); }

/// The repr of an object: its class and the values of some attributes.
std::string repr_with(nb::handle self, std::initializer_list<char const*> names) {
  std::string fields;
  for (auto const name : names)
    fields += fmt::format("{}{}={}", fields.empty() ? "" : ", ", name, repr_of(nb::object(self.attr(name))));
  return fmt::format("{}({})", text_of(nb::object(self.type().attr("__name__"))), fields);
}

std::string draw(nb::handle self) {
  if (!nb::inst_ready(self)) refuse(PyExc_TypeError, "self", kind_of(self), "a cornerturn.Explanation made by explain");
  return picture_of(*nb::inst_ptr<explanation>(self));
}

std::string_view name_of(memory_space space) { return space == memory_space::global ? "global" : "shared"; }

}  // namespace

void add_explanations(nb::module_& m) {
  nb::class_<lane_access>(m, "LaneAccess",
                          "The access of one lane in a request. address: bytes; lane: of the warp, or the row of a TMA box.")
      .def_ro("lane", &lane_access::lane)
      .def_ro("active", &lane_access::active)
      .def_ro("address", &lane_access::address)
      .def_ro("wavefront", &lane_access::wavefront)
      .def_ro("group", &lane_access::group)
      .def("__repr__", [](nb::handle self) {
        return repr_with(self, {"lane", "active", "address", "wavefront", "group"});
      });
  nb::class_<memory_request>(m, "MemoryRequest", "The accesses of a warp's lanes by one executed memory instruction.")
      .def_ro("warp", &memory_request::warp)
      .def_ro("occurrence", &memory_request::occurrence)
      .def_ro("lanes", &memory_request::lanes)
      .def_ro("sectors", &memory_request::sectors)
      .def_ro("ideal_sectors", &memory_request::ideal_sectors)
      .def_ro("wavefronts", &memory_request::wavefronts)
      .def_ro("ideal_wavefronts", &memory_request::ideal_wavefronts)
      .def("__repr__", [](nb::handle self) {
        return repr_with(self, {"warp", "occurrence", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"});
      });
  nb::class_<memory_instruction>(m, "MemoryInstruction",
                                 "One memory instruction of a kernel, with its counts over a whole launch.")
      .def_ro("file", &memory_instruction::file)
      .def_ro("line", &memory_instruction::line)
      .def_ro("source", &memory_instruction::source)
      .def_prop_ro("space", [](memory_instruction const& i) { return std::string(name_of(i.space)); })
      .def_ro("store", &memory_instruction::store)
      .def_ro("box", &memory_instruction::box)
      .def_ro("bytes", &memory_instruction::bytes)
      .def_ro("swizzled", &memory_instruction::swizzled)
      .def_ro("requests", &memory_instruction::requests)
      .def_ro("active_lanes", &memory_instruction::active_lanes)
      .def_ro("sectors", &memory_instruction::sectors)
      .def_ro("ideal_sectors", &memory_instruction::ideal_sectors)
      .def_ro("partial_sectors", &memory_instruction::partial_sectors)
      .def_ro("half_lines", &memory_instruction::half_lines)
      .def_ro("lines", &memory_instruction::lines)
      .def_ro("wavefronts", &memory_instruction::wavefronts)
      .def_ro("ideal_wavefronts", &memory_instruction::ideal_wavefronts)
      .def_ro("split_sectors", &memory_instruction::split_sectors)
      .def_ro("bytes_needed", &memory_instruction::bytes_needed)
      .def_ro("bytes_moved", &memory_instruction::bytes_moved)
      .def_ro("samples", &memory_instruction::samples)
      .def_prop_ro("ways", &memory_instruction::ways)
      .def("__repr__", [](nb::handle self) {
        return repr_with(self, {"file", "line", "space", "store", "bytes", "requests", "sectors", "ideal_sectors", "wavefronts",
                                "ideal_wavefronts"});
      });
  nb::class_<finding>(m, "Finding", "A performance problem of a kernel.")
      .def_ro("kind", &finding::kind)
      .def_ro("instruction", &finding::instruction)
      .def_ro("text", &finding::text)
      .def("__repr__", [](nb::handle self) {
        return repr_with(self, {"kind", "instruction", "text"});
      });
  nb::class_<tile_map>(m, "TileMap", "The layout of a block's tile (offsets in elements), and the threads that access it.")
      .def_prop_ro("space", [](tile_map const& t) { return std::string(name_of(t.space)); })
      .def_ro("rows", &tile_map::rows)
      .def_ro("cols", &tile_map::cols)
      .def_ro("offsets", &tile_map::offsets)
      .def_ro("unswizzled", &tile_map::unswizzled)
      .def_ro("threads", &tile_map::threads)
      .def("__repr__", [](nb::handle self) {
        return repr_with(self, {"space", "rows", "cols"});
      });
  nb::class_<explanation> type(m, "Explanation",
                               "The memory requests of a rung for one matrix. Pitches count elements, alignments bytes.");
  type.def_ro("rung", &explanation::rung)
      .def_ro("unavailable", &explanation::unavailable)
      .def_ro("idea", &explanation::idea)
      .def_ro("rows", &explanation::rows)
      .def_ro("cols", &explanation::cols)
      .def_ro("type", &explanation::type)
      .def_ro("element_size", &explanation::element_size)
      .def_ro("source_pitch", &explanation::source_pitch)
      .def_ro("destination_pitch", &explanation::destination_pitch)
      .def_ro("source_align", &explanation::source_align)
      .def_ro("destination_align", &explanation::destination_align)
      .def_ro("tile", &explanation::tile)
      .def_ro("threads", &explanation::threads)
      .def_ro("blocks", &explanation::blocks)
      .def_ro("classes", &explanation::classes)
      .def_ro("instructions", &explanation::instructions)
      .def_ro("findings", &explanation::findings)
      .def_ro("tiles", &explanation::tiles)
      .def_ro("predicted", &explanation::predicted)
      .def_ro("limit", &explanation::limit)
      .def("__repr__", [](nb::handle self) {
        return repr_with(self, {"rung", "rows", "cols", "type", "tile", "threads", "predicted", "limit", "findings"});
      });
  builtin<draw>::add_method(type, "picture", "picture()", "Draws the tile and its requests as SVG.");
  builtin<explain_rung>::add(
      m,
      "explain(rung, *, rows=4096, cols=4096, type='f32', source_pitch=0, destination_pitch=0, source_align=256, "
      "destination_align=256)",
      R"(Counts the memory requests of a rung of the GPU's ladder that transposes a matrix. It runs on the host and needs no GPU.

Parameters
----------
rung : str
    One of `rung_names()`.
rows, cols : int
    The shape of the source matrix.
type : str
    The element type: 'u8', 'f32', 'c128', ...
source_pitch, destination_pitch : int
    Elements from one row to the next; 0: dense rows.
source_align, destination_align : int
    Alignment of the buffers in bytes, a power of two up to 256.

Returns
-------
Explanation

Raises
------
ValueError
    The rung or type is unknown, or a number is out of range.

Examples
--------
>>> import cornerturn
>>> padded = cornerturn.explain("smem-padded", rows=1024, cols=1024)
>>> [(i.space, i.store, i.ways) for i in padded.instructions if i.space == "shared"]
[('shared', True, 1.0), ('shared', False, 1.0)]
)");
  builtin<rungs>::add(m, "rung_names()", "The names of the rungs of the GPU's ladder, in order.");
}

}  // namespace cornerturn::python
