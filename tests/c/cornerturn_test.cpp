#include "cornerturn/cornerturn.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/warn.hpp"
#include "cornerturn/cache.hpp"
#include "cornerturn/plan.hpp"
#include "support/fake_clock.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

class c_interface : public testing::Test {
 protected:
  void SetUp() override { std::iota(source.begin(), source.end(), 0); }
  void TearDown() override { cornerturn_plan_destroy(plan); }

  cornerturn_status create(cornerturn_options const& with) {
    return cornerturn_plan_create(&plan, 2, shape, from, to, cornerturn_bytes(sizeof(int)), &with);
  }

  std::array<int, 6> source, result{};
  std::int64_t const shape[2] = {3, 2}, from[2] = {1, 3}, to[2] = {2, 1}, axes[2] = {1, 0}, source_shape[2] = {2, 3};
  std::array<int, 6> const turned{0, 3, 1, 4, 2, 5};
  cornerturn_options options = CORNERTURN_OPTIONS_INIT;
  cornerturn_plan* plan = nullptr;
};

TEST_F(c_interface, plans_and_runs) {
  options.processor = CORNERTURN_CPU;
  ASSERT_EQ(create(options), CORNERTURN_OK) << cornerturn_last_error();
  EXPECT_EQ(cornerturn_plan_run(plan, source.data(), result.data(), nullptr), CORNERTURN_OK);
  EXPECT_EQ(result, turned);
}

TEST_F(c_interface, moves_at_once) {
  EXPECT_EQ(
      cornerturn_permute(source.data(), result.data(), 2, source_shape, axes, cornerturn_bytes(sizeof(int)), nullptr, nullptr),
      CORNERTURN_OK);
  EXPECT_EQ(result, turned);
  result = {};
  EXPECT_EQ(
      cornerturn_strided_copy(source.data(), from, result.data(), to, 2, shape, cornerturn_bytes(sizeof(int)), nullptr, nullptr),
      CORNERTURN_OK);
  EXPECT_EQ(result, turned);
}

