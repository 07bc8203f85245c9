#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <source_location>
#include <stdexcept>
#include <utility>
#include <vector>

#include "block/fibers.hpp"
#include "block/grid.hpp"
#include "block/host_tma.hpp"
#include "block/recording.hpp"
#include "block/sizes.hpp"

namespace cornerturn {

/// A block on the host. Its threads are fibers, and sync() yields. If it has a recording, every access is appended to it.
///
/// The object can also be all blocks of a cluster, which run at the same time. Then sync() is a barrier of all blocks, so every
/// block must reach it equally often.
class host_block {
 private:
  using location = std::source_location;

  /// The number of earlier executions of a source line by a thread in one iteration of a loop.
  struct visit_count {
    source_place place;
    std::int64_t iteration;
    int earlier;
  };

 public:
  host_block(int threads, std::size_t shared_bytes, recording* record = nullptr, int cluster = 1)
      : threads_(threads * cluster),
        threads_per_block_(threads),
        shared_bytes_(shared_bytes),
        shared_stride_((shared_bytes + std::size_t(kAlignment) - 1) / std::size_t(kAlignment) * std::size_t(kAlignment)),
        shared_(new (kAlignment) std::byte[shared_stride_ * std::size_t(cluster)]),
        exchanged_(std::size_t(threads * cluster)),
        unfenced_(std::size_t(threads * cluster)),
        in_flight_(std::size_t(threads * cluster)),
        record_(record),
        has_global_memory_(!record || !record->addresses_only),
        iterations_(std::size_t(threads * cluster)),
        visits_(std::size_t(threads * cluster)) {}

  /// Runs body once per thread, as block `index` of the grid or as the cluster whose first block has this index. In every second
  /// block or cluster the threads run in reverse order, so that a missing barrier gives a wrong result in one of two. With a
  /// recording, they always run in order.
  void run(std::int64_t index, std::function<void()> const& body) {
    index_ = index;
    for (auto& each : visits_) each.clear();
    threads_.run(body, !record_ && index * threads_per_block_ / threads_.count() % 2 != 0);
    if (!tma_.idle()) throw std::logic_error("a block ends while copies by TMA are in flight");
  }

  /// Marks one iteration of a loop in which some lanes of a warp skip accesses, for the lifetime of this object. The accesses of
  /// a warp in iterations of the same number are one request, even if lanes have executed the line a different number of times.
  /// Loops may be nested.
  class iteration_mark {
   public:
    iteration_mark(host_block& block, int number, int line)
        : iteration_(block.iterations_[block.fiber()]),
          visits_(block.visits_[block.fiber()]),
          outer_(iteration_),
          outer_visits_(visits_.size()) {
      if (number >= kMostIterations) throw std::logic_error("a loop of too many iterations to be recorded");
      iteration_ = (outer_ * kMostLines + line) * kMostIterations + number;
    }
    ~iteration_mark() {
      iteration_ = outer_;
      visits_.resize(outer_visits_);
    }
    iteration_mark(iteration_mark const&) = delete;

   private:
    static constexpr std::int64_t kMostLines = 1 << 12, kMostIterations = 1 << 16;
    std::int64_t& iteration_;
    std::vector<visit_count>& visits_;
    std::int64_t outer_;
    std::size_t outer_visits_;
  };
  iteration_mark iteration(int number, int line = __builtin_LINE()) { return {*this, number, line}; }

  int thread() const { return threads_.current() % threads_per_block_; }
  std::int64_t index() const { return index_ + rank(); }
  grid_index index_in(grid_shape const& grid) const { return grid.at(index()); }
  void sync() { threads_.yield(); }
  void cluster_sync(int) { sync(); }
  /// Flags are accessed only if there is global memory.
  void set_flag(int* flag) const {
    if (has_global_memory_) *flag = 1;
  }
  void wait_flag(int const* flag) const {
    if (has_global_memory_ && *flag == 0) throw std::logic_error("a block waits for a flag that no earlier block has set");
  }
  void set_flag_release(int* flag) const { set_flag(flag); }
  void wait_flag_acquire(int const* flag) const { wait_flag(flag); }
  void atomic_max(int* most, int value) const {
    if (has_global_memory_) *most = std::max(*most, value);
  }
  template <class T, int Count>
  T* shared(int offset = 0) const {
    if (std::size_t(offset) + Count * sizeof(T) > shared_bytes_)
      throw std::logic_error("an array outside the block's shared memory");
    return reinterpret_cast<T*>(first_shared() + offset);
  }

  template <class T>
  T* opaque_address(T* pointer) const {
    return pointer;
  }

