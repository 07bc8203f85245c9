#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/export.h"
#include "cornerturn/index_list.hpp"

namespace cornerturn {

enum class memory_space { global, shared };

/// One lane of a warp in a request.
struct lane_access {
  int lane = 0;              ///< 0 to 31
  bool active = true;        ///< false: predicated off, so nothing moved
  std::int64_t address = 0;  ///< bytes; from a 256-byte boundary at or before the buffer, or from the block's shared memory
  int wavefront = 0;         ///< shared memory: which of the request's wavefronts serves the lane, from 0
  int group = 0;             ///< shared memory: lanes of different groups are served one after another in any case
};

/// What the lanes of a warp ask of memory with one instruction. The rows of a box, which one thread asks for, stand as its lanes.
struct memory_request {
  int warp = 0;        ///< of the block
  int occurrence = 0;  ///< how often the warp had been at this instruction before
  std::vector<lane_access> lanes;
  int sectors = 0, ideal_sectors = 0;        ///< global memory: pieces of 32 bytes touched; as few as the bytes need
  int wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory: passes through its 32 banks of 4 bytes; without conflicts
};

/// One memory instruction of a kernel, by its place in the source, and what it costs in a whole launch.
struct memory_instruction {
  std::string file;  ///< of the kernel, without folders
  int line = 0;
  memory_space space = memory_space::global;
  bool store = false;
  bool box = false;    ///< moved by TMA, box by box or row by row
  bool async = false;  ///< by cp.async, which is a load of global memory and a store to shared memory: each is counted by itself
  int bytes = 0;       ///< of one lane's access; of a box, those of one row
  /// Lanes lie at other distances from each other in other requests, as a swizzle lays them and strides alone never do.
  bool swizzled = false;
  std::int64_t requests = 0;
  std::int64_t active_lanes = 0;                      ///< of all requests together; those of a box are its rows
  std::int64_t sectors = 0, ideal_sectors = 0;        ///< global memory, of all requests
  std::int64_t partial_sectors = 0;                   ///< of the sectors, those that a request touches in part
  std::int64_t split_sectors = 0;                     ///< read again, as their halves go to different places in shared memory
  std::int64_t half_lines = 0, lines = 0;             ///< global memory: pieces of 64 and of 128 bytes, of all requests
  std::int64_t wavefronts = 0, ideal_wavefronts = 0;  ///< shared memory, of all requests
  std::int64_t bytes_needed = 0;                      ///< what the active lanes ask for; of a request, each byte once
  std::int64_t bytes_moved = 0;                       ///< sectors of 32 bytes, or wavefronts of 128
  std::vector<memory_request> samples;                ///< of the first block's first warp that comes here, and the costliest one

  /// Lanes that wait for one bank: 1 where no conflict.
  double ways() const { return ideal_wavefronts ? double(wavefronts) / double(ideal_wavefronts) : 1; }
};

/// One problem of a kernel or layout.
struct finding {
  std::string kind;      ///< "bank-conflict", "unused-swizzle", "stride-32", "misaligned-vector", "scattered", "straddling", …
  int instruction = -1;  ///< its index; -1: the whole kernel
  std::string text;      ///< a sentence, with what to do about it
};

/// Where the elements of a block's tile lie, and which threads move them.
struct tile_map {
  memory_space space = memory_space::shared;
  int rows = 0, cols = 0;                ///< source rows and columns
  std::vector<std::int64_t> offsets;     ///< of element (r, c), at r * cols + c: elements from where the space begins
  std::vector<std::int64_t> unswizzled;  ///< the same without the swizzle; empty where there is none
  std::vector<int> threads;              ///< that stores the element there or, where none does, loads it; -1 where neither
};

struct explain_options {
  std::int64_t rows = 4096, cols = 4096;
  std::string type = "f32";
  /// Of source and destination rows, in elements; 0: densely packed.
  std::int64_t source_pitch = 0, destination_pitch = 0;
  /// Bytes, a power of two up to 256: both buffers begin at an odd multiple of it, or (256) at a multiple.
  int source_align = 256, destination_align = 256;
};

/// What a rung asks of memory for one matrix, or a GPU's plan for its problem.
struct explanation {
  std::string rung;         ///< of a plan: its kernel, which is a rung or "gather", "interleave", "unaligned" or "small"
  std::string unavailable;  ///< why the rung cannot serve the matrix; what it would do there is empty then
  std::string idea;
  /// The plan in one line, its canonical problem, and what else is to be known of it; empty where a rung is explained. A plan has
  /// no rows, columns, pitches, type, tile or tiles here.
  std::string plan, problem, note;
  std::int64_t rows = 0, cols = 0;
  std::string type;
  int element_size = 0;
  std::int64_t source_pitch = 0, destination_pitch = 0;  ///< elements, of dense rows, too
  int source_align = 0, destination_align = 0;           ///< bytes
  std::string tile;                                      ///< rows x columns of the source that a block moves, e.g. "64x64"
  int threads = 0;                                       ///< a block
  std::int64_t blocks = 0;
  int classes = 0;                               ///< kinds of blocks, told apart by edge and alignment; one of each was recorded
  std::vector<memory_instruction> instructions;  ///< in the order in which a thread meets them
  std::vector<finding> findings;
  /// In shared memory (where that has two, the one that the source fills before the one that the destination is stored from), or,
  /// where the rung uses none, in the source matrix.
  std::vector<tile_map> tiles;
  double predicted = 0;  ///< speed divided by that of a copy of the same bytes, on `gpu`
  std::string limit;     ///< what sets that speed: "DRAM", "L1 wavefronts", …; empty for a plan
  double seconds = 0;    ///< that a plan is expected to take on `gpu`; 0 for a rung
  std::string gpu;       ///< whose model `predicted` and `seconds` come from: "an H200", or a name and what was scaled
};

/// Explains one rung: runs its program on the host, one block of each kind, and counts what its warps ask of memory. No GPU and
/// none of the matrix's memory is needed.
///
/// Throws `error` for an unknown rung or type, extents below 1 or past 64 bits, pitches shorter than a row, alignments that are
/// no power of two, above 256 or below the element size.
CORNERTURN_API explanation explain(std::string_view rung, explain_options const& options = {});

/// Explains every rung, in the ladder's order.
CORNERTURN_API std::vector<explanation> explain_all(explain_options const& options = {});

/// Explains the plan that a GPU runs for what `plan_permute` plans, between buffers aligned to these bytes and no more (or, at
/// 256, to as many): by what is known of the current GPU or, where there is none, of an H200.
///
/// Throws `error` for what `plan_permute` refuses, for alignments that `explain` refuses, and for plans of more than 2^26 blocks
/// that no rung serves.
CORNERTURN_API explanation explain_plan(index_list shape, index_list axes, std::int64_t element_size, int source_align = 256,
                                        int destination_align = 256);

/// What one explanation says, as text in lines of at most 80 columns: a line for each instruction, and the problems.
CORNERTURN_API std::string report_of(explanation const& explained);

/// An SVG picture of a rung: the corner of the tile with its cells coloured by bank and numbered by thread, the banks of a
/// request of each shared instruction before and after the swizzle, the sectors of a request of each global one.
CORNERTURN_API std::string picture_of(explanation const& explained);

}  // namespace cornerturn
