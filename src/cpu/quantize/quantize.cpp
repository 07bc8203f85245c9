#include "cpu/quantize/plan.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "cpu/quantize/amax.hpp"
#include "cpu/run.hpp"
#include "cpu/tiles/change_row.hpp"
#include "cpu/tiles/tiles.hpp"
#include "kernel/quantize/job.hpp"
#include "problem/canonical.hpp"

namespace cornerturn::cpu {
namespace {

constexpr int kTile = kScaleTile;

using bits = std::int32_t;

void raise(std::atomic<bits>& most, bits to) {
  auto seen = most.load(std::memory_order_relaxed);
  while (seen < to && !most.compare_exchange_weak(seen, to, std::memory_order_relaxed)) continue;
}

/// The magnitudes that tiles share: of all elements and, with `scale_blocks::rows`, of the rows and columns of the matrix.
struct shared_amax {
  std::vector<std::atomic<bits>> rows, columns;
  std::atomic<bits> all = 0;
};

/// The place of a tile in the matrix.
struct tile_place {
  std::int64_t row, col, rows, cols;  ///< the first row and column, and the numbers of both
};

/// The buffers of a thread, in its caches, and the work on one tile.
class tile_work {
 public:
  tile_work(quantization const& given, void const* source, shared_amax& shared)
      : given_(given),
        source_(static_cast<std::byte const*>(source)),
        shared_(shared),
        read_({.source = given.source_type,
               .destination = element_type::f32,
               .scale = given.source_scales ? source_scales_.data() : nullptr}),
        numbers_(std::make_unique<float[]>(kTile * kTile)),
        values_(std::make_unique_for_overwrite<std::byte[]>(kTile * kTile)),
        write_({.source = element_type::f32, .destination = given.type, .saturate = true, .scale = factors_.data()}) {}
  tile_work(tile_work const&) = delete;

  /// Reads a tile and finds the magnitudes of its rows and columns.
  void read(tile_place const& at) {
    auto const size = size_of(given_.source_type);
    // Columns past the end count as 0, so that all rows have whole vectors.
    if (at.cols < kTile) std::fill_n(numbers_.get(), kTile * kTile, 0.0f);
    auto const* const scales = given_.source_scales ? given_.source_scales + at.row * given_.source_scale_row_stride +
                                                          at.col / kTile * given_.source_scale_block_stride
                                                    : nullptr;
    for (std::int64_t r = 0; r < at.rows; ++r) {
      if (scales) source_scales_[std::size_t(r)] = scales[r * given_.source_scale_row_stride];
      read_.row(source_ + ((at.row + r) * given_.pitch + at.col) * size, reinterpret_cast<std::byte*>(&numbers_[r * kTile]),
                at.cols, {r, 0});
    }
    row_amax_.fill(0), column_amax_.fill(0);
    raise_amax(numbers_.get(), at.rows, row_amax_.data(), column_amax_.data());
  }

  /// Merges the magnitudes of a tile into the shared ones.
  void share(tile_place const& at) {
    for (std::int64_t r = 0; r < std::ssize(shared_.rows) - at.row && r < at.rows; ++r)
      raise(shared_.rows[std::size_t(at.row + r)], row_amax_[std::size_t(r)]);
    for (std::int64_t c = 0; c < std::ssize(shared_.columns) - at.col && c < at.cols; ++c)
      raise(shared_.columns[std::size_t(at.col + c)], column_amax_[std::size_t(c)]);
    raise(shared_.all, *std::ranges::max_element(row_amax_));
  }

  void write(tile_place const& at) {
    if (given_.blocks == scale_blocks::squares) {
      auto const most = *std::ranges::max_element(row_amax_);
      row_amax_.fill(most), column_amax_.fill(most);
    }
    if (given_.blocks == scale_blocks::rows) {
      for (std::int64_t r = 0; r < at.rows; ++r) row_amax_[std::size_t(r)] = shared_.rows[std::size_t(at.row + r)];
      for (std::int64_t c = 0; c < at.cols; ++c) column_amax_[std::size_t(c)] = shared_.columns[std::size_t(at.col + c)];
    }
    if (given_.row_wise.values) write_rows(at);
    if (given_.column_wise.values) write_columns(at);
  }

