#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cornerturn {

/// No integer, size or offset of a layout is past this, nor below its negative: products of two fit 64 bits, all fit CuTe's int.
constexpr std::int64_t kMaxLayoutInteger = 2147483647;

struct layout_integer {
  std::int64_t value = 0;
  bool fixed = false;  ///< known at compile time in CuTe, which prints it with an underscore
  bool operator==(layout_integer const&) const = default;
};

/// CuTe's IntTuple: an integer, or a list of one or more tuples.
struct int_tuple {
  layout_integer integer;        ///< where there is no list
  std::vector<int_tuple> items;  ///< empty: an integer
  bool is_list() const { return !items.empty(); }
  bool operator==(int_tuple const&) const = default;
};

struct offset_range {
  std::int64_t low = 0, high = 0;
};

/// A Layout of CuTe. Its functions want what `find_problem` accepts.
struct strided_layout {
  int_tuple shape, stride;

  std::int64_t size() const;
  offset_range offsets() const;  ///< lowest and highest
  /// The index is the linear coordinate: the first mode runs fastest.
  std::int64_t operator()(std::int64_t index) const;
  bool operator==(strided_layout const&) const = default;
};

/// A Swizzle of CuTe: XORs the `bits` bits from base on with as many that lie `shift` further up (negative: further down, and
/// then it is those that change).
struct swizzle_bits {
  int bits = 0, base = 0, shift = 0;
  std::int64_t operator()(std::int64_t offset) const;
  bool operator==(swizzle_bits const&) const = default;
};

/// A swizzle and the offset that CuTe's ComposedLayout adds before it.
struct swizzle_stage {
  swizzle_bits swizzle;
  layout_integer offset{0, true};
  bool operator==(swizzle_stage const&) const = default;
};

using layout_stage = std::variant<strided_layout, swizzle_stage>;

/// What is wrong with a composition, and where.
struct layout_problem {
  enum class place { stage, stride, bits, base, shift };
  std::size_t stage = 0;
  place at = place::stage;
  std::string text;
};

/// Nothing where the stages, in the order of the notation, make a layout: the last is strided, shapes and strides are congruent,
/// all stays within kMaxLayoutInteger, each stage can take whatever the one after it gives.
std::optional<layout_problem> find_problem(std::span<layout_stage const> stages);

/// Layouts and swizzles composed, as CuTe's notation writes them: A o B o C is A(B(C(index))).
class layout_expression {
 public:
  /// Throws `error` where `find_problem` finds one.
  explicit layout_expression(std::vector<layout_stage> stages);

  std::vector<layout_stage> const& stages() const { return stages_; }

  /// The domain is that of the last stage; rank and extents are those of its outermost list.
  strided_layout const& domain() const { return std::get<strided_layout>(stages_.back()); }
  int rank() const;
  std::vector<std::int64_t> extents() const;
  std::int64_t size() const { return domain().size(); }

  /// The lowest and the highest value over the whole domain. Behind a swizzle or another layout they are found by looking at all,
  /// as long as that takes fewer than 2^22 steps (an index takes one for each mode and swizzle); after that they are bounds.
  offset_range offsets() const;
  /// The highest offset + 1. CuTe leaves the swizzle out of its own and takes negative strides for positive ones.
  std::int64_t cosize() const { return offsets().high + 1; }

  /// `index` is from 0 to size() - 1, and means the coordinate in which the first mode runs fastest.
  std::int64_t operator()(std::int64_t index) const;
  /// One coordinate for each top-level mode, from 0 to its extent - 1.
  std::int64_t operator()(std::span<std::int64_t const> coordinates) const;

  bool operator==(layout_expression const&) const = default;

 private:
  std::vector<layout_stage> stages_;
};

/// The stride that CuTe gives a shape without one: the first mode runs fastest, without gaps.
int_tuple compact_stride(int_tuple const& shape);

}  // namespace cornerturn
