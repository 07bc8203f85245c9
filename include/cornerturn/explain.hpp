#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/element_operation.hpp"
#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"
#include "cornerturn/quantize.hpp"

namespace cornerturn {

/// CUDA's state spaces, as far as the kernels use them.
enum class memory_space { global, shared };

/// The access of one lane in a request.
struct lane_access {
  int lane = 0;              ///< lane of the warp, 0 to 31; for a TMA box, the row of the box
  bool active = true;        ///< false: predicated off, so no byte is moved
  std::int64_t address = 0;  ///< bytes from a 256-byte boundary at or before the buffer, or from the start of shared memory
  int wavefront = 0;         ///< shared memory: the wavefront of the request that serves this lane, from 0
  int group = 0;             ///< shared memory: lanes of different groups never share a wavefront
};

/// A request: the accesses of a warp's lanes by one executed memory instruction. A TMA box is a request, too: its rows count as
/// lanes.
struct memory_request {
  int warp = 0;        ///< index of the warp in its block
  int occurrence = 0;  ///< number of earlier executions of this instruction by this warp
  std::vector<lane_access> lanes;
  int sectors = 0, ideal_sectors = 0;        ///< global memory: 32-byte sectors touched; sectors that the bytes would fill
  int wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory: passes through its 32 4-byte banks; passes without bank conflicts
};

/// One memory instruction of a kernel, identified by file and line, with its counts over all blocks of a launch.
struct memory_instruction {
  std::string file;  ///< source file of the instruction, without folders
  int line = 0;
  std::string source;  ///< the text of the line, without its indentation; empty for a layout
  memory_space space = memory_space::global;
  bool store = false;
  bool box = false;    ///< the global side of a TMA transfer, of boxes or of single rows (cp.async.bulk)
  bool async = false;  ///< a side of cp.async, which counts as two instructions: a global load and a shared store
  int bytes = 0;       ///< bytes per lane; for a box, bytes per row
  /// True if the distances between lanes differ between requests. A swizzle causes this, strides alone do not.
  bool swizzled = false;
  std::int64_t requests = 0;
  std::int64_t active_lanes = 0;                ///< active lanes (rows of boxes) of all requests
  std::int64_t sectors = 0, ideal_sectors = 0;  ///< global memory: 32-byte sectors of all requests
  std::int64_t warp_sectors = 0;                ///< global memory: the same, but each sector counts once per warp
  std::int64_t partial_sectors = 0;             ///< sectors that a request touches in part
  std::int64_t split_sectors = 0;               ///< sectors read again because their halves go to different shared addresses
  std::int64_t half_lines = 0, lines = 0;       ///< global memory: aligned pieces of 64 and 128 bytes, over all requests
  std::int64_t wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory: wavefronts of all requests
  std::int64_t bytes_needed = 0;                      ///< bytes of active lanes; each byte counts once per request
  std::int64_t bytes_moved = 0;                       ///< bytes of the sectors (32 each) or of the wavefronts (128 each)
  std::vector<memory_request> samples;  ///< requests of one warp, then the costliest request if it is not among them

  /// The degree of the bank conflict, averaged over all requests: 1 means none.
  double ways() const { return ideal_wavefronts ? double(wavefronts) / double(ideal_wavefronts) : 1; }
};

/// A performance problem of a kernel or layout.
struct finding {
  std::string kind;      ///< "bank-conflict", "unused-swizzle", "stride-32", "misaligned-vector", "scattered", "straddling", …
  int instruction = -1;  ///< index into `instructions`; -1: the whole kernel
  std::string text;      ///< one sentence that also says what to do
};

/// The layout of a block's tile, and the threads that access it. The vectors are indexed by r * cols + c.
struct tile_map {
  memory_space space = memory_space::shared;
  int rows = 0, cols = 0;                ///< source rows and columns of the tile
  std::vector<std::int64_t> offsets;     ///< offset of each element in `space`, in elements
  std::vector<std::int64_t> unswizzled;  ///< the offsets without the swizzle, in elements; empty if the tile has no swizzle
  std::vector<int> threads;              ///< thread that stores the element, else thread that loads it; -1: no thread
};

/// The matrix that `explain` assumes.
struct explain_options {
  std::int64_t rows = 4096, cols = 4096;
  std::string type = "f32";  ///< a name from `type_names`
  /// Elements from one row to the next; 0: densely packed.
  std::int64_t source_pitch = 0, destination_pitch = 0;
  /// The exact alignment of the buffers in bytes, a power of two up to 256. At 256, a buffer may be aligned to more.
  int source_align = 256, destination_align = 256;
};

/// The memory requests of a rung for one matrix, or of the kernel that a plan runs.
struct explanation {
  // What is explained.
  std::string rung;                             ///< the rung; for a plan the names of its kernels, separated by "; "
  std::string unavailable;                      ///< why the rung does not support the matrix; if set, all counts are empty
  std::string idea;                             ///< the idea of the kernel in one line
  int element_size = 0;                         ///< bytes; of the larger element if elements change
  int source_align = 0, destination_align = 0;  ///< bytes

