#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cornerturn/element_operation.hpp"
#include "cornerturn/export.h"
#include "cornerturn/permute.hpp"

// Permutes an array that is spread over many ranks; the result is spread in another way. Each rank packs a box for each of its
// peers, the ranks exchange the boxes, and each rank unpacks what it receives. The library plans, packs and unpacks. A
// communicator of the caller, such as `mpi_communicator`, carries the messages. Ranks that can address the memory of their peers
// write their boxes there instead.

namespace cornerturn::distributed {

/// A value of `sharding::modes`: all ranks along this mode of the grid have the same block.
inline constexpr std::int64_t kReplicated = -1;

/// How an array is divided into one block per rank. Each block is a dense array in C order.
struct sharding {
  std::vector<std::int64_t> grid;   ///< the shape of the grid of ranks, which are numbered in C order of their coordinates
  std::vector<std::int64_t> modes;  ///< one per mode of the grid: the mode of the array that it divides, or `kReplicated`
  /// The extents of the blocks along each mode of the array, in the order of the ranks' coordinates; extents may be 0. If the
  /// list of a mode is empty, each mode of the grid in turn divides a block into equal ones, as in PyTorch's DTensor. Their
  /// extent is rounded up, so the last blocks may be shorter or empty. No lists at all mean empty lists for all modes.
  std::vector<std::vector<std::int64_t>> blocks = {};
};

/// A permutation of an array that is spread over ranks. It is the same on all ranks.
struct description {
  std::vector<std::int64_t> shape;  ///< the shape of the whole source
  std::vector<std::int64_t> axes;   ///< mode i of the whole destination is mode axes[i] of the whole source, as in `permute`
  sharding source, destination;     ///< the blocks of the source and of the destination; both grids have the same number of ranks
  /// The elements, or how they change; without scale and bias. The sender changes them while it packs. The receiver changes them
  /// while it unpacks, if the source's type is the smaller one or beta is not 0. So each element is rounded once, and messages
  /// have elements of the smaller type; with beta, of the source's type.
  elements element = 1;
};

/// A box of indices of the whole source.
struct box {
  std::vector<std::int64_t> begin, extents;  ///< the first index and the number of indices, one each per mode of the source
};

/// The box that a rank sends to a peer, or receives from it.
struct message {
  int peer;
  box indices;
  std::int64_t bytes;   ///< the size of the message
  bool is_direct;       ///< true if the message is contiguous in the rank's block, so that no copy is needed
  std::int64_t offset;  ///< bytes from the start of the buffer or, if the message is direct, from the start of the rank's block
};

/// Messages that start together, as half-open ranges of indices into `sends()` and `receives()`. A message is in the same batch
/// of its sender and of its receiver. Both have the messages between them in the same order.
struct batch {
  std::size_t first_send, end_send, first_receive, end_receive;
};

/// An object that carries messages between ranks. Functions are called by the thread that plans or runs. If one of them throws,
/// the exception passes through to the caller.
class CORNERTURN_API communicator {
 public:
  virtual ~communicator();
  virtual int rank() const = 0;  ///< the number of this rank, from 0
  virtual int size() const = 0;  ///< the number of ranks

  /// Starts a message and returns a number for `wait`. Several messages from one rank to another may be on their way: they are
  /// received in the order in which they are sent. `bytes` is 1 or more. The memory belongs to the message until `wait` returns.
  virtual std::int64_t isend(void const* data, std::int64_t bytes, int peer) = 0;
  virtual std::int64_t irecv(void* data, std::int64_t bytes, int peer) = 0;

  /// Waits until a message is complete. Called once for each message.
  virtual void wait(std::int64_t request) = 0;

  /// The number of the GPU that has the messages in its memory; -1, the default: messages are in host memory. On a GPU, `start`
  /// starts the messages of a batch together, after the messages of earlier batches. A run packs and unpacks on `stream`, a CUDA
  /// stream of that GPU, and `wait` makes later work on that stream wait.
  virtual int device() const;
  virtual void* stream() const;
  /// Called after the messages of a batch have been passed to `isend` and `irecv`. Does nothing by default.
  virtual void start();

  /// Replaces each value by the smallest one of all ranks. All ranks pass the same number of values.
  virtual void all_min(std::span<std::int64_t> values) = 0;

