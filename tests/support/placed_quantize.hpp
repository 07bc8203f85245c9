#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "support/guarded.hpp"
#include "support/quantized.hpp"

namespace cornerturn::test {

/// Where an array begins: bytes after the beginning of a cache line, and the page beside it.
struct array_place {
  std::size_t into_line;
  guarded::beside where;
};

/// The arrays of a matrix to quantise, each between pages that must not be touched. Values and elements lie at any address, and
/// floats at a multiple of 4.
class placed_quantize {
 public:
  /// `draw` returns the place of the next array.
  placed_quantize(quantized_arrays& arrays, std::function<array_place()> const& draw)
      : arrays_(arrays),
        source_(arrays.elements.size(), draw),
        rows_(arrays.rows.size(), draw),
        columns_(arrays.columns.size(), draw),
        row_scales_(arrays.row_scales.size() * sizeof(float), draw, sizeof(float)),
        column_scales_(arrays.column_scales.size() * sizeof(float), draw, sizeof(float)) {
    std::ranges::copy(arrays.elements, source_.data());
    for_each_output([](std::span<std::byte> array, guarded const& at) { std::ranges::copy(array, at.data()); });
    call_ = arrays.call;
    call_.source = source_.data();
    call_.row_values = rows_.data(), call_.row_scales = reinterpret_cast<float*>(row_scales_.data());
    call_.column_values = columns_.data(), call_.column_scales = reinterpret_cast<float*>(column_scales_.data());
  }

  quantize_call const& call() const { return call_; }
  std::byte const* source() const { return source_.data(); }

  /// Copies what was written back to the arrays. Returns false if another byte was written.
  bool take() {
    bool is_whole = source_.is_whole() && std::ranges::equal(arrays_.elements, source_.bytes());
    for_each_output([&](std::span<std::byte> array, guarded const& at) {
      is_whole &= at.is_whole();
      std::ranges::copy(at.bytes(), array.begin());
    });
    return is_whole;
  }

 private:
  struct placed : guarded {
    placed(std::size_t bytes, std::function<array_place()> const& draw, std::size_t alignment = 1)
        : placed(bytes, draw(), alignment) {}
    placed(std::size_t bytes, array_place const& at, std::size_t alignment)
        : guarded(bytes, at.where, at.into_line / alignment * alignment) {}
  };

  template <class Visit>
  void for_each_output(Visit const& visit) {
    visit(arrays_.rows, rows_), visit(arrays_.columns, columns_);
    visit(std::as_writable_bytes(std::span(arrays_.row_scales)), row_scales_);
    visit(std::as_writable_bytes(std::span(arrays_.column_scales)), column_scales_);
  }

  quantized_arrays& arrays_;
  placed source_, rows_, columns_, row_scales_, column_scales_;
  quantize_call call_;
};

}  // namespace cornerturn::test
