#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cornerturn/error.hpp"
#include "layout/notation.hpp"

// Whatever is read as a layout means the same after it was written and read again, and keeps its promises.

namespace {

using namespace cornerturn;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Messages are a line of printable text, however long and odd what they quote.
void require_sound(error const& e) {
  std::string_view const message = e.what();
  require(e.kind() == error_kind::argument && message.size() < 1000);
  for (char c : message) require(c >= ' ' && c <= '~');
}

void require_same(layout_expression const& a, layout_expression const& b) {
  require(a == b && to_string(a) == to_string(b) && a.extents() == b.extents());
  auto const size = a.size();
  auto const [low, high] = a.offsets();
  require(size >= 1 && size <= kMaxLayoutInteger && low <= high && high < kMaxLayoutInteger);
  std::int64_t product = 1;
  for (auto extent : a.extents()) product *= extent;
  require(product == size);
  for (auto i : {std::int64_t(0), size / 3, size / 2, size - 1}) require(a(i) == b(i) && a(i) >= low && a(i) <= high);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* bytes, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(bytes), size);
  try {
    auto const layout = parse_tile("layout", text, 2).layout;  // of elements that a pointer may point to
    require_same(layout, [&] {
      try {
        return parse_layout("layout", to_string(layout));
      } catch (error const&) {
        // the one text that may not be read again is one that grew too long
        if (to_string(layout).size() > 4096) return layout;
        std::abort();
      }
    }());
  } catch (error const& e) {
    require_sound(e);
  }
  return 0;
}