  template <int V, class T>
  void global_load(T const* from, T* to, bool active, location const& at = location::current()) {
    note(at, memory_space::global, false, active, from, V * sizeof(T));
    copy_or_clear<V>(from, to, active && has_global_memory_);
  }
  template <int V, class T>
  void global_store(T* to, T const* from, bool active, location const& at = location::current()) {
    note(at, memory_space::global, true, active, to, V * sizeof(T));
    if (active && has_global_memory_) std::memcpy(to, from, V * sizeof(T));
  }
  template <int V, class T>
  void shared_load(T const* from, T* to, bool active = true, location const& at = location::current()) {
    note(at, memory_space::shared, false, active, from, V * sizeof(T));
    copy_or_clear<V>(from, to, active);
  }
  template <int V, class T>
  void shared_store(T* to, T const* from, bool active = true, location const& at = location::current()) {
    note(at, memory_space::shared, true, active, to, V * sizeof(T));
    if (!active) return;
    std::memcpy(to, from, V * sizeof(T));
    unfenced_[fiber()] = true;
  }

  /// The bytes arrive in `cp_async_wait_all`, so a program that reads them before is wrong.
  template <bool ThroughL1 = false>
  void cp_async(char const* from, char* to, location const& at = location::current()) {
    note(at, memory_space::global, false, true, from, kUnitBytes, instruction::cp_async);
    note_target(to, ThroughL1 ? 0 : kSectorBytes);
    note(at, memory_space::shared, true, true, to, kUnitBytes, instruction::cp_async);
    if (record_ && !ThroughL1) record_->accesses.back().source_address = reinterpret_cast<std::uintptr_t>(from);
    if (has_global_memory_) std::memset(to, kInFlight, kUnitBytes);
    in_flight_[fiber()].push_back({from, to});
  }
  void cp_async_wait_all() {
    auto& units = in_flight_[fiber()];
    if (has_global_memory_)
      for (auto const& [from, to] : units) std::memcpy(to, from, kUnitBytes);
    units.clear();
  }

  /// Exchanges values with the thread whose index differs in `mask`. Every thread of the block takes part.
  template <int Count, class Value>
  void shfl_xor(Value (&values)[Count], int mask) {
    exchanged_[fiber()] = values;
    sync();
    Value others[Count];
    std::memcpy(others, exchanged_[(fiber() ^ std::size_t(mask))], sizeof(others));
    sync();
    std::memcpy(values, others, sizeof(others));
  }

  using mbarrier = host_tma::mbarrier;

  void mbarrier_init(mbarrier& arrived) { arrived = {}; }
  void fence_barrier_init() {}
  void mbarrier_arrive_expect_tx(mbarrier& arrived, int bytes) {
    arrived.pending_bytes += bytes;
    arrived.has_arrived = true;
  }
  void mbarrier_arrive(mbarrier& arrived) { arrived.has_arrived = true; }
  /// Every thread of the block waits. The bytes arrive here, so a program that reads them before is wrong.
  void mbarrier_wait(mbarrier& arrived, int phase) {
    sync();
    tma_.complete(arrived);
    if (arrived.phase == phase) throw std::logic_error("a block waits for copies that it has not requested");
  }

  static constexpr bool kHasTma = true;
  /// The target is overwritten at once, because the hardware may write it at any time from here on.
  void bulk_copy(char const* from, char* to, int bytes, mbarrier& arrived, location const& at = location::current()) {
    if (bytes % kUnitBytes) throw std::logic_error("a bulk copy of a size that is no multiple of 16 bytes");
    check(memory_space::global, from, bytes, kUnitBytes);
    check(memory_space::shared, to, bytes, kUnitBytes);
    append(at, memory_space::global, false, true, from, bytes, instruction::tma);
    note_target(to, kLineBytes);
    if (has_global_memory_) std::memset(to, kInFlight, std::size_t(bytes));
    tma_.bulk_copy(arrived, {from, to, has_global_memory_ ? bytes : 0});
  }
  template <class T>
  void tma_load(tensor_map const& map, T* to, std::int64_t col, std::int64_t row, std::int64_t batch, mbarrier& arrived,
                location const& at = location::current()) {
    tma_.load(arrived, {accessible(map), reinterpret_cast<std::byte*>(to), shared_.get(), col, row, batch});
    note_box(at, map, false, col, row, batch);
  }
  template <class T>
  void tma_store(tensor_map const& map, T const* from, std::int64_t col, std::int64_t row, std::int64_t batch,
                 location const& at = location::current()) {
    if (std::ranges::find(unfenced_, true) != unfenced_.end())
      throw std::logic_error("a box is stored before a proxy fence of every thread that wrote shared memory");
    tma_.store({accessible(map), reinterpret_cast<std::byte*>(const_cast<T*>(from)), shared_.get(), col, row, batch});
    note_box(at, map, true, col, row, batch);
  }
  void fence_proxy_async() { unfenced_[fiber()] = false; }
  void tma_commit() { tma_.commit_group(); }
  /// The boxes are read here, so a program that overwrites them before is wrong.
  template <int Pending>
  void tma_wait_read() {
    tma_.wait_group_read(Pending);
  }

 protected:
  /// Marks the last access of the recording as a row of ldmatrix.
  void note_matrix_row() {
    if (record_) record_->accesses.back().matrix_row = true;
  }

