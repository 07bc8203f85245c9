#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "block/boxes_in_flight.hpp"
#include "block/fibers.hpp"
#include "block/recording.hpp"

namespace cornerturn {

/// A block on the host: its threads are fibers, sync() yields. Given a recording, it writes down every access.
class host_block {
 private:
  /// How often a thread has been at a place in one turn, less one.
  struct visit_count {
    source_place place;
    std::int64_t turn;
    int before;
  };

 public:
  host_block(int threads, std::size_t shared_bytes, recording* record = nullptr)
      : threads_(threads),
        shared_bytes_(shared_bytes),
        shared_(new (kAlignment) std::byte[shared_bytes]),
        exchanged_(std::size_t(threads)),
        unpublished_(std::size_t(threads)),
        fetching_(std::size_t(threads)),
        record_(record),
        touches_(!record || !record->addresses_only),
        turns_(std::size_t(threads)),
        visits_(std::size_t(threads)) {}

  /// Runs body once per thread as block number `index` of the grid. Every other block's threads come in reverse order, so that
  /// what lacks a barrier is found wrong in one of the two; a recording has them in order.
  void run(std::int64_t index, std::function<void()> const& body) {
    index_ = index;
    for (auto& each : visits_) each.clear();
    threads_.run(body, !record_ && index % 2 != 0);
    if (!boxes_.none()) throw std::logic_error("a block ends while boxes or rows are on their way");
  }

  static constexpr bool kFetchesRows = true;

  /// Marks one turn of a loop in which some lanes of a warp skip accesses, as long as it lives: what lanes do in turns of equal
  /// number is one request, however often each lane has been there before. Loops may be nested.
  class turn_mark {
   public:
    turn_mark(host_block& block, int number, int line)
        : turn_(block.turns_[std::size_t(block.thread())]),
          visits_(block.visits_[std::size_t(block.thread())]),
          outer_(turn_),
          outer_visits_(visits_.size()) {
      if (number >= kMostTurns) throw std::logic_error("a loop of too many turns to be recorded");
      turn_ = (outer_ * kMostLines + line) * kMostTurns + number;
    }
    ~turn_mark() {
      turn_ = outer_;
      visits_.resize(outer_visits_);
    }
    turn_mark(turn_mark const&) = delete;

   private:
    static constexpr std::int64_t kMostLines = 1 << 12, kMostTurns = 1 << 16;
    std::int64_t& turn_;
    std::vector<visit_count>& visits_;
    std::int64_t outer_;
    std::size_t outer_visits_;
  };
  turn_mark turn(int number, int line = __builtin_LINE()) { return {*this, number, line}; }

  int thread() const { return threads_.current(); }
  std::int64_t index() const { return index_; }
  void sync() { threads_.yield(); }
  template <class T, int Count>
  T* shared(int at = 0) const {
    if (std::size_t(at) + Count * sizeof(T) > shared_bytes_) throw std::logic_error("an array outside the block's shared memory");
    return reinterpret_cast<T*>(shared_.get() + at);
  }

  template <class T>
  T* added_up(T* at) const {
    return at;
  }