 private:
  /// Computes the factors of `count` rows of an output from row `first` on, and stores their scales. `block` is the index of the
  /// tile along these rows.
  void scale(quantized_matrix const& output, std::int64_t first, std::int64_t count, std::int64_t block,
             std::array<bits, kTile> const& amax) {
    if (given_.blocks == scale_blocks::tensor) return factors_.fill(given_.given.factor);
    for (std::int64_t i = 0; i < count; ++i) {
      auto const each = element::scale_of(std::bit_cast<float>(amax[std::size_t(i)]), given_.recipe);
      factors_[std::size_t(i)] = each.factor;
      bool const is_square = given_.blocks == scale_blocks::squares, is_row = given_.blocks == scale_blocks::rows;
      if ((is_square && i > 0) || (is_row && block > 0)) continue;
      auto const row = is_square ? first / kTile : first + i;
      output.scales[row * output.scale_row_stride + block * output.scale_block_stride] = each.scale;
    }
  }

  void write_rows(tile_place const& at) {
    auto const& output = given_.row_wise;
    scale(output, at.row, at.rows, at.col / kTile, row_amax_);
    auto* const to = static_cast<std::byte*>(output.values) + at.row * output.pitch + at.col;
    for (std::int64_t r = 0; r < at.rows; ++r) write_.row(number_at(r), to + r * output.pitch, at.cols, {r, 0});
  }

  void write_columns(tile_place const& at) {
    auto const& output = given_.column_wise;
    scale(output, at.col, at.cols, at.row / kTile, column_amax_);
    for (std::int64_t r = 0; r < at.rows; ++r) write_.row(number_at(r), &values_[std::size_t(r * kTile)], at.cols, {0, 1});
    run_alone(transpose_of(at), values_.get(), static_cast<std::byte*>(output.values) + at.col * output.pitch + at.row);
  }

  std::byte const* number_at(std::int64_t row) const { return reinterpret_cast<std::byte const*>(&numbers_[row * kTile]); }

  /// The plan that transposes the values of a tile to the output. It is kept, because neighbouring tiles mostly have equal plans.
  cpu_plan const& transpose_of(tile_place const& at) {
    if (at.rows != planned_.rows || at.cols != planned_.cols) {
      planned_ = at;
      transpose_ =
          plan_cpu(canonical({.modes = {{at.rows, kTile, 1}, {at.cols, 1, given_.column_wise.pitch}}, .element_size = 1}));
    }
    return transpose_;
  }

  quantization const& given_;
  std::byte const* source_;
  shared_amax& shared_;
  std::array<float, kTile> source_scales_{};
  element_changer read_;  ///< multiplies by `source_scales_`, if there are any
  std::unique_ptr<float[]> numbers_;
  std::unique_ptr<std::byte[]> values_;
  std::array<float, kTile> factors_{};
  element_changer write_;  ///< multiplies by `factors_`
  std::array<bits, kTile> row_amax_{}, column_amax_{};
  tile_place planned_{};
  cpu_plan transpose_;
};

}  // namespace

void run(cpu_quantize const& plan, void const* source, void*, run_context const& context) {
  auto const& call = *static_cast<quantize_call const*>(source);
  auto given = quantization_of(plan.layout, call);
  if (float scale; given.scale_address) {
    std::memcpy(&scale, given.scale_address, sizeof scale);  // host memory may be unaligned
    given.given = element::given_scale(scale);
  }
  auto const tiles = given.tiles();
  int const count =
      threads_for(tiles, tiles, {.most = plan.threads.most, .share = plan.threads.quantized_tiles}, context.workers);
  shared_amax shared;
  bool const by_rows = given.blocks == scale_blocks::rows;
  if (by_rows) {
    shared.rows = std::vector<std::atomic<bits>>(std::size_t(given.rows));
    shared.columns = std::vector<std::atomic<bits>>(std::size_t(given.cols));
  }
  auto const sweep = [&](auto const& visit) {
    do_parts(context.workers, count, [&](int index) {
      tile_work work(given, call.source, shared);
      for (auto tile = tiles * index / count; tile < tiles * (index + 1) / count; ++tile) {
        auto const row = tile / given.tile_cols() * kTile, col = tile % given.tile_cols() * kTile;
        tile_place const at{row, col, std::min<std::int64_t>(kTile, given.rows - row),
                            std::min<std::int64_t>(kTile, given.cols - col)};
        work.read(at);
        visit(work, at);
      }
    });
  };
  if (by_rows) sweep([](tile_work& work, tile_place const& at) { work.share(at); });
  sweep([&](tile_work& work, tile_place const& at) {
    if (!by_rows && given.amax) work.share(at);
    work.write(at);
  });
  if (given.amax) *given.amax = std::bit_cast<float>(shared.all.load());
}

}  // namespace cornerturn::cpu
