#include "cornerturn/transpose.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "cornerturn/info.hpp"
#include "cornerturn/ladder.hpp"
#include "support/check.hpp"
#include "support/message.hpp"
#include "support/rungs.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

/// Hands a case of the table to the public function.
test::mover transposing(int element_size, std::string const& kernel = {}) {
  return [=](job const& shape, test::case_memory const& memory) {
    transpose(memory.source.data() + memory.source_at, memory.destination.data() + memory.destination_at, shape.rows, shape.cols,
              element_size,
              {.source_pitch = shape.source_pitch,
               .destination_pitch = shape.destination_pitch,
               .batch = shape.batch,
               .source_batch_stride = shape.source_batch_stride,
               .destination_batch_stride = shape.destination_batch_stride,
               .kernel = kernel});
  };
}

std::vector<std::string> transposing_rungs() {
  auto names = rung_names();
  std::erase_if(names, [](auto const& name) { return name.starts_with("copy"); });
  return names;
}

constexpr int kElementSizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 24, 48};

TEST(transpose, moves_elements_of_any_size) {
  for (auto const& each : test::transpose_cases()) {
    if (each.source_elements() + each.destination_elements() > 100'000) continue;
    for (int const size : kElementSizes) ASSERT_EQ(test::check_transpose(each, size, transposing(size)), "");
  }
}

TEST(transpose, moves_every_case_by_any_kernel_named) {
  auto const sizes =
      test::is_slowed() ? std::vector{4} : std::vector{1, 2, 4, 8, 16};  // the host executor's tests have all of them
  for (test::transpose_case const& each : {test::transpose_case{67, 131, 2},
                                           {128, 64, 3, 16, 32},
                                           {130, 70, 1, 58, 62, 3, 5},
                                           {64, 128, 1, 0, 1},
                                           {64, 128, 1, 1, 0},
                                           {1, 300},
                                           {300, 1}})
    for (auto const& kernel : transposing_rungs())
      for (int const size : sizes)
        if (test::serves(*rung_named(kernel), each, size)) {
          ASSERT_EQ(test::check_transpose(each, size, transposing(size, kernel)), "") << kernel;
        }
}

TEST(transpose, takes_packed_matrices_where_no_pitch_is_given) {
  std::array<std::int16_t, 12> source, result{};
  std::iota(source.begin(), source.end(), std::int16_t(0));
  transpose(source.data(), result.data(), 2, 3, 2, {.batch = 2});
  EXPECT_EQ(result, (std::array<std::int16_t, 12>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}

TEST(transpose, does_nothing_where_there_is_nothing_to_move) {
  for (auto const& kernel : {std::string(), std::string("vec-both"), std::string("naive-read")})
    for (auto const where : {processor_kind::automatic, processor_kind::cpu, processor_kind::gpu}) {
      transpose(nullptr, nullptr, 0, 5, 4, {.processor = where, .kernel = kernel});
      transpose(nullptr, nullptr, 5, 0, 4, {.processor = where, .kernel = kernel});
      transpose(nullptr, nullptr, 5, 5, 4, {.batch = 0, .processor = where, .kernel = kernel});
      transpose(nullptr, nullptr, 0, 0, 3, {.processor = where, .kernel = kernel});
    }
}

/// What is said of a call that must be refused; empty where it is not.
test::refused refusal(void const* source, void* destination, std::int64_t rows, std::int64_t cols, std::int64_t element_size,
                      transpose_options const& options = {}) {
  return test::refused_by([&] { transpose(source, destination, rows, cols, element_size, options); });
}

class bad_input : public testing::Test {
 protected:
  /// The same for memory that is there, 1 KiB on each side.
  test::refused of(std::int64_t rows, std::int64_t cols, std::int64_t element_size = 4, transpose_options const& options = {}) {
    return refusal(source.data(), destination.data(), rows, cols, element_size, options);
  }

  alignas(16) std::array<std::byte, 1024> source{}, destination{};
};

TEST_F(bad_input, null_pointers) {
  EXPECT_EQ(refusal(nullptr, destination.data(), 2, 3, 4),
            (test::refused{"source", "null", "an address, since there is something to move"}));
  EXPECT_EQ(refusal(source.data(), nullptr, 2, 3, 4),
            (test::refused{"destination", "null", "an address, since there is something to move"}));
}

TEST_F(bad_input, negative_extents) {
  EXPECT_EQ(of(-3, 5), (test::refused{"rows", "-3", "0 or more"}));
  EXPECT_EQ(of(5, -1), (test::refused{"cols", "-1", "0 or more"}));
  EXPECT_EQ(of(5, 5, 4, {.batch = -2}), (test::refused{"batch", "-2", "0 or more"}));
  EXPECT_EQ(of(5, 5, 4, {.threads = -2}), (test::refused{"threads", "-2", "0 or more"}));
  EXPECT_EQ(refusal(nullptr, nullptr, 0, -5, 4), (test::refused{"cols", "-5", "0 or more"}));
}

TEST_F(bad_input, element_sizes_below_one) {
  EXPECT_EQ(of(5, 5, 0), (test::refused{"element_size", "0", "1 or more"}));
  EXPECT_EQ(of(5, 5, -4), (test::refused{"element_size", "-4", "1 or more"}));
  EXPECT_EQ(of(0, 0, 0), (test::refused{"element_size", "0", "1 or more"}));
}

TEST_F(bad_input, strides_shorter_than_what_they_step_over) {
  EXPECT_EQ(of(4, 5, 4, {.source_pitch = 4}), (test::refused{"source_pitch", "4", "0 (dense) or at least 5"}));
  EXPECT_EQ(of(4, 5, 4, {.destination_pitch = -4}), (test::refused{"destination_pitch", "-4", "0 (dense) or at least 4"}));
  EXPECT_EQ(of(4, 5, 4, {.batch = 2, .source_batch_stride = 19}),
            (test::refused{"source_batch_stride", "19", "0 (dense) or at least 20"}));
  EXPECT_EQ(of(4, 5, 4, {.destination_pitch = 6, .batch = 2, .destination_batch_stride = 29}),
            (test::refused{"destination_batch_stride", "29", "0 (dense) or at least 30"}));
}

TEST_F(bad_input, overlap) {
  auto const expected = [](std::byte const* read, std::byte const* written, std::size_t bytes, std::size_t read_bytes) {
    auto const at = [](std::byte const* address) { return reinterpret_cast<std::uintptr_t>(address); };
    return test::refused{"destination", fmt::format("[{:#x}, {:#x})", at(written), at(written) + bytes),
                         fmt::format("apart from the source, [{:#x}, {:#x})", at(read), at(read) + read_bytes)};
  };
  auto* const first = source.data();
  EXPECT_EQ(refusal(first, first, 4, 5, 4), expected(first, first, 80, 80));
  EXPECT_EQ(refusal(first, first + 79, 4, 5, 4), expected(first, first + 79, 80, 80));
  EXPECT_EQ(refusal(first + 79, first, 4, 5, 4), expected(first + 79, first, 80, 80));
  EXPECT_EQ(refusal(first, first + 80, 4, 5, 4), test::refused());  // side by side
  // by the range of addresses: a destination within the gaps of the source
  EXPECT_EQ(refusal(first, first + 16, 2, 2, 4, {.source_pitch = 100}), expected(first, first + 16, 16, 408));
}

TEST_F(bad_input, products_past_64_bits) {
  constexpr std::int64_t k31 = std::int64_t(1) << 31, k40 = std::int64_t(1) << 40, k62 = std::int64_t(1) << 62;
  EXPECT_EQ(of(k40, k40), (test::refused{"source", "1099511627776 rows of 1099511627776 elements", "at most 2^63 - 1 elements"}));
  EXPECT_EQ(of(3, 2, 4, {.source_pitch = k62}),
            (test::refused{"source", "3 rows of 4611686018427387904 elements", "at most 2^63 - 1 elements"}));
  EXPECT_EQ(of(2, 3, 4, {.destination_pitch = k62}),
            (test::refused{"destination", "3 rows of 4611686018427387904 elements", "at most 2^63 - 1 elements"}));
  EXPECT_EQ(of(k31, k31, 4),
            (test::refused{"size", "1 x 2147483648 x 2147483648 elements of 4 bytes", "at most 2^63 - 1 bytes"}));
  EXPECT_EQ(of(k31, k31, 1, {.batch = 2}),
            (test::refused{"size", "2 x 2147483648 x 2147483648 elements of 1 byte", "at most 2^63 - 1 bytes"}));
  EXPECT_EQ(of(2, 2, 8, {.source_pitch = k62 / 2}),
            (test::refused{"source_strides",
                           "extents (1, 2, 2) with strides (4611686018427387904, 2305843009213693952, 1) from 0, 8 bytes each",
                           "one whose bytes are counted in 64 bits"}));
  EXPECT_EQ(
      of(2, 2, 8, {.batch = 3, .destination_batch_stride = k62}),
      (test::refused{"destination_strides", "extents (3, 2, 2) with strides (4611686018427387904, 1, 2) from 0, 8 bytes each",
                     "one whose bytes are counted in 64 bits"}));
  EXPECT_EQ(of(2, 2, std::numeric_limits<std::int64_t>::max()),
            (test::refused{"size", "1 x 2 x 2 elements of 9223372036854775807 bytes", "at most 2^63 - 1 bytes"}));
}

TEST_F(bad_input, kernels) {
  EXPECT_EQ(of(5, 5, 4, {.kernel = "vec-best"}),
            (test::refused{"kernel", "'vec-best'", fmt::format("one of the {} rungs of the ladder", rung_names().size())}));
  EXPECT_EQ(of(5, 5, 4, {.kernel = "copy"}), (test::refused{"kernel", "copy", "a transposing one: copy moves rows straight"}));
  EXPECT_EQ(of(5, 5, 4, {.kernel = "copy-tma"}),
            (test::refused{"kernel", "copy-tma", "a transposing one: copy-tma moves rows straight"}));
  EXPECT_EQ(of(5, 5, 4, {.kernel = "tma"}),
            (test::refused{"the source's pitch in bytes", "20", "a multiple of 16 below 2^40 for TMA"}));
  EXPECT_NE(refusal(nullptr, nullptr, 0, 0, 4, {.kernel = "vec-best"}), test::refused());
}

TEST_F(bad_input, kernels_for_other_element_sizes) {
  for (auto const& kernel : transposing_rungs())
    for (int const size : {3, 12, 17, 24, 48})
      EXPECT_EQ(of(2, 5, size, {.kernel = kernel}),
                (test::refused{"element_size", std::to_string(size), "1, 2, 4, 8 or 16 bytes for a GPU kernel"}))
          << kernel;
}

TEST_F(bad_input, kernels_for_addresses_across_their_elements) {
  EXPECT_EQ(refusal(source.data() + 2, destination.data(), 2, 5, 4, {.kernel = "vec-both"}),
            (test::refused{"the source's alignment in bytes", "2", "a multiple of the element size, 4"}));
  EXPECT_EQ(refusal(source.data() + 2, destination.data(), 2, 5, 4), test::refused());  // the CPU engine needs no alignment
}

TEST_F(bad_input, host_memory_for_a_gpu) {
  EXPECT_EQ(of(5, 5, 4, {.processor = processor_kind::gpu, .kernel = "vec-both"}),
            (test::refused{"source", "host memory", "device memory where processor is gpu and a kernel is named"}));
  if (auto const why = info().gpu_problem; !why.empty()) {
    EXPECT_EQ(of(5, 5, 4, {.processor = processor_kind::gpu}),
              (test::refused{"processor", "gpu", "cpu or automatic here: " + why}));
  }
}

TEST_F(bad_input, writes_nothing) {
  source.fill(std::byte(1)), destination.fill(std::byte(2));
  EXPECT_NE(of(4, 5, 4, {.kernel = "vec-best"}), test::refused());
  EXPECT_NE(of(4, 5, 3, {.kernel = "vec-both"}), test::refused());
  EXPECT_NE(of(4, 5, 4, {.destination_pitch = 3}), test::refused());
  EXPECT_NE(of(4, 5, 4, {.processor = processor_kind::gpu, .kernel = "vec-both"}), test::refused());
  for (auto const byte : destination) ASSERT_EQ(byte, std::byte(2));
}

}  // namespace
}  // namespace cornerturn