 private:
  static constexpr std::align_val_t kAlignment{1024};
  static constexpr int kInFlight = 0xA5;  ///< fills shared memory that a copy in flight will overwrite
  struct release {
    void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
  };

  /// The instruction of an access: a load or store of a register, cp.async, or a copy by TMA.
  enum class instruction { ld_st, cp_async, tma };

  template <int V, class T>
  static void copy_or_clear(T const* from, T* to, bool copies) {
    if (copies)
      std::memcpy(to, from, V * sizeof(T));
    else
      std::memset(static_cast<void*>(to), 0, V * sizeof(T));
  }

  /// The running thread, counted through the blocks of a cluster.
  std::size_t fiber() const { return std::size_t(threads_.current()); }
  /// The running thread's block within its cluster.
  int rank() const { return threads_.current() / threads_per_block_; }
  std::byte* first_shared() const { return shared_.get() + std::size_t(rank()) * shared_stride_; }
  std::uintptr_t shared_address() const { return reinterpret_cast<std::uintptr_t>(first_shared()); }

  /// The number of earlier executions of a source line by the thread in this iteration.
  int visit(source_place const& place) {
    auto& visits = visits_[fiber()];
    auto const iteration = iterations_[fiber()];
    auto const known =
        std::ranges::find_if(visits, [&](auto const& each) { return each.iteration == iteration && each.place == place; });
    if (known != visits.end()) return ++known->earlier;
    visits.push_back({place, iteration, 0});
    return 0;
  }

  void check(memory_space space, void const* pointer, int bytes, int width) const {
    auto const address = reinterpret_cast<std::uintptr_t>(pointer), begin = shared_address();
    if (space == memory_space::shared && (address < begin || address + std::size_t(bytes) > begin + shared_bytes_))
      throw std::logic_error("an access outside the block's shared memory");
    if (has_global_memory_ && address % std::size_t(width)) throw std::logic_error("an access that is not aligned to its width");
  }

  /// Checks an access and appends it to the recording.
  void note(location const& at, memory_space space, bool store, bool active, void const* pointer, int bytes,
            instruction by = instruction::ld_st) {
    if (active) check(space, pointer, bytes, bytes);
    append(at, space, store, active, pointer, bytes, by);
  }

  void append(location const& at, memory_space space, bool store, bool active, void const* pointer, int bytes, instruction by) {
    if (!record_) return;
    source_place const place{at.file_name(), int(at.line())};
    auto const address = reinterpret_cast<std::uintptr_t>(pointer) - (space == memory_space::shared ? shared_address() : 0);
    record_->accesses.push_back({thread(), place, visit(place), space, store, active, address, bytes, index(),
                                 by == instruction::tma, by == instruction::cp_async, iterations_[fiber()]});
  }

  /// Adds the target in shared memory, and its granule, to the last access of the recording.
  void note_target(char const* to, int granule) {
    if (!record_) return;
    record_->accesses.back().smem_address = reinterpret_cast<std::uintptr_t>(to) - shared_address();
    record_->accesses.back().smem_granule = granule;
  }

  /// Appends the rows of a box. Rows outside the matrix are inactive.
  void note_box(location const& at, tensor_map const& map, bool store, std::int64_t col, std::int64_t row, std::int64_t batch) {
    if (!record_) return;
    source_place const place{at.file_name(), int(at.line())};
    int const occurrence = visit(place);
    for (int r = 0; r < map.box_rows; ++r) {
      int const bytes = bytes_within(map, col, row + r, batch);
      auto const address = reinterpret_cast<std::uintptr_t>(address_in(map, col, row + r, batch));
      record_->accesses.push_back({thread(), place, occurrence, memory_space::global, store, bytes > 0, address,
                                   bytes ? bytes : tensor_map::kRowBytes, index(), true, false, iterations_[fiber()]});
    }
  }

  /// The map itself, or a map without rows if there is no global memory.
  tensor_map accessible(tensor_map map) const {
    if (!has_global_memory_) map.rows = 0;
    return map;
  }

  fiber_group threads_;
  int threads_per_block_;
  std::size_t shared_bytes_;   ///< bytes of shared memory that each block has
  std::size_t shared_stride_;  ///< bytes from one block's shared memory to the next block's in a cluster
  std::unique_ptr<std::byte[], release> shared_;
  host_tma tma_;
  std::vector<void const*> exchanged_;                                 ///< per thread: the values that it gives in `shfl_xor`
  std::vector<bool> unfenced_;                                         ///< per thread: it has stored since its last proxy fence
  std::vector<std::vector<std::pair<char const*, char*>>> in_flight_;  ///< per thread: source and target of its cp.async copies
  recording* record_;
  bool has_global_memory_;                        ///< false if the recording is of addresses only
  std::vector<std::int64_t> iterations_;          ///< per thread: its current iteration
  std::vector<std::vector<visit_count>> visits_;  ///< per thread
  std::int64_t index_ = 0;
};

}  // namespace cornerturn