  /// Ends the job, because this rank failed while messages were on their way. Peers that wait for this rank must not wait for
  /// ever. If it returns, no message touches this rank's memory any more.
  virtual void abort(std::string_view reason) = 0;
};

/// Waits for all work on a CUDA stream of a GPU, for communicators that know no streams. Throws `error` if CUDA fails.
CORNERTURN_API void synchronize(int device, void* stream);

class planned_moves;
class rank_exchange;

/// The part of one rank in a permutation. It is immutable and cheap to copy. The first run plans how boxes are moved. Later runs,
/// also of copies, plan again only for memory of another place or alignment, or for another limit of threads.
class CORNERTURN_API rank_plan {
 public:
  /// Plans without a communicator. Throws `error` for
  /// - axes that are not a permutation of the modes, negative extents, more than 64 modes, and an array beyond 64 bits,
  /// - an element size below 1, and an operation that `permute` refuses or that has scale or bias,
  /// - grids with different numbers of ranks or with more than 2^20 ranks, and a rank outside the grid,
  /// - modes of the array that do not exist, and blocks whose number or sum is wrong.
  rank_plan(description const& given, int rank);

  int rank() const;
  std::int64_t element_size() const;                    ///< bytes of an element of the source
  box source_block() const;                             ///< the rank's block of the source
  std::vector<std::int64_t> destination_shape() const;  ///< the shape of the rank's block of the destination
  std::span<message const> sends() const;     ///< to other ranks; in each batch the first goes to the rank just after
  std::span<message const> receives() const;  ///< from other ranks; in each batch the first comes from the rank just before
  std::span<batch const> batches() const;     ///< all messages in order; the number of batches is equal on all ranks, usually 1
  /// The same part for messages in host memory. If a message is made of contiguous runs of at least 512 KiB in the sender's or
  /// the receiver's block, each run becomes a message of its own. That rank then needs no packing. The buffers are not larger.
  rank_plan in_runs() const;
  /// The same part for messages between GPUs. They start in several batches, and large ones are divided into pieces, so that
  /// packing and unpacking overlap with them. A piece is a message of `sends()` and `receives()`. The buffers have the same
  /// sizes.
  rank_plan in_batches() const;
  std::int64_t bytes_kept() const;       ///< bytes that stay on this rank, in the size that elements have in messages
  std::int64_t send_bytes() const;       ///< the size of the buffer that `pack` fills
  std::int64_t receive_bytes() const;    ///< the size of the buffer that `unpack` reads
  std::int64_t workspace_bytes() const;  ///< the size of a run's workspace: both buffers

  /// Packs message `send` of `sends()` from the rank's block into a buffer of `send_bytes()`. Does nothing if it is direct. If it
  /// is a run, the first run of a box packs all of the box, and the others do nothing.
  void pack(std::size_t send, void const* source, void* buffer, copy_options const& options = {}) const;
  /// Unpacks message `receive` of `receives()` from a buffer of `receive_bytes()` into the rank's block of the destination. Does
  /// nothing if it is direct. If it is a run, the last run of a box unpacks all of the box, and the others do nothing.
  void unpack(std::size_t receive, void const* buffer, void* destination, copy_options const& options = {}) const;
  /// Writes all elements of the rank's block of the source into the blocks of the destination, the peers' and its own. No
  /// messages are sent or unpacked, because the processor that has the source can address all blocks. `peer_destinations` has the
  /// block of the peer of each message of `sends()`. On a GPU, large messages are packed into 192 MiB of buffers that each GPU
  /// keeps for later calls, and its copy engines write them from there; later work on the stream of `options` waits for them.
  /// `options` names the GPU if a peer is on another. Throws `error` if the number of peers is not the number of messages, and
  /// for null pointers and overlapping memory.
  void write(void const* source, void* destination, std::span<void* const> peer_destinations,
             copy_options const& options = {}) const;
  /// Moves the elements that stay on this rank.
  void keep(void const* source, void* destination, copy_options const& options = {}) const;
  /// Moves one part of the elements that stay on this rank, which has a part for each batch. A GPU starts the messages of the
  /// next batch only once all blocks of the kernels before them have started, so one long kernel would delay them.
  void keep_part(std::size_t batch, void const* source, void* destination, copy_options const& options = {}) const;

