#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cornerturn {

/// The limit of the magnitude of a layout's integers, sizes and offsets, so that they fit CuTe's int and their products fit 64
/// bits.
constexpr std::int64_t kMaxLayoutInteger = 2147483647;

/// The limit of the bytes of a text that is parsed as a layout or as the addresses of lanes.
constexpr std::size_t kMaxTextLength = 4096;

/// An integer of CuTe's notation.
struct layout_integer {
  std::int64_t value = 0;
  bool fixed = false;  ///< static in CuTe, which prints it with an underscore
  bool operator==(layout_integer const&) const = default;
};

/// CuTe's IntTuple: an integer, or a list of one or more tuples.
struct int_tuple {
  layout_integer integer;        ///< the value if `items` is empty
  std::vector<int_tuple> items;  ///< the list; empty: an integer
  bool is_list() const { return !items.empty(); }
  bool operator==(int_tuple const&) const = default;
};

/// The lowest and the highest offset, both inclusive, in elements.
struct offset_range {
  std::int64_t low = 0, high = 0;
};

/// A Layout of CuTe. Its functions expect a layout that `find_problem` accepts.
struct strided_layout {
  int_tuple shape, stride;

  std::int64_t size() const;
  offset_range offsets() const;
  /// Maps a linear coordinate (the first mode is the fastest) to an offset in elements.
  std::int64_t operator()(std::int64_t index) const;
  bool operator==(strided_layout const&) const = default;
};

/// CuTe's Swizzle<bits, base, shift>. For shift > 0 it XORs the `bits` bits at position `base` with the `bits` bits at position
/// base + shift. For shift < 0 it XORs the `bits` bits at position base - shift with the `bits` bits at position `base`.
struct swizzle_bits {
  int bits = 0, base = 0, shift = 0;
  std::int64_t operator()(std::int64_t offset) const;
  bool operator==(swizzle_bits const&) const = default;
};

/// A swizzle, and the offset in elements that CuTe's ComposedLayout adds before the swizzle.
struct swizzle_stage {
  swizzle_bits swizzle;
  layout_integer offset{0, true};
  bool operator==(swizzle_stage const&) const = default;
};

using layout_stage = std::variant<strided_layout, swizzle_stage>;

/// The error in a composition of stages, and its place.
struct layout_problem {
  enum class place { stage, stride, bits, base, shift };
  std::size_t stage = 0;  ///< index of the stage
  place at = place::stage;
  std::string text;
};

/// Checks stages in the order of the notation and returns the first error, if any. A valid composition ends with a strided
/// layout, has congruent shapes and strides, stays within kMaxLayoutInteger, and each stage accepts all offsets of the stage to
/// its right.
std::optional<layout_problem> find_problem(std::span<layout_stage const> stages);

/// Layouts and swizzles composed, as CuTe's notation writes them: A o B o C is A(B(C(index))).
class layout_expression {
 public:
  /// Throws `error` if `find_problem` reports an error.
  explicit layout_expression(std::vector<layout_stage> stages);

  std::vector<layout_stage> const& stages() const { return stages_; }

  /// The last stage, which defines the domain.
  strided_layout const& domain() const { return std::get<strided_layout>(stages_.back()); }
  std::vector<std::int64_t> extents() const;  ///< one per top-level mode
  std::int64_t size() const { return domain().size(); }

  /// The range of offsets over the domain. For several stages it is found by evaluating every index, if that takes fewer than
  /// 2^22 steps (one per index and mode or swizzle); otherwise it is an outer bound.
  offset_range offsets() const;
  /// The highest offset + 1, in elements. Unlike CuTe's cosize it includes the swizzle and the sign of strides.
  std::int64_t cosize() const { return offsets().high + 1; }

  /// Maps a linear coordinate from 0 to size() - 1 (the first mode is the fastest) to an offset in elements.
  std::int64_t operator()(std::int64_t index) const;

  bool operator==(layout_expression const&) const = default;

 private:
  std::vector<layout_stage> stages_;
};

/// The layout of an array of C++ with these extents.
strided_layout row_major(std::vector<std::int64_t> const& extents);

/// The compact column-major stride that CuTe gives a shape without a stride.
int_tuple compact_stride(int_tuple const& shape);

}  // namespace cornerturn