  template <int V, class T>
  void global_load(T const* from, T* to, bool active, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::global, false, active, from, V * sizeof(T));
    if (active && touches_)
      std::memcpy(to, from, V * sizeof(T));
    else
      std::memset(static_cast<void*>(to), 0, V * sizeof(T));
  }
  template <int V, class T>
  void global_store(T* to, T const* from, bool active, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::global, true, active, to, V * sizeof(T));
    if (active && touches_) std::memcpy(to, from, V * sizeof(T));
  }
  template <int V, class T>
  void shared_load(T const* from, T* to, bool active = true, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::shared, false, active, from, V * sizeof(T));
    if (active)
      std::memcpy(to, from, V * sizeof(T));
    else
      std::memset(static_cast<void*>(to), 0, V * sizeof(T));
  }
  template <int V, class T>
  void shared_store(T* to, T const* from, bool active = true, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::shared, true, active, to, V * sizeof(T));
    if (!active) return;
    std::memcpy(to, from, V * sizeof(T));
    unpublished_[std::size_t(thread())] = true;
  }

  /// Units arrive no earlier than in `fetched`, so that reading them before fails.
  template <bool ThroughL1 = false>
  void fetch_unit(char const* from, char* to, char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    note({file, line}, memory_space::global, false, true, from, kUnit, how::async);
    goes_to(to, ThroughL1 ? 0 : 32);
    note({file, line}, memory_space::shared, true, true, to, kUnit, how::async);
    if (touches_) std::memset(to, kOnItsWay, kUnit);
    fetching_[std::size_t(thread())].push_back({from, to});
  }
  void fetched() {
    auto& units = fetching_[std::size_t(thread())];
    if (touches_)
      for (auto const& [from, to] : units) std::memcpy(to, from, kUnit);
    units.clear();
  }

  /// Changes pieces with the thread whose number differs in `mask`. Every thread of the block takes part.
  template <int Count, class Piece>
  void shuffle_xor(Piece (&pieces)[Count], int mask) {
    exchanged_[std::size_t(thread())] = pieces;
    sync();
    Piece given[Count];
    std::memcpy(given, exchanged_[std::size_t(thread() ^ mask)], sizeof(given));
    sync();
    std::memcpy(pieces, given, sizeof(given));
  }

  using barrier = boxes_in_flight::barrier;

  void prepare(barrier& each) { each = {}; }
  void prepared() {}
  void expect(barrier& arrived, int bytes) {
    arrived.missing += bytes;
    arrived.complete = true;
  }
  void expect_no_more(barrier& arrived) { arrived.complete = true; }
  /// Every thread of the block waits. Boxes and rows arrive no earlier than here, so that reading them before fails.
  void wait(barrier& arrived, int phase) {
    sync();
    boxes_.arrive(arrived);
    if (arrived.phase == phase) throw std::logic_error("a block waits for what it has not asked for");
  }
  /// What is fetched may arrive as soon as it is asked for: what is still read there is lost at once.
  void fetch_row(char const* from, char* to, int bytes, barrier& arrived, char const* file = __builtin_FILE(),
                 int line = __builtin_LINE()) {
    if (bytes % kUnit) throw std::logic_error("a row that is no whole units");
    check(memory_space::global, from, bytes, kUnit);
    check(memory_space::shared, to, bytes, kUnit);
    write_down({file, line}, memory_space::global, false, true, from, bytes, how::tma);
    goes_to(to, 128);
    if (touches_) std::memset(to, kOnItsWay, std::size_t(bytes));
    boxes_.fetch(arrived, {from, to, touches_ ? bytes : 0});
  }
  template <class T>
  void box_load(box_map const& map, T* to, std::int64_t col, std::int64_t row, std::int64_t batch, barrier& arrived,
                char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    boxes_.load(arrived, {touched(map), reinterpret_cast<std::byte*>(to), shared_.get(), col, row, batch});
    note_box({file, line}, map, false, col, row, batch);
  }
  template <class T>
  void box_store(box_map const& map, T const* from, std::int64_t col, std::int64_t row, std::int64_t batch,
                 char const* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (std::ranges::find(unpublished_, true) != unpublished_.end())
      throw std::logic_error("a box is stored before every thread has published its stores");
    boxes_.store({touched(map), reinterpret_cast<std::byte*>(const_cast<T*>(from)), shared_.get(), col, row, batch});
    note_box({file, line}, map, true, col, row, batch);
  }
  void publish() { unpublished_[std::size_t(thread())] = false; }
  void boxes_sent() { boxes_.close_group(); }
  /// Boxes leave no earlier than here, so that overwriting them before fails.
  template <int Pending>
  void boxes_read() {
    boxes_.leave(Pending);
  }

 private:
  static constexpr std::align_val_t kAlignment{1024};
  static constexpr int kUnit = 16, kOnItsWay = 0xA5;
  struct release {
    void operator()(std::byte* memory) const { ::operator delete[](memory, kAlignment); }
  };

  enum class how { plain, async, tma };

  /// How often the thread had been at a place before, in this turn.
  int visit(source_place const& place) {
    auto& visits = visits_[std::size_t(thread())];
    auto const turn = turns_[std::size_t(thread())];
    auto const known = std::ranges::find_if(visits, [&](auto const& each) { return each.turn == turn && each.place == place; });
    if (known != visits.end()) return ++known->before;
    visits.push_back({place, turn, 0});
    return 0;
  }

  void check(memory_space space, void const* at, int bytes, int width) const {
    auto const address = reinterpret_cast<std::uintptr_t>(at), origin = reinterpret_cast<std::uintptr_t>(shared_.get());
    if (space == memory_space::shared && (address < origin || address + std::size_t(bytes) > origin + shared_bytes_))
      throw std::logic_error("an access outside the block's shared memory");
    if (touches_ && address % std::size_t(width)) throw std::logic_error("an access that is not aligned to its width");
  }

  void note(source_place const& place, memory_space space, bool store, bool active, void const* at, int bytes,
            how way = how::plain) {
    if (active) check(space, at, bytes, bytes);
    write_down(place, space, store, active, at, bytes, way);
  }

  void write_down(source_place const& place, memory_space space, bool store, bool active, void const* at, int bytes, how way) {
    if (!record_) return;
    auto const origin = space == memory_space::shared ? reinterpret_cast<std::uintptr_t>(shared_.get()) : 0;
    auto const address = reinterpret_cast<std::uintptr_t>(at) - origin;
    record_->accesses.push_back({thread(), place, visit(place), space, store, active, address, bytes, index_, way == how::tma,
                                 way == how::async, turns_[std::size_t(thread())]});
  }

  /// Adds to the last access where in shared memory it writes, in pieces of `granule` bytes.
  void goes_to(char const* to, int granule) {
    if (!record_) return;
    auto const origin = reinterpret_cast<std::uintptr_t>(shared_.get());
    record_->accesses.back().to = reinterpret_cast<std::uintptr_t>(to) - origin;
    record_->accesses.back().granule = granule;
  }

  /// A box is written down row by row; rows outside the matrix are not active.
  void note_box(source_place const& place, box_map const& map, bool store, std::int64_t col, std::int64_t row,
                std::int64_t batch) {
    if (!record_) return;
    int const occurrence = visit(place);
    for (int r = 0; r < map.box_rows; ++r) {
      int const bytes = bytes_within(map, col, row + r, batch);
      auto const address = reinterpret_cast<std::uintptr_t>(address_in(map, col, row + r, batch));
      record_->accesses.push_back({thread(), place, occurrence, memory_space::global, store, bytes > 0, address,
                                   bytes ? bytes : box_map::kRowBytes, index_, true, false, turns_[std::size_t(thread())]});
    }
  }

  /// The map itself, or an empty matrix instead where global memory is not to be touched.
  box_map touched(box_map map) const {
    if (!touches_) map.rows = 0;
    return map;
  }

  fiber_team threads_;
  std::size_t shared_bytes_;
  std::unique_ptr<std::byte[], release> shared_;
  boxes_in_flight boxes_;
  std::vector<void const*> exchanged_;                                ///< what each thread gives
  std::vector<bool> unpublished_;                                     ///< whether a thread's stores are hidden from TMA as yet
  std::vector<std::vector<std::pair<char const*, char*>>> fetching_;  ///< units on their way, of each thread
  recording* record_;
  bool touches_;
  std::vector<std::int64_t> turns_;               ///< the turn that each thread is in
  std::vector<std::vector<visit_count>> visits_;  ///< of each thread
  std::int64_t index_ = 0;
};

}  // namespace cornerturn
