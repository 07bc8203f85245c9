#include "module.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cornerturn/explain.hpp>
#include <cornerturn/ladder.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "functions.hpp"
#include "gil.hpp"

namespace cornerturn::python {
namespace {

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
  gil_release const released;
  return explain(name, options);
}

std::vector<std::string> rungs() { return rung_names(); }

/// The repr of an object: its class and the values of some attributes.
auto repr_with(std::vector<char const*> names) {
  return [names = std::move(names)](nb::handle self) {
    std::string fields;
    for (auto const name : names)
      fields += fmt::format("{}{}={}", fields.empty() ? "" : ", ", name, text_of(nb::repr(nb::object(self.attr(name)))));
    return fmt::format("{}({})", text_of(nb::object(self.type().attr("__name__"))), fields);
  };
}

std::string draw(nb::handle self) {
  if (!nb::inst_ready(self)) refuse(PyExc_TypeError, "self", kind_of(self), "a cornerturn.Explanation made by explain");
  return picture_of(*nb::inst_ptr<explanation>(self));
}

template <class Each>
std::string space_name(Each const& each) {
  return each.space == memory_space::global ? "global" : "shared";
}

}  // namespace

void add_explanations(nb::module_& m) {
  nb::class_<lane_access>(m, "LaneAccess", "The access of one lane in a request.")
      .def_ro("lane", &lane_access::lane, "The lane of the warp, 0 to 31; for a box of TMA, its row.")
      .def_ro("active", &lane_access::active, "False: predicated off, so that no byte is moved.")
      .def_ro("address", &lane_access::address,
              "Bytes from a 256-byte boundary at or before the buffer, or from the start of shared memory.")
      .def_ro("wavefront", &lane_access::wavefront,
              "In shared memory: the wavefront of the request that serves this lane, from 0.")
      .def_ro("group", &lane_access::group, "In shared memory: lanes of different groups never share a wavefront.")
      .def("__repr__", repr_with({"lane", "active", "address", "wavefront", "group"}));
  nb::class_<memory_request>(m, "MemoryRequest", "The accesses of a warp's lanes by one executed memory instruction.")
      .def_ro("warp", &memory_request::warp, "The index of the warp in its block.")
      .def_ro("occurrence", &memory_request::occurrence, "The number of earlier executions of the instruction by this warp.")
      .def_ro("lanes", &memory_request::lanes, "A list of LaneAccess.")
      .def_ro("sectors", &memory_request::sectors, "In global memory: the 32-byte sectors touched.")
      .def_ro("ideal_sectors", &memory_request::ideal_sectors, "In global memory: the sectors that the bytes would fill.")
      .def_ro("wavefronts", &memory_request::wavefronts, "In shared memory: passes through its 32 banks of 4 bytes.")
      .def_ro("ideal_wavefronts", &memory_request::ideal_wavefronts, "In shared memory: passes without bank conflicts.")
      .def("__repr__", repr_with({"warp", "occurrence", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"}));
  nb::class_<memory_instruction>(m, "MemoryInstruction",
                                 "One memory instruction of a kernel, with its counts over a whole launch.")
      .def_ro("file", &memory_instruction::file, "The source file of the instruction, without folders.")
      .def_ro("line", &memory_instruction::line, "The number of its line.")
      .def_ro("source", &memory_instruction::source, "The text of the line, without its indentation; empty for a layout.")
      .def_prop_ro("space", &space_name<memory_instruction>, "'global' or 'shared'.")
      .def_ro("store", &memory_instruction::store, "True for a store.")
      .def_ro("box", &memory_instruction::box, "True for the global side of a transfer by TMA, of boxes or of single rows.")
      .def_ro("bytes", &memory_instruction::bytes, "Bytes per lane; for a box, bytes per row.")
      .def_ro("swizzled", &memory_instruction::swizzled,
              "True if the distances between lanes differ between requests, as a swizzle causes.")
      .def_ro("requests", &memory_instruction::requests, "The number of requests.")
      .def_ro("active_lanes", &memory_instruction::active_lanes, "Active lanes, or rows of boxes, of all requests.")
      .def_ro("sectors", &memory_instruction::sectors, "In global memory: 32-byte sectors of all requests.")
      .def_ro("ideal_sectors", &memory_instruction::ideal_sectors, "In global memory: the sectors that the bytes would fill.")
      .def_ro("warp_sectors", &memory_instruction::warp_sectors,
              "In global memory: as sectors, but each sector counts once per warp.")
      .def_ro("partial_sectors", &memory_instruction::partial_sectors, "Sectors that a request touches in part.")
      .def_ro("half_lines", &memory_instruction::half_lines, "In global memory: aligned pieces of 64 bytes, over all requests.")
      .def_ro("lines", &memory_instruction::lines, "In global memory: aligned lines of 128 bytes, over all requests.")
      .def_ro("wavefronts", &memory_instruction::wavefronts, "In shared memory: wavefronts of all requests.")
      .def_ro("ideal_wavefronts", &memory_instruction::ideal_wavefronts, "In shared memory: wavefronts without bank conflicts.")
      .def_ro("split_sectors", &memory_instruction::split_sectors,
              "Sectors read again because their halves go to different shared addresses.")
      .def_ro("bytes_needed", &memory_instruction::bytes_needed, "Bytes of active lanes; each byte counts once per request.")
      .def_ro("bytes_moved", &memory_instruction::bytes_moved, "Bytes of the sectors (32 each) or of the wavefronts (128 each).")
      .def_ro("samples", &memory_instruction::samples,
              "A list of MemoryRequest: those of one warp, then the costliest one if it is not among them.")
      .def_prop_ro("ways", &memory_instruction::ways, "The degree of the bank conflict, averaged over all requests; 1: none.")
      .def("__repr__", repr_with({"file", "line", "space", "store", "bytes", "requests", "sectors", "ideal_sectors", "wavefronts",
                                  "ideal_wavefronts"}));
  nb::class_<finding>(m, "Finding", "A performance problem of a kernel.")
      .def_ro("kind", &finding::kind, "A name such as 'bank-conflict', 'stride-32' or 'misaligned-vector'.")
      .def_ro("instruction", &finding::instruction, "The index of the instruction; -1: the whole kernel.")
      .def_ro("text", &finding::text, "One sentence, which also says what to do.")
      .def("__repr__", repr_with({"kind", "instruction", "text"}));
  nb::class_<tile_map>(m, "TileMap", "The layout of a block's tile (offsets in elements), and the threads that access it.")
      .def_prop_ro("space", &space_name<tile_map>, "'global' or 'shared'.")
      .def_ro("rows", &tile_map::rows, "Rows of the source in the tile.")
      .def_ro("cols", &tile_map::cols, "Columns of the source in the tile.")
      .def_ro("offsets", &tile_map::offsets, "The offset of element r * cols + c, in elements.")
      .def_ro("unswizzled", &tile_map::unswizzled, "The offsets without the swizzle, in elements; empty if there is none.")
      .def_ro("threads", &tile_map::threads, "For each element the thread that stores it, or else loads it; -1: none.")
      .def("__repr__", repr_with({"space", "rows", "cols"}));
  nb::class_<explanation> type(m, "Explanation", "The memory requests of a rung for one matrix; made by `explain`.");
  type.def_ro("rung", &explanation::rung, "The name of the rung.")
      .def_ro("unavailable", &explanation::unavailable,
              "Why the rung does not support the matrix; if it is not empty, there are no counts.")
      .def_ro("idea", &explanation::idea, "The idea of the kernel in one line.")
      .def_ro("rows", &explanation::rows, "Rows of the source.")
      .def_ro("cols", &explanation::cols, "Columns of the source.")
      .def_ro("type", &explanation::type, "The type of elements, such as 'f32'.")
      .def_ro("element_size", &explanation::element_size, "Bytes of an element.")
      .def_ro("source_pitch", &explanation::source_pitch, "Elements from one row of the source to the next.")
      .def_ro("destination_pitch", &explanation::destination_pitch, "Elements from one row of the destination to the next.")
      .def_ro("source_align", &explanation::source_align, "The alignment of the source in bytes.")
      .def_ro("destination_align", &explanation::destination_align, "The alignment of the destination in bytes.")
      .def_ro("tile", &explanation::tile, "Rows x columns of the source that a block moves, such as '64x64'.")
      .def_ro("threads", &explanation::threads, "Threads of a block.")
      .def_ro("blocks", &explanation::blocks, "Blocks of the launch.")
      .def_ro("classes", &explanation::classes, "Classes of blocks with equal requests, of each of which one block was recorded.")
      .def_ro("instructions", &explanation::instructions,
              "A list of MemoryInstruction, in the order in which a thread executes them.")
      .def_ro("findings", &explanation::findings, "A list of Finding.")
      .def_ro("tiles", &explanation::tiles,
              "A list of TileMap: the tiles in shared memory; if there are none, the tile of the source.")
      .def_ro("predicted", &explanation::predicted, "The speed expected on an H200 as a ratio to a copy of the same bytes.")
      .def_ro("limit", &explanation::limit, "What limits the speed, such as 'DRAM' or 'L1 wavefronts'.")
      .def("__repr__", repr_with({"rung", "rows", "cols", "type", "tile", "threads", "predicted", "limit", "findings"}));
  builtin<draw>::add_method(type, "picture", "picture() -> str", kPicture);
  builtin<explain_rung>::add(
      m,
      "explain(rung: str, *, rows: int = 4096, cols: int = 4096, type: str = 'f32', source_pitch: int = 0, "
      "destination_pitch: int = 0, source_align: int = 256, destination_align: int = 256) -> Explanation",
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
  builtin<rungs>::add(m, "rung_names() -> list[str]", R"(The names of the rungs of the GPU's ladder, in order.

Returns
-------
list of str
)");
}

}  // namespace cornerturn::python