  /// Moves the array. All ranks call it with plans of the same description. Packing a message overlaps with sending earlier ones.
  /// The blocks are where the messages of `ranks` are: in host memory, where a run sends the messages of `in_runs()`, or in
  /// memory of one GPU, where it sends the messages of `in_batches()` and only enqueues work on `ranks.stream()`. `workspace` has
  /// `workspace_bytes()` bytes of the same memory; if it is null, the run allocates them. `threads` limits the threads of the CPU
  /// that pack and unpack; 0: no limit besides `set_num_threads`.
  ///
  /// Throws the same `error` on all ranks, before any element is accessed, if one of them has
  /// - a null pointer although its block is not empty,
  /// - overlapping address ranges,
  /// - blocks in memory in which `ranks` has no messages,
  /// - too little memory for the workspace,
  /// - a plan of another permutation.
  void run(void const* source, void* destination, communicator& ranks, void* workspace = nullptr, int threads = 0) const;

 private:
  friend class local_plan;
  planned_moves const& part() const;
  std::shared_ptr<rank_exchange const> exchange_;
  enum class form { whole, in_runs, in_batches } form_ = form::whole;
};

/// Plans this rank's part. All ranks call it. Throws the same `error` on all ranks if the description is wrong on one of them, or
/// if they disagree about it.
CORNERTURN_API rank_plan plan(description const& given, communicator& ranks);

/// Plans and runs a permutation once. All ranks call it. Throws as `plan` and `rank_plan::run` do.
CORNERTURN_API void permute(void const* source, void* destination, description const& given, communicator& ranks);

/// The memory of one rank in a `local_plan`. The pointer of an empty block may be null.
struct rank_memory {
  void const* source;
  void* destination;
  void* stream = nullptr;  ///< a CUDA stream of the GPU that has both blocks; ignored for host memory
};

/// A permutation whose ranks are all in this process, such as one for each GPU: each rank writes its boxes into the blocks of its
/// peers, without messages or a workspace of the caller. It is immutable and cheap to copy.
class CORNERTURN_API local_plan {
 public:
  /// Throws `error` as `rank_plan` does.
  explicit local_plan(description const& given);

  std::span<rank_plan const> ranks() const;

  /// Moves the array between the blocks of all ranks. All blocks are in host memory, or each rank has its blocks in memory of one
  /// GPU, which writes into the memory of the others; the call enables the access of peers. Several ranks may share a GPU. On
  /// GPUs the call only enqueues work: nothing is moved before earlier work on all the ranks' streams is complete, and later work
  /// on any of them waits for the whole permutation. `threads` limits the threads of the CPU; 0: no limit besides
  /// `set_num_threads`.
  ///
  /// Throws `error`, before any element is accessed, for
  /// - a number of ranks that is not the plan's,
  /// - a null pointer although a block is not empty,
  /// - a destination whose address range overlaps another block's,
  /// - memory that a call cannot move,
  /// - memory of a GPU that another GPU must write and cannot reach.
  void run(std::span<rank_memory const> ranks, int threads = 0) const;

 private:
  std::shared_ptr<std::vector<rank_plan> const> ranks_;
};

/// Plans and runs a permutation within this process once. Throws as `local_plan` and `local_plan::run` do.
CORNERTURN_API void permute(std::span<rank_memory const> ranks, description const& given);

/// Sums and extremes over all ranks. A message is between two different ranks.
struct totals {
  std::int64_t ranks = 0, messages = 0;
  std::int64_t bytes_on_the_wire = 0, bytes_kept = 0;                    ///< kept: moved within a rank
  std::int64_t most_messages = 0;                                        ///< sent or received by one rank
  std::int64_t most_bytes_sent = 0, most_bytes_received = 0;             ///< by one rank
  std::int64_t smallest_message = 0, largest_message = 0;                ///< bytes; 0 if there is no message
  std::int64_t largest_source_block = 0, largest_destination_block = 0;  ///< bytes
  std::int64_t empty_source_blocks = 0, empty_destination_blocks = 0;
  std::int64_t most_workspace = 0;  ///< bytes of one rank
};

/// Adds up the plans of all ranks, which takes seconds for millions of messages. Throws `error` as `rank_plan` does.
CORNERTURN_API totals total(description const& given);

}  // namespace cornerturn::distributed