TEST_F(c_interface, moves_at_once_where_the_options_say) {
  cornerturn_copy_options with = CORNERTURN_COPY_OPTIONS_INIT;
  auto const permute_with = [&] {
    return cornerturn_permute(source.data(), result.data(), 2, source_shape, axes, cornerturn_bytes(sizeof(int)), nullptr, &with);
  };
  with.processor = CORNERTURN_CPU, with.threads = 1;
  EXPECT_EQ(permute_with(), CORNERTURN_OK) << cornerturn_last_error();
  EXPECT_EQ(result, turned);
  with.device = 0;
  auto const refuses_device = [](cornerturn_status status) {
    EXPECT_EQ(status, CORNERTURN_BAD_ARGUMENT);
    EXPECT_EQ(std::string(cornerturn_last_error()), "device is 0; it must be -1 where processor is cpu");
  };
  refuses_device(permute_with());
  refuses_device(
      cornerturn_strided_copy(source.data(), from, result.data(), to, 2, shape, cornerturn_bytes(sizeof(int)), nullptr, &with));
  refuses_device(cornerturn_transpose(source.data(), result.data(), 2, 3, sizeof(int), nullptr, &with));
  refuses_device(cornerturn_permute_inplace(source.data(), 2, source_shape, axes, sizeof(int), nullptr, &with));
  with = CORNERTURN_COPY_OPTIONS_INIT;
  with.device = 99;
  EXPECT_EQ(permute_with(), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(std::string(cornerturn_last_error()).substr(0, 27), "device is 99; it must be -1");
  with.size = 0;
  EXPECT_EQ(permute_with(), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(std::string(cornerturn_last_error()).substr(0, 17), "options.size is 0");
}

TEST_F(c_interface, transposes) {
  EXPECT_EQ(cornerturn_transpose(source.data(), result.data(), 2, 3, sizeof(int), nullptr, nullptr), CORNERTURN_OK);
  EXPECT_EQ(result, turned);
  EXPECT_EQ(cornerturn_transpose(source.data(), result.data(), -2, 3, sizeof(int), nullptr, nullptr), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(std::string(cornerturn_last_error()), "rows is -2; it must be 0 or more");
}

TEST_F(c_interface, refuses_a_rank_before_it_reads_as_many_numbers) {
  constexpr std::int32_t kRank = std::numeric_limits<std::int32_t>::max();
  cornerturn_operation change = CORNERTURN_OPERATION_INIT(CORNERTURN_I32, CORNERTURN_F32), scaled = change;
  float const factor = 1;
  scaled.scale = &factor, scaled.factor_strides = from;
  void const* const sources[] = {source.data()};
  void* const results[] = {result.data()};
  auto const whole = [&](std::int32_t rank, std::int32_t grid_rank) {
    cornerturn_sharding const side{grid_rank, shape, axes, nullptr};
    return cornerturn_distribution{sizeof(cornerturn_distribution), rank, shape, axes, cornerturn_bytes(4), side, side};
  };
  auto const of_rank = whole(kRank, 0), of_grid_rank = whole(2, kRank);
  cornerturn_inplace_plan* inplace = nullptr;
  auto const refuses = [](cornerturn_status status, std::string const& name) {
    EXPECT_EQ(status, CORNERTURN_BAD_ARGUMENT);
    EXPECT_EQ(std::string(cornerturn_last_error()), name + " is 2147483647; it must be 64 or less");
  };
  refuses(cornerturn_plan_create(&plan, kRank, shape, from, to, cornerturn_bytes(4), nullptr), "rank");
  refuses(cornerturn_plan_permute(&plan, kRank, shape, from, axes, to, cornerturn_bytes(4), nullptr), "rank");
  refuses(cornerturn_plan_permute(&plan, kRank, shape, from, axes, to, cornerturn_changed_by(&change), nullptr), "rank");
  refuses(cornerturn_plan_permute(&plan, kRank, shape, nullptr, axes, nullptr, cornerturn_changed_by(&scaled), nullptr), "rank");
  refuses(cornerturn_plan_create(&plan, kRank, shape, from, to, cornerturn_changed_by(&scaled), nullptr), "rank");
  refuses(cornerturn_strided_copy(source.data(), from, result.data(), to, kRank, shape, cornerturn_bytes(4), nullptr, nullptr),
          "rank");
  refuses(cornerturn_strided_copy(source.data(), from, result.data(), to, kRank, shape, cornerturn_changed_by(&scaled), nullptr,
                                  nullptr),
          "rank");
  refuses(cornerturn_permute(source.data(), result.data(), kRank, shape, axes, cornerturn_bytes(4), nullptr, nullptr), "rank");
  refuses(cornerturn_permute(source.data(), result.data(), kRank, shape, axes, cornerturn_changed_by(&scaled), nullptr, nullptr),
          "rank");
  refuses(cornerturn_permute_batched(sources, 1, result.data(), 6, kRank, shape, from, axes, to, cornerturn_changed_by(&change),
                                     nullptr, nullptr),
          "rank");
  refuses(cornerturn_permute_inplace(source.data(), kRank, shape, axes, 4, nullptr, nullptr), "rank");
  refuses(cornerturn_inplace_plan_create(&inplace, kRank, shape, axes, 4, nullptr, nullptr), "rank");
  refuses(cornerturn_tune_permute(kRank, shape, axes, cornerturn_bytes(4), nullptr, nullptr, nullptr), "rank");
  refuses(cornerturn_tune_permute(kRank, shape, axes, cornerturn_changed_by(&change), nullptr, nullptr, nullptr), "rank");
  refuses(cornerturn_local_permute(sources, results, nullptr, 1, &of_rank), "rank");
  refuses(cornerturn_local_permute(sources, results, nullptr, 1, &of_grid_rank), "source.grid_rank");
}

TEST_F(c_interface, plans_in_place) {
  cornerturn_inplace_plan* inplace = nullptr;
  cornerturn_inplace_options with = CORNERTURN_INPLACE_OPTIONS_INIT;
  with.processor = CORNERTURN_CPU;
  std::int64_t bytes = -1;
  ASSERT_EQ(cornerturn_inplace_plan_create(&inplace, 2, source_shape, axes, sizeof(int), &with, &bytes), CORNERTURN_OK)
      << cornerturn_last_error();
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(cornerturn_inplace_plan_run(inplace, source.data(), nullptr, nullptr), CORNERTURN_OK);
  EXPECT_EQ(source, turned);
  cornerturn_inplace_plan_destroy(inplace);
  cornerturn_inplace_plan_destroy(nullptr);
}

TEST_F(c_interface, runs_in_place_with_the_callers_workspace) {
  constexpr std::int64_t kRows = 2003, kColumns = 1511;  // primes, so that rows and columns are saved, and more than one panel
  std::int64_t const extents[2] = {kRows, kColumns};
  std::vector<int> data(kRows * kColumns);
  std::iota(data.begin(), data.end(), 0);
  cornerturn_inplace_plan* inplace = nullptr;
  cornerturn_inplace_options with = CORNERTURN_INPLACE_OPTIONS_INIT;
  with.processor = CORNERTURN_CPU;
  std::int64_t bytes = 0;
  ASSERT_EQ(cornerturn_inplace_plan_create(&inplace, 2, extents, axes, sizeof(int), &with, &bytes), CORNERTURN_OK)
      << cornerturn_last_error();
  ASSERT_GT(bytes, 0);
  struct alignas(16) unit {
    std::byte bytes[16];
  };
  std::vector<unit> workspace(std::size_t(bytes) / sizeof(unit) + 1);
  EXPECT_EQ(cornerturn_inplace_plan_run(inplace, data.data(), nullptr, workspace.data()->bytes + 1), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(cornerturn_inplace_plan_run(inplace, data.data(), nullptr, workspace.data()), CORNERTURN_OK);
  for (std::int64_t row = 0; row < kRows; ++row)
    for (std::int64_t column = 0; column < kColumns; ++column)
      ASSERT_EQ(data[std::size_t(column * kRows + row)], row * kColumns + column);
  cornerturn_inplace_plan_destroy(inplace);

  std::int64_t const larger[2] = {3001, 2003};  // more bytes than the longest panel of the CPU
  with.workspace = 0;
  EXPECT_EQ(cornerturn_inplace_plan_create(&inplace, 2, larger, axes, sizeof(int), &with, nullptr), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(inplace, nullptr);
  EXPECT_EQ(std::string(cornerturn_last_error()).substr(0, 32), "workspace is 0; it must be at le");
  with.size = 1;
  EXPECT_EQ(cornerturn_inplace_plan_create(&inplace, 2, larger, axes, sizeof(int), &with, nullptr), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(std::string(cornerturn_last_error()).substr(0, 17), "options.size is 1");
}

TEST_F(c_interface, plans_by_axes) {
  options.processor = CORNERTURN_CPU;
  auto const plan_with = [&](std::int64_t const* source_strides, std::int64_t const* destination_strides) {
    cornerturn_plan_destroy(plan);
    return cornerturn_plan_permute(&plan, 2, source_shape, source_strides, axes, destination_strides,
                                   cornerturn_bytes(sizeof(int)), &options);
  };
  ASSERT_EQ(plan_with(nullptr, nullptr), CORNERTURN_OK) << cornerturn_last_error();
  EXPECT_EQ(cornerturn_plan_run(plan, source.data(), result.data(), nullptr), CORNERTURN_OK);
  EXPECT_EQ(result, turned);
  std::int64_t const columns[] = {1, 2};
  ASSERT_EQ(plan_with(columns, nullptr), CORNERTURN_OK) << cornerturn_last_error();
  EXPECT_EQ(cornerturn_plan_run(plan, source.data(), result.data(), nullptr), CORNERTURN_OK);
  EXPECT_EQ(result, source);
  std::int64_t const in_columns[] = {1, 3};
  ASSERT_EQ(plan_with(nullptr, in_columns), CORNERTURN_OK) << cornerturn_last_error();
  EXPECT_EQ(cornerturn_plan_run(plan, source.data(), result.data(), nullptr), CORNERTURN_OK);
  EXPECT_EQ(result, source);
  cornerturn_plan_destroy(plan);
  std::int64_t const twice[] = {0, 0};
  EXPECT_EQ(cornerturn_plan_permute(&plan, 2, source_shape, nullptr, twice, nullptr, cornerturn_bytes(4), &options),
            CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(cornerturn_plan_permute(nullptr, 2, source_shape, nullptr, axes, nullptr, cornerturn_bytes(4), &options),
            CORNERTURN_BAD_ARGUMENT);
}

TEST_F(c_interface, limits_the_threads_of_a_plan) {
  options.processor = CORNERTURN_CPU, options.threads = 1;
  ASSERT_EQ(create(options), CORNERTURN_OK);
  std::array<char, 400> text;
  EXPECT_EQ(cornerturn_plan_describe(plan, text.data(), text.size(), nullptr), CORNERTURN_OK);
  EXPECT_NE(std::string(text.data()).find(", 1 thread)"), std::string::npos) << text.data();
}

TEST_F(c_interface, tunes) {
  test::scratch const folder;
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  cache_clear();  // later plans read the choices in the folder
  options.processor = CORNERTURN_CPU;
  std::int64_t const large[] = {300, 200};
  test::fake_clock const clock(1e-3);
  double seconds = -1, estimated = -1;
  ASSERT_EQ(cornerturn_tune_permute(2, large, axes, cornerturn_bytes(4), &options, &seconds, &estimated), CORNERTURN_OK)
      << cornerturn_last_error();
  EXPECT_DOUBLE_EQ(seconds, 1e-3);  // as all candidates take by this clock
  EXPECT_DOUBLE_EQ(estimated, 1e-3);
  EXPECT_EQ(cornerturn_tune_permute(2, large, axes, cornerturn_bytes(4), &options, nullptr, nullptr), CORNERTURN_OK);
  std::int64_t const empty[] = {0, 3};
  EXPECT_EQ(cornerturn_tune_permute(2, empty, axes, cornerturn_bytes(4), &options, &seconds, &estimated), CORNERTURN_OK);
  EXPECT_EQ(seconds, 0);
  EXPECT_EQ(cornerturn_tune_permute(2, nullptr, axes, cornerturn_bytes(4), &options, &seconds, &estimated),
            CORNERTURN_BAD_ARGUMENT);
  unsetenv("CORNERTURN_CACHE_DIR");
  cache_clear();
}

TEST_F(c_interface, tells_of_the_cache) {
  EXPECT_EQ(cornerturn_cache_clear(), CORNERTURN_OK);
  for (int i = 0; i < 3; ++i)
    cornerturn_permute(source.data(), result.data(), 2, source_shape, axes, cornerturn_bytes(sizeof(int)), nullptr, nullptr);
  cornerturn_cache_counters counters{};
  EXPECT_EQ(cornerturn_cache_info(&counters), CORNERTURN_OK);
  EXPECT_EQ(counters.hits, 2);
  EXPECT_EQ(counters.misses, 1);
  EXPECT_EQ(counters.entries, 1);
  EXPECT_GT(counters.capacity, 1);
  EXPECT_EQ(cornerturn_cache_clear(), CORNERTURN_OK);
  EXPECT_EQ(cornerturn_cache_info(&counters), CORNERTURN_OK);
  EXPECT_EQ(counters.entries, 0);
  EXPECT_EQ(cornerturn_cache_info(nullptr), CORNERTURN_BAD_ARGUMENT);
}

TEST_F(c_interface, passes_warnings_to_the_hook) {
  std::string heard;
  auto const hear = [](char const* message, void* context) { *static_cast<std::string*>(context) = message; };
  EXPECT_EQ(cornerturn_set_log_hook(hear, &heard), CORNERTURN_OK);
  warn("something is damaged");
  EXPECT_EQ(heard, "something is damaged");
  EXPECT_EQ(cornerturn_set_log_hook(nullptr, nullptr), CORNERTURN_OK);
  testing::internal::CaptureStderr();
  warn("something else");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cornerturn: something else\n");
  EXPECT_EQ(heard, "something is damaged");
}

/// The kinds that this machine can produce; tests/gpu/errors_test.cpp has those of CUDA.
TEST_F(c_interface, tells_kinds_of_errors_apart) {
  options.processor = CORNERTURN_CPU;
  std::int64_t const huge[] = {std::int64_t(1) << 28, std::int64_t(1) << 28};
  EXPECT_EQ(cornerturn_tune_permute(2, huge, axes, cornerturn_bytes(1), &options, nullptr, nullptr), CORNERTURN_OUT_OF_MEMORY);
  EXPECT_EQ(std::string(cornerturn_last_error()), "no room for the 72057594037927936 bytes that timing takes");
  EXPECT_EQ(cornerturn_last_error_code(), 0);
}

TEST_F(c_interface, takes_rank_0_without_lists) {
  EXPECT_EQ(cornerturn_permute(&source[3], result.data(), 0, nullptr, nullptr, cornerturn_bytes(sizeof(int)), nullptr, nullptr),
            CORNERTURN_OK);
  EXPECT_EQ(result[0], 3);
  EXPECT_EQ(cornerturn_plan_create(&plan, 0, nullptr, nullptr, nullptr, cornerturn_bytes(sizeof(int)), nullptr), CORNERTURN_OK);
}

TEST_F(c_interface, describes_into_a_buffer) {
  options.processor = CORNERTURN_CPU;
  ASSERT_EQ(create(options), CORNERTURN_OK);
  auto const expected = plan_permute({2, 3}, {1, 0}, sizeof(int), {.processor = processor_kind::cpu}).describe();
  std::size_t needed = 0;
  EXPECT_EQ(cornerturn_plan_describe(plan, nullptr, 0, &needed), CORNERTURN_OK);
  EXPECT_EQ(needed, expected.size() + 1);

  std::vector<char> buffer(needed + 1, 'x');
  EXPECT_EQ(cornerturn_plan_describe(plan, buffer.data(), needed, nullptr), CORNERTURN_OK);
  EXPECT_EQ(buffer.data(), expected);
  EXPECT_EQ(buffer[needed], 'x');
  std::ranges::fill(buffer, 'x');
  EXPECT_EQ(cornerturn_plan_describe(plan, buffer.data(), needed - 1, &needed), CORNERTURN_BUFFER_TOO_SMALL);
  EXPECT_EQ(std::string(cornerturn_last_error()), "capacity is " + std::to_string(expected.size()) + "; it must be " +
                                                      std::to_string(expected.size() + 1) + " or more");
  EXPECT_EQ(buffer.data(), expected.substr(0, expected.size() - 1));
  EXPECT_EQ(cornerturn_plan_describe(plan, buffer.data(), 1, nullptr), CORNERTURN_BUFFER_TOO_SMALL);
  EXPECT_EQ(buffer[0], 0);
  EXPECT_EQ(cornerturn_plan_describe(plan, buffer.data(), 0, nullptr), CORNERTURN_BUFFER_TOO_SMALL);
}

TEST_F(c_interface, refuses_null) {
  auto const said = [](cornerturn_status status) {
    EXPECT_EQ(status, CORNERTURN_BAD_ARGUMENT);
    return std::string(cornerturn_last_error());
  };
  EXPECT_EQ(said(cornerturn_plan_create(nullptr, 2, shape, from, to, cornerturn_bytes(4), nullptr)),
            "plan is null; it must be an address");
  EXPECT_EQ(said(cornerturn_plan_create(&plan, 2, nullptr, from, to, cornerturn_bytes(4), nullptr)),
            "shape is null; it must be an address");
  EXPECT_EQ(said(cornerturn_plan_create(&plan, 2, shape, nullptr, to, cornerturn_bytes(4), nullptr)),
            "source_strides is null; it must be an address");
  EXPECT_EQ(said(cornerturn_plan_create(&plan, 2, shape, from, nullptr, cornerturn_bytes(4), nullptr)),
            "destination_strides is null; it must be an address");
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(said(cornerturn_plan_run(nullptr, source.data(), result.data(), nullptr)), "plan is null; it must be an address");
  EXPECT_EQ(said(cornerturn_plan_describe(nullptr, nullptr, 0, nullptr)), "plan is null; it must be an address");
  EXPECT_EQ(
      said(cornerturn_permute(source.data(), result.data(), 2, source_shape, nullptr, cornerturn_bytes(4), nullptr, nullptr)),
      "axes is null; it must be an address");
  EXPECT_EQ(
      said(cornerturn_strided_copy(source.data(), from, result.data(), to, 2, nullptr, cornerturn_bytes(4), nullptr, nullptr)),
      "shape is null; it must be an address");
  EXPECT_EQ(said(cornerturn_permute(nullptr, result.data(), 2, source_shape, axes, cornerturn_bytes(4), nullptr, nullptr)),
            "source is null; it must be an address, since there is something to move");

  options.processor = CORNERTURN_CPU;
  ASSERT_EQ(create(options), CORNERTURN_OK);
  EXPECT_EQ(said(cornerturn_plan_run(plan, source.data(), nullptr, nullptr)),
            "destination is null; it must be an address, since there is something to move");
  EXPECT_EQ(said(cornerturn_plan_describe(plan, nullptr, 10, nullptr)), "buffer is null; it must be an address");
}

TEST_F(c_interface, refuses_bad_numbers) {
  auto const said = [](cornerturn_status status) {
    EXPECT_EQ(status, CORNERTURN_BAD_ARGUMENT);
    return std::string(cornerturn_last_error());
  };
  EXPECT_EQ(said(cornerturn_plan_create(&plan, -1, shape, from, to, cornerturn_bytes(4), nullptr)),
            "rank is -1; it must be 0 or more");
  std::array<std::int64_t, 65> many;
  many.fill(1);
  EXPECT_EQ(said(cornerturn_plan_create(&plan, 65, many.data(), many.data(), many.data(), cornerturn_bytes(4), nullptr)),
            "rank is 65; it must be 64 or less");
  EXPECT_EQ(
      said(cornerturn_permute(source.data(), result.data(), 65, many.data(), many.data(), cornerturn_bytes(4), nullptr, nullptr)),
      "rank is 65; it must be 64 or less");
  std::int64_t const negative[] = {3, -2};
  EXPECT_EQ(said(cornerturn_plan_create(&plan, 2, negative, from, to, cornerturn_bytes(4), nullptr)),
            "extent of axis 1 is -2; it must be 0 or more");
  EXPECT_EQ(said(cornerturn_permute(source.data(), result.data(), 2, source_shape, shape, cornerturn_bytes(4), nullptr, nullptr)),
            "axes is (3, 2); it must be a permutation of 0 to 1 for an array of rank 2");
  EXPECT_EQ(said(cornerturn_strided_copy(source.data(), from, source.data(), to, 2, shape, cornerturn_bytes(4), nullptr, nullptr))
                .substr(0, 16),
            "destination is [");
}

TEST_F(c_interface, refuses_elements_without_bytes) {
  void const* const sources[] = {source.data()};
  void* const results[] = {result.data()};
  std::int64_t const empty[] = {0, 3};
  cornerturn_inplace_plan* inplace = nullptr;
  auto const refuses = [](cornerturn_status status, std::string const& argument, std::string const& allowed) {
    EXPECT_EQ(status, CORNERTURN_BAD_ARGUMENT);
    EXPECT_EQ(std::string(cornerturn_last_error()), argument + "; it must be " + allowed);
  };
  for (auto const& [elements, text] :
       {std::pair(cornerturn_bytes(0), "elements.bytes is 0"), std::pair(cornerturn_bytes(-4), "elements.bytes is -4"),
        std::pair(cornerturn_changed_by(nullptr), "elements.bytes is 0")}) {
    auto const refuses_size = [&, argument = text](cornerturn_status status) {
      refuses(status, argument, "1 or more without an operation");
    };
    cornerturn_distribution const whole{sizeof(cornerturn_distribution), 2, shape, axes, elements, {}, {}};
    refuses_size(cornerturn_plan_create(&plan, 2, shape, from, to, elements, nullptr));
    refuses_size(cornerturn_plan_permute(&plan, 2, source_shape, nullptr, axes, nullptr, elements, nullptr));
    EXPECT_EQ(plan, nullptr);
    refuses_size(cornerturn_strided_copy(source.data(), from, result.data(), to, 2, shape, elements, nullptr, nullptr));
    refuses_size(cornerturn_permute(source.data(), result.data(), 2, source_shape, axes, elements, nullptr, nullptr));
    refuses_size(cornerturn_permute(source.data(), result.data(), 2, empty, axes, elements, nullptr, nullptr));
    refuses_size(cornerturn_permute_batched(sources, 1, result.data(), 6, 2, source_shape, nullptr, axes, nullptr, elements,
                                            nullptr, nullptr));
    refuses_size(cornerturn_tune_permute(2, source_shape, axes, elements, nullptr, nullptr, nullptr));
    refuses_size(cornerturn_local_permute(sources, results, nullptr, 1, &whole));
  }
  refuses(cornerturn_transpose(source.data(), result.data(), 2, 3, 0, nullptr, nullptr), "element_size is 0", "1 or more");
  refuses(cornerturn_permute_inplace(source.data(), 2, source_shape, axes, 0, nullptr, nullptr), "element_size is 0",
          "1 or more");
  refuses(cornerturn_inplace_plan_create(&inplace, 2, source_shape, axes, 0, nullptr, nullptr), "element_size is 0", "1 or more");
}

TEST_F(c_interface, refuses_bad_options) {
  auto const said = [this](auto const& change) {
    cornerturn_options changed = CORNERTURN_OPTIONS_INIT;
    change(changed);
    EXPECT_EQ(create(changed), CORNERTURN_BAD_ARGUMENT);
    EXPECT_EQ(plan, nullptr);
    return std::string(cornerturn_last_error());
  };
  EXPECT_EQ(said([](auto& o) { o.size = 0; }),
            std::string("options.size is 0; it must be 32, sizeof(cornerturn_options), in version ") + cornerturn_version());
  EXPECT_EQ(said([](auto& o) { ++o.size; }).substr(0, 18), "options.size is 33");
  EXPECT_EQ(said([](auto& o) { o.processor = 3; }), "options.processor is 3; it must be 0 to 2");
  EXPECT_EQ(said([](auto& o) { o.effort = -1; }), "options.effort is -1; it must be 0 to 1");
  EXPECT_EQ(said([](auto& o) { o.source_alignment = 3; }), "source_alignment is 3; it must be a power of two");
  EXPECT_EQ(said([](auto& o) { o.threads = -1; }), "threads is -1; it must be 0 or more");
}

TEST_F(c_interface, keeps_the_last_error_of_each_thread) {
  cornerturn_plan_create(&plan, -1, shape, from, to, cornerturn_bytes(4), nullptr);
  std::thread([] { EXPECT_EQ(std::string(cornerturn_last_error()), ""); }).join();
  cornerturn_permute(source.data(), result.data(), 2, source_shape, axes, cornerturn_bytes(4), nullptr, nullptr);
  EXPECT_EQ(std::string(cornerturn_last_error()), "rank is -1; it must be 0 or more");
}

TEST_F(c_interface, ends_a_call_before_its_thread_is_cancelled) {
  struct call {
    std::vector<int> elements = std::vector<int>(1000 * 1001, 3), moved = std::vector<int>(elements.size());
    cornerturn_plan* plan = nullptr;
    cornerturn_workers workers{};  // outside the frame that is cancelled, whose variables AddressSanitizer would not release
    bool has_ended = false;
  } call;
  std::int64_t const extents[] = {1001, 1000}, columns[] = {1, 1001}, rows[] = {1000, 1};
  options.processor = CORNERTURN_CPU;
  ASSERT_EQ(cornerturn_plan_create(&plan, 2, extents, columns, rows, cornerturn_bytes(sizeof(int)), &options), CORNERTURN_OK);
  call.plan = plan;
  auto const cancel_and_run = [](void*, std::int32_t count, void (*part)(void*, std::int32_t), void* state) {
    pthread_cancel(pthread_self());
    pthread_testcancel();
    for (std::int32_t index = 0; index < count; ++index) part(state, index);
  };
  call.workers = {cancel_and_run, nullptr, 2};
  auto const run = [](void* given) -> void* {
    auto& [elements, moved, plan, workers, has_ended] = *static_cast<struct call*>(given);
    has_ended = cornerturn_plan_run_on(plan, &workers, elements.data(), moved.data()) == CORNERTURN_OK;
    pthread_testcancel();
    return nullptr;
  };
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, nullptr, run, &call), 0);
  void* ended = nullptr;
  ASSERT_EQ(pthread_join(thread, &ended), 0);
  EXPECT_EQ(ended, PTHREAD_CANCELED);
  EXPECT_TRUE(call.has_ended);
  EXPECT_EQ(call.moved, call.elements);
}

TEST_F(c_interface, sets_the_number_of_threads) {
  EXPECT_EQ(cornerturn_set_num_threads(2), CORNERTURN_OK);
  EXPECT_EQ(cornerturn_set_num_threads(-1), CORNERTURN_BAD_ARGUMENT);
  EXPECT_EQ(std::string(cornerturn_last_error()), "threads is -1; it must be 0 or more");
  EXPECT_EQ(cornerturn_num_threads(), 2);
  EXPECT_EQ(cornerturn_set_num_threads(0), CORNERTURN_OK);
}

TEST_F(c_interface, has_a_text_for_every_status) {
  for (int status = CORNERTURN_OK; status <= CORNERTURN_INTERNAL_ERROR; ++status)
    EXPECT_NE(std::string(cornerturn_status_text(cornerturn_status(status))), "no status of this library");
  EXPECT_EQ(std::string(cornerturn_status_text(cornerturn_status(7))), "no status of this library");
  EXPECT_NE(std::string(cornerturn_version()), "");
}

TEST(c_interface_without_a_plan, destroys_nothing) { cornerturn_plan_destroy(nullptr); }

}  // namespace
}  // namespace cornerturn
