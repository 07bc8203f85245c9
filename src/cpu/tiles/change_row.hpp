#pragma once

#include <cstddef>
#include <cstdint>

#include "cornerturn/element_operation.hpp"
#include "cpu/tiles/change_panel.hpp"
#include "element/apply.hpp"
#include "machine/cpu_model.hpp"

namespace cornerturn::cpu {

/// The elements of an operation's scale and bias for one row: the first one, and the distance from one to the next.
struct row_factors {
  std::int64_t first = 0, step = 0;
};

/// Changes elements by one operation, with this processor's vector instructions. Addresses need no alignment.
class element_changer {
 public:
  /// `at_once` is the number of elements between two stages, at most `cpu_limits::kMostAtOnce`; real elements with scale or bias
  /// are twice as many.
  explicit element_changer(element_operation const& operation, std::int64_t at_once = cpu_limits::kMostAtOnce);

  /// Changes `count` elements that are contiguous on both sides. If the operation's beta is not 0, the destination must hold its
  /// old elements. `along` is used only if the operation has scale or bias.
  void row(std::byte const* from, std::byte* to, std::int64_t count, row_factors const& along = {}) const {
    functions_.row(*this, from, to, count, along);
  }

  /// True if `stream` may be called.
  bool has_stream() const { return functions_.stream; }

  /// Changes elements as `row` does, and stores them past the caches. The destination begins and ends with a cache line. The
  /// caller ends with `end_streams`.
  void stream(std::byte const* from, std::byte* to, std::int64_t count, row_factors const& along = {}) const {
    functions_.stream(*this, from, to, count, along);
  }

  /// Makes one cache line of each of `count` rows, from the elements that begin `at` bytes after the row's address. The lines are
  /// contiguous. The operation must not have beta, scale or bias.
  void lines(std::byte const* const* rows, std::int64_t at, std::int64_t count, std::byte* to) const {
    functions_.lines(*this, rows, at, count, to);
  }

  /// Transposes the rows of a panel and changes their elements by its `panel_changer`. Returns 0 if there is none.
  offset transpose(streamed_panel const& rows) const { return panel_ ? panel_(rows) : 0; }

  /// The functions for an operation. Elements of types without a loop of their own change in three stages. Between the stages,
  /// numbers are in the level 1 cache, as floats, doubles or, if nothing is computed, 64-bit integers.
  struct functions {
    using change_row = void(element_changer const&, std::byte const* from, std::byte* to, std::int64_t count, row_factors const&);
    change_row *row = nullptr, *stream = nullptr;
    void (*lines)(element_changer const&, std::byte const* const* rows, std::int64_t at, std::int64_t count,
                  std::byte* to) = nullptr;
    void (*load)(std::byte const* from, void* numbers, std::int64_t count) = nullptr;      ///< reads the source
    void (*load_old)(std::byte const* from, void* numbers, std::int64_t count) = nullptr;  ///< reads the destination
    void (*store)(void const* numbers, std::byte* to, std::int64_t count, bool saturate) = nullptr;
    using swap_bytes = void(std::byte const* from, std::byte* to, std::int64_t count);
    swap_bytes *swap_source = nullptr, *swap_destination = nullptr;  ///< of a side's numbers; null if they are not swapped
  };

  element::factors factors;
  void const *scale, *bias;                              ///< the addresses that the operation has
  std::int64_t source_size, destination_size;            ///< bytes of an element
  std::int64_t source_parts = 1, destination_parts = 1;  ///< numbers of an element: 2 if it is complex
  std::int64_t at_once;                                  ///< elements between two stages
  functions const& stages() const { return functions_; }

 private:
  functions functions_;
  panel_changer panel_;
};

}  // namespace cornerturn::cpu
