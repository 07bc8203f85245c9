#include "support/check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <vector>

namespace cornerturn::test {
namespace {

constexpr std::size_t kGuard = 256;

/// Bytes on a 256-byte boundary.
class buffer {
 public:
  explicit buffer(std::size_t bytes) : memory_(bytes + 256), bytes_(bytes) {
    auto const address = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ = memory_.data() + (256 - address % 256) % 256;
  }
  std::byte* data() { return begin_; }
  std::span<std::byte> bytes() { return {begin_, bytes_}; }

 private:
  std::vector<std::byte> memory_;
  std::size_t bytes_;
  std::byte* begin_;
};

}  // namespace

std::string check_transpose(transpose_case const& each, int element_size, mover const& move) {
  std::mt19937_64 random(std::uint64_t(each.rows * 7919 + each.cols));
  auto const size = std::size_t(element_size);
  buffer source(std::size_t(each.source_elements()) * size), result(std::size_t(each.destination_elements()) * size + 2 * kGuard);
  for (std::size_t at = 0; at < source.bytes().size(); at += sizeof(std::uint64_t)) {
    auto const drawn = random();
    std::memcpy(source.data() + at, &drawn, std::min(sizeof drawn, source.bytes().size() - at));
  }
  std::ranges::fill(result.bytes(), std::byte(0xA5));
  std::vector<std::byte> expected(result.bytes().begin(), result.bytes().end());

  job const shape = each.shape();
  auto const* const from = source.data() + std::size_t(each.source_shift) * size;
  auto const to = kGuard + std::size_t(each.destination_shift) * size;
  for (std::int64_t b = 0; b < shape.batch; ++b)
    for (std::int64_t r = 0; r < shape.rows; ++r)
      for (std::int64_t c = 0; c < shape.cols; ++c)
        std::memcpy(
            expected.data() + to + std::size_t(b * shape.destination_batch_stride + c * shape.destination_pitch + r) * size,
            from + std::size_t(b * shape.source_batch_stride + r * shape.source_pitch + c) * size, size);

  move(shape, {source.bytes(), result.bytes(), std::size_t(each.source_shift) * size, to});

  if (std::memcmp(expected.data(), result.data(), expected.size()) == 0) return {};
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != result.bytes()[i])
      return fmt::format("{} of {} bytes: byte {} from the destination's start is 0x{:02x}, not 0x{:02x}; repeat with\n  {}",
                         each.name(), element_size, std::ptrdiff_t(i - to), int(result.bytes()[i]), int(expected[i]),
                         repeat_command(each));
  return {};
}

std::string repeat_command(transpose_case const& each) {
  auto const* const test = testing::UnitTest::GetInstance()->current_test_info();
  return fmt::format("CORNERTURN_CASE={} {} --gtest_filter={}.{}", each.name(), testing::internal::GetArgvs().front(),
                     test->test_suite_name(), test->name());
}

}  // namespace cornerturn::test
