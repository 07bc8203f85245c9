#include "api/choice.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

#include "api/prepare.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/info.hpp"
#include "cornerturn/permute.hpp"
#include "problem/element_types.hpp"
#include "problem/print.hpp"
#include "support/scratch.hpp"
#include "support/warnings.hpp"

namespace cornerturn {
namespace {

class choice_test : public testing::Test {
 protected:
  void SetUp() override {
    setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
    forget_choices();
    for (auto const kernel : {rung::naive_read, rung::vec_both, rung::naive_write})
      candidates.push_back(single_step(plan_rung(kernel, {100, 200, 1, 200, 100}, 4, {}), 1e-3 * double(kernel)));
  }
  void TearDown() override {
    unsetenv("CORNERTURN_CACHE_DIR");
    forget_choices();
  }

  selection among(std::string const& key, std::function<stopwatch()> const& start) {
    return {[this] { return candidates.front(); }, [this] { return candidates; }, key, start};
  }
  candidate made(planning_effort effort, std::string const& of = "problem") {
    auto const start = [this] {
      ++stopwatches;
      return [this](candidate const& each) { return id_of(each) == id_of(candidates[quick]) ? 1e-3 : 2e-3; };
    };
    return choose(among(of, start), effort);
  }
  std::string kernel(candidate const& made) { return describe(made).substr(0, describe(made).find(' ')); }

  test::scratch folder;
  test::warnings warned;
  std::vector<candidate> candidates;
  std::size_t quick = 1;
  int stopwatches = 0;
};

TEST_F(choice_test, estimates) {
  auto const first = made(planning_effort::estimate);
  EXPECT_EQ(kernel(first), "naive-read");
  EXPECT_EQ(first.why, "estimated to be the fastest");
  EXPECT_EQ(stopwatches, 0);
  EXPECT_TRUE(folder.names().empty());
}

TEST_F(choice_test, measures_once_and_remembers) {
  auto const timed = made(planning_effort::measure);
  EXPECT_EQ(kernel(timed), "vec-both");
  EXPECT_EQ(timed.seconds, 1e-3);
  EXPECT_EQ(timed.why, "the fastest of 3 that were timed 15 times");
  for (auto const effort : {planning_effort::measure, planning_effort::estimate}) {
    EXPECT_EQ(kernel(made(effort)), "vec-both");
    EXPECT_EQ(made(effort).why, "measured before");
  }
  EXPECT_EQ(stopwatches, 1);
  forget_choices();  // as a new process
  EXPECT_EQ(kernel(made(planning_effort::estimate)), "vec-both");
  EXPECT_EQ(kernel(made(planning_effort::estimate, "another problem")), "naive-read");
}

TEST_F(choice_test, is_measured_anew_where_that_is_asked_for) {
  made(planning_effort::measure);
  auto const third = [&](candidate const& each) { return id_of(each) == id_of(candidates[2]) ? 1.0 : 2.0; };
  auto const found = measure_choice(among("problem", [&] { return third; })).figures;
  EXPECT_EQ(found.index, 2u);
  EXPECT_EQ(found.seconds, 1);
  EXPECT_EQ(found.first_seconds, 2);
  forget_choices();
  EXPECT_EQ(kernel(made(planning_effort::estimate)), "naive-write");
}

TEST_F(choice_test, ignores_a_choice_that_is_no_candidate) {
  made(planning_effort::measure);
  candidates.erase(candidates.begin() + 1);
  quick = 1;
  EXPECT_EQ(made(planning_effort::estimate).why, "estimated to be the fastest");
  EXPECT_EQ(kernel(made(planning_effort::measure)), "naive-write");
  EXPECT_EQ(stopwatches, 2);
}

TEST_F(choice_test, estimates_where_the_device_has_no_room) {
  auto const start = []() -> stopwatch { throw error(error_kind::device, "cudaMalloc failed"); };
  auto const estimated = choose(among("problem", start), planning_effort::measure);
  EXPECT_EQ(kernel(estimated), "naive-read");
  EXPECT_EQ(warned.all, std::vector<std::string>{"cudaMalloc failed; the plan is estimated, not measured"});
}

TEST_F(choice_test, may_be_asked_for_by_the_hook_that_is_warned) {
  folder.put("choices-3.txt", "nonsense");
  forget_choices();
  std::vector<int> const source{1, 2, 3, 4, 5, 6};
  std::vector<int> result(source.size());
  set_log_hook([&](std::string_view) { permute(source.data(), result.data(), {2, 3}, {1, 0}, sizeof(int)); });
  EXPECT_EQ(kernel(made(planning_effort::estimate)), "naive-read");
  EXPECT_EQ(result, (std::vector<int>{1, 4, 2, 5, 3, 6}));
}

TEST_F(choice_test, keys_tell_what_a_choice_holds_for) {
  problem const p{.modes = {{3, 1, 2}, {2, 3, 1}}, .element_size = 4};
  auto const key = choice_key("A card", to_string(p), {16, 8});
  EXPECT_TRUE(key.starts_with("A card\t"));
  EXPECT_TRUE(key.ends_with("\t{3:2<-1, 2:1<-3} of 4 bytes\t16 8")) << key;
  EXPECT_NE(key, choice_key("A card", to_string(p), {8, 16}));
  using enum element_type;
  std::set<std::string> keys{key};
  for (auto const& each : {element_operation{f32, f32, 0.5}, element_operation{f32, f32, 0.25}, element_operation{f32, f32, 1, 2},
                           element_operation{u32, f32}, element_operation{c64, c64, 1, 0, true}})
    keys.insert(choice_key("A card", to_string(with_operation(p, each)), {16, 8}));
  EXPECT_EQ(keys.size(), 6u);
  auto const here = info().cpu;
  auto const plan = unplanned(p, {kHost, {}, 0});
  auto const device = fmt::format("{}, {}, {} thread", here.name, here.instructions, here.threads);
  EXPECT_TRUE(selection_of(plan).key.starts_with(device)) << selection_of(plan).key;
}

}  // namespace
}  // namespace cornerturn
