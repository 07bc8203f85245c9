#include "plan/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "problem/canonical.hpp"
#include "problem/validate.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/run_on_cpu.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// Returns `count` pieces of one element each.
piece_list half_of(std::int64_t count) { return pieces_of({.modes = {{count, 1, 2}}, .element_size = 4}, 4); }

/// A slot that only knows its number.
struct numbered_slot {
  explicit numbered_slot(piece const& largest) : number(made++) { EXPECT_EQ(largest.index, 0); }
  int number;
  static inline int made = 0;
};

/// Returns the calls of the stages in their order, such as "p0.0 m0.0 u0.0": each has the stage, the piece and the slot.
std::string calls_of(std::int64_t pieces, std::int64_t depth) {
  numbered_slot::made = 0;
  std::string calls;
  auto const note = [&](char stage) {
    return [&calls, stage](piece const& each, numbered_slot const& slot) {
      calls += (calls.empty() ? "" : " ") + (stage + std::to_string(each.index)) + "." + std::to_string(slot.number);
    };
  };
  run_pipeline<numbered_slot>(half_of(pieces), depth, note('p'), note('m'), note('u'));
  EXPECT_EQ(numbered_slot::made, std::min(pieces, depth));
  return calls;
}

TEST(pipeline, unpacks_a_piece_when_its_slot_is_needed) {
  EXPECT_EQ(calls_of(3, 1), "p0.0 m0.0 u0.0 p1.0 m1.0 u1.0 p2.0 m2.0 u2.0");
  EXPECT_EQ(calls_of(4, 3), "p0.0 m0.0 p1.1 m1.1 p2.2 m2.2 u0.0 p3.0 m3.0 u1.1 u2.2 u3.0");
  EXPECT_EQ(calls_of(5, 2), "p0.0 m0.0 p1.1 m1.1 u0.0 p2.0 m2.0 u1.1 p3.1 m3.1 u2.0 p4.0 m4.0 u3.1 u4.0");
}

TEST(pipeline, has_no_more_slots_than_pieces) {
  EXPECT_EQ(calls_of(0, 3), "");
  EXPECT_EQ(calls_of(1, 3), "p0.0 m0.0 u0.0");
  EXPECT_EQ(calls_of(2, 3), "p0.0 m0.0 p1.1 m1.1 u0.0 u1.1");
}

/// A slot whose work runs on a thread of its own, as work on a GPU runs beside the host's.
struct slot_with_thread {
  explicit slot_with_thread(piece const& largest)
      : packed(std::size_t(largest.packed_bytes)), moved(std::size_t(largest.moved_bytes)) {}
  std::vector<std::byte> packed, moved;
  std::future<void> work;  // its destructor waits
  template <class Work>
  void begin(Work const& each) {
    work = std::async(std::launch::async, each);
  }
};

TEST(pipeline, packs_pieces_while_others_are_moved) {
  std::promise<void> third_piece;
  auto const packed = third_piece.get_future().share();
  std::vector<std::int64_t> unpacked;
  run_pipeline<slot_with_thread>(
      half_of(7), 3,  //
      [&](piece const& each, slot_with_thread&) {
        if (each.index == 2) third_piece.set_value();
      },
      [&](piece const&, slot_with_thread& slot) {
        slot.begin([&] { EXPECT_EQ(packed.wait_for(std::chrono::seconds(600)), std::future_status::ready); });
      },
      [&](piece const& each, slot_with_thread& slot) {
        slot.work.get();
        unpacked.push_back(each.index);
      });
  EXPECT_EQ(unpacked, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(pipeline, does_what_the_whole_does) {
  test::for_each_seed(100, [](unsigned seed) {
    auto const p = test::random_problem(seed, {.rank = 4, .extent = 6});
    if (source_range(p).high > 100'000 || destination_range(p).high > 100'000) return;
    std::vector<std::byte> source(std::size_t(source_range(p).high) + 1);
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = std::byte(i * 7 / 3);
    std::vector<std::byte> expected(std::size_t(destination_range(p).high) + 1), result = expected;
    test::permute_plainly(p, source.data(), expected.data());
    run_pipeline<slot_with_thread>(
        pieces_of(canonical(p), destination_range(p).high / 10 + 1), 1 + seed % 4,
        [&](piece const& each, slot_with_thread& slot) { test::run_on_cpu(each.pack, source.data(), slot.packed.data()); },
        [&](piece const& each, slot_with_thread& slot) {
          slot.begin([&] { test::run_on_cpu(each.move, slot.packed.data(), slot.moved.data()); });
        },
        [&](piece const& each, slot_with_thread& slot) {
          slot.work.get();
          test::run_on_cpu(each.unpack, slot.moved.data(), result.data());
        });
    ASSERT_TRUE(result == expected) << seed;
  });
}

TEST(pipeline, ends_with_what_a_stage_throws_once_all_slots_are_done) {
  struct thrown {
    char stage;
    std::int64_t index;
  };
  for (char const stage : {'p', 'm', 'u'})
    for (std::int64_t const index : {0, 2, 6}) {
      std::atomic<int> running = 0;
      int begun = 0, calls_after = 0;
      bool over = false;
      auto const call = [&](char name, piece const& each) {
        calls_after += over;
        if (name != stage || each.index != index) return;
        over = true;
        throw thrown{name, each.index};
      };
      try {
        run_pipeline<slot_with_thread>(
            half_of(7), 3,  //
            [&](piece const& each, slot_with_thread&) { call('p', each); },
            [&](piece const& each, slot_with_thread& slot) {
              ++running, ++begun;
              slot.begin([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                --running;
              });
              call('m', each);
            },
            [&](piece const& each, slot_with_thread& slot) {
              slot.work.get();
              call('u', each);
            });
        ADD_FAILURE() << stage << index;
      } catch (thrown const& e) {
        EXPECT_EQ(e.stage, stage);
        EXPECT_EQ(e.index, index);
        EXPECT_EQ(running, 0) << stage << index;
        EXPECT_EQ(calls_after, 0) << stage << index;
        auto const before_unpack = std::min<std::int64_t>(index + 3, 7);
        EXPECT_EQ(begun, stage == 'p' ? index : stage == 'm' ? index + 1 : before_unpack) << stage << index;
      }
    }
}

TEST(pipeline, hands_over_what_went_wrong_in_the_background) {
  std::vector<std::int64_t> unpacked;
  EXPECT_THROW(run_pipeline<slot_with_thread>(
                   half_of(7), 3, [](piece const&, slot_with_thread&) {},
                   [](piece const& each, slot_with_thread& slot) {
                     slot.begin([fails = each.index >= 2] {
                       if (fails) throw std::runtime_error("moved wrongly");
                     });
                   },
                   [&](piece const& each, slot_with_thread& slot) {
                     slot.work.get();
                     unpacked.push_back(each.index);
                   }),
               std::runtime_error);
  EXPECT_EQ(unpacked, (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace cornerturn