  // A plan alone sets these.
  std::string plan;     ///< its description in one line
  std::string problem;  ///< its canonical problem
  std::string note;     ///< a remark; may be empty

  // A rung alone sets these: whether it copies instead of transposing, the matrix and its tile.
  bool is_copy = false;
  std::int64_t rows = 0, cols = 0;
  std::string type;
  std::int64_t source_pitch = 0, destination_pitch = 0;  ///< elements; set for dense rows, too
  std::string tile;                                      ///< source rows x columns that one block moves, e.g. "64x64"
  /// The tiles in shared memory; if the rung uses none, its tile of the source matrix. If there are two, the source fills the
  /// first and the destination is stored from the second.
  std::vector<tile_map> tiles;

  // The launch, and what its blocks access.
  int threads = 0;  ///< threads per block
  std::int64_t blocks = 0;
  int classes = 0;                               ///< classes of blocks with equal requests; one block of each class was recorded
  std::vector<memory_instruction> instructions;  ///< in the order in which a thread executes them
  std::vector<finding> findings;

  // The prediction.
  double predicted = 0;  ///< expected speed on `gpu` as a ratio to a copy of the same bytes
  std::string limit;     ///< the resource that limits the speed: "DRAM", "L1 wavefronts", …; empty for a plan
  double seconds = 0;    ///< expected seconds on `gpu`; 0 for a rung
  /// The GPU whose model gives `predicted` and `seconds`: "an H200", or its name and what was scaled. In the explanation of a
  /// plan it says if no GPU can be used.
  std::string gpu;
};

/// Explains one rung: runs one block of each class on the host and counts the memory requests of its warps. Neither a GPU nor
/// memory for the matrix is needed.
///
/// Throws `error` for an unknown rung or type, extents below 1 or beyond 64 bits, a pitch shorter than a row, and an alignment
/// that is not a power of two, exceeds 256 or is smaller than the element size.
///
/// ```cpp
/// auto const naive = cornerturn::explain("naive-read", {.rows = 1024, .cols = 1024});
/// for (auto const& each : naive.instructions) std::cout << each.source << ": " << each.sectors << " sectors\n";
/// ```
CORNERTURN_API explanation explain(std::string_view rung, explain_options const& options = {});

/// Explains every rung, in the order of the ladder.
CORNERTURN_API std::vector<explanation> explain_all(explain_options const& options = {});

/// Explains the plan that `plan_permute` makes for a GPU: the current one or, if there is none, an H200. `source_align` and
/// `destination_align` are the buffers' exact alignments in bytes (at 256, their minimum).
///
/// Throws `error` for arguments that `plan_permute` rejects, for alignments that `explain` rejects, and for plans of more than
/// 2^26 blocks whose kernel is not a rung.
CORNERTURN_API explanation explain_plan(index_list shape, index_list axes, elements const& element, int source_align = 256,
                                        int destination_align = 256);

/// A case of `quantize`: a dense matrix in a GPU's memory, and the outputs. The largest magnitude of all elements is found, too.
struct quantized_case {
  std::int64_t rows = 0, cols = 0;
  element_type source = element_type::bf16, type = element_type::f8_e4m3fn;
  scale_blocks blocks = scale_blocks::row_blocks;
  bool row_wise = true, column_wise = false;  ///< the outputs; both have dense rows, and scales in row-major order
};

/// Explains what `quantize` runs on a GPU: the current one or, if there is none, an H200. All arrays are aligned to 256 bytes.
/// Two launches are counted together.
///
/// Throws `error` for types that `quantize` rejects, extents below 1, no output, and launches of more than 2^26 blocks.
CORNERTURN_API explanation explain_quantize(quantized_case const& given);

/// Formats an explanation as text of at most 80 columns: one line per instruction, then the findings.
CORNERTURN_API std::string report_of(explanation const& explained);

/// Draws a rung as an SVG picture: the corner of its tile, coloured by bank and numbered by thread; one request of each shared
/// instruction by banks, with and without the swizzle; one request of each global instruction by sectors.
CORNERTURN_API std::string picture_of(explanation const& explained);

}  // namespace cornerturn
