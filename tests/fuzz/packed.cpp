#include <fmt/format.h>

#include <algorithm>

#include "api/rearrange_bits.hpp"
#include "cpu/bits/transpose.hpp"
#include "fuzz/check.hpp"
#include "fuzz/places.hpp"
#include "pattern/packed_boxes.hpp"
#include "support/packed.hpp"
#include "support/packed_moves.hpp"

namespace cornerturn::fuzz {
namespace {

/// What a call of packed elements decides besides their bits and order.
struct packed_call {
  std::string_view way, size = "within the caches";
  std::byte const* result;
  std::string wrong;
};

struct drawn_arrays {
  std::span<std::byte> source, result;

  drawn_arrays(random_source& random, memories& in, test::bytes_list const& from, test::bytes_list const& to)
      : source(in.source.place(from.size(), {random.one_in(2), random_into_line(random)})),
        result(in.destination.place(to.size(), {random.one_in(2), random_into_line(random)})) {
    std::ranges::copy(from, source.begin()), std::ranges::copy(to, result.begin());
  }
};

std::string wrong_in(std::span<std::byte const> result, test::bytes_list const& wanted, memories const& in) {
  if (!std::ranges::equal(result, wanted)) return "a byte is wrong";
  return in.source.is_whole() && in.destination.is_whole() ? "" : "a byte outside the arrays was written";
}

/// A rearrangement, often padded or cropped.
packed_call move(random_source& random, memories& in, bit_packing& packed, int threads) {
  auto each = test::random_packed_move(random.generator32()());
  while (!each.has_result()) each = test::random_packed_move(random.generator32()());
  packed = each.packed;
  drawn_arrays const arrays(random, in, each.source, each.destination);
  auto* const to = arrays.result.data() + each.destination_first;
  rearrange_bits(arrays.source.data() + each.source_first, to, each.move,
                 {.pad = &each.pad,
                  .bits = packed.bits,
                  .order = packed.first_is_highest ? bit_order::big : bit_order::little,
                  .processor = processor_kind::cpu,
                  .threads = threads});
  auto const boxes = packed_boxes_of(each.move, packed);
  return {.way = !boxes                  ? "one by one"
                 : boxes->has_matrices() ? "matrices"
                                         : "whole bytes",
          .result = to,
          .wrong = wrong_in(arrays.result, test::moved_plainly(each), in)};
}

/// Matrices whose rows have a few cache lines, and parts of lines, on both sides. A large result is stored past the caches where
/// rows keep lines.
packed_call transpose(random_source& random, memories& in, bit_packing& packed, int threads) {
  constexpr std::int64_t kLarge = 9 << 19;
  packed = {random.one_of({4, 2, 1}), random.one_in(2)};
  auto const gap = [&](std::int64_t row) {
    return random.one_in(2) ? -row & std::int64_t(arena::kLine - 1) : random.one_in(2) ? random.between(0, 70) : 0;
  };
  test::packed_case each{random.size(8), random.size(8)};
  bool const is_large = random.one_in(64);
  if (is_large) each.destination_row = kLarge / (each.source_row * packed.per_byte()) + 1;
  if (!is_large) each.source_gap = gap(each.source_row);
  each.destination_gap = gap(each.destination_row);
  each.count = is_large ? 1 : random.between(1, 3);
  each.apart = random.one_in(2) ? 0 : random.between(0, 70);
  auto const all = each.matrices(packed);
  auto const& outer = all.outer.front();
  auto const source = test::filled(outer.extent * outer.source_stride);
  auto wanted = test::filled(outer.extent * outer.destination_stride);
  drawn_arrays const arrays(random, in, source, wanted);
  cpu::transpose_packed(arrays.source.data(), arrays.result.data(), all, threads);
  test::transpose_plainly(source.data(), wanted.data(), all);
  return {.way = "matrices",
          .size = is_large ? "past the caches" : "within the caches",
          .result = arrays.result.data(),
          .wrong = wrong_in(arrays.result, wanted, in)};
}

}  // namespace

std::string check_packed(random_source& random, memories& in, std::string_view target, decision_counts& counts) {
  auto const threads = random.one_of({0, 1, 2, 3});
  bit_packing packed{};
  auto const call = random.one_in(2) ? move(random, in, packed, threads) : transpose(random, in, packed, threads);
  counts.add(
      "packed elements",
      {packed.bits == 4   ? "4 bits"
       : packed.bits == 2 ? "2 bits"
                          : "1 bit",
       packed.first_is_highest ? "highest" : "lowest", call.way, call.size,
       begins_a_line(call.result) ? "begins a line" : "begins within a line", threads == 1 ? "one thread" : "several threads"},
      target);
  return call.wrong.empty() ? "" : fmt::format("{}: elements of {} bits as {}", call.wrong, packed.bits, call.way);
}

}  // namespace cornerturn::fuzz
