#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel/rung/programs.hpp"

// docs/ladder.md shows the layouts that the kernels have.

namespace cornerturn {
namespace {

using element = std::uint32_t;
template <rung Rung>
using program = tile::program<Rung, element, 0>;

/// What cute::print writes.
template <class Layout>
std::string printed(Layout const& layout) {
  testing::internal::CaptureStdout();
  cute::print(layout);
  return testing::internal::GetCapturedStdout();
}

/// The lines of a section's blocks: a name, and what stands beside it in the next column.
class lines {
 public:
  template <class Layout>
  lines& add(std::string const& name, Layout const& layout) {
    return add_text(name, printed(layout));
  }
  lines& add_text(std::string name, std::string const& value) {
    name.resize(27, ' ');
    text_ += name + value + "\n";
    return *this;
  }
  std::string const& text() const { return text_; }

 private:
  std::string text_;
};

/// A tile, of an 8192 x 8192 matrix that is transposed, on either side.
constexpr std::int64_t kPitch = 8192;
template <class M, class N>
auto source_of(M m, N n) {
  return cute::make_layout(cute::make_shape(m, n), cute::make_stride(kPitch, cute::_1{}));
}
template <class M, class N>
auto destination_of(M m, N n) {
  return cute::make_layout(cute::make_shape(m, n), cute::make_stride(cute::_1{}, kPitch));
}
template <class Program>
auto const source_tile = source_of(cute::Int<Program::kRows>{}, cute::Int<Program::kCols>{});
template <class Program>
auto const destination_tile = destination_of(cute::Int<Program::kRows>{}, cute::Int<Program::kCols>{});

std::string the_composition() {
  using P = program<rung::vec_both>;
  P::shared_layout const shared;
  P::load_map const load;
  P::store_map const store;
  auto const source = source_of(kPitch, kPitch);
  auto const destination = destination_of(kPitch, kPitch);
  cute::Shape<cute::Int<P::kRows>, cute::Int<P::kCols>> const tile;
  return lines()
      .add("source", source)
      .add("destination", destination)
      .add("tiles of source", zipped_divide(source, tile))
      .add("tiles of destination", zipped_divide(destination, tile))
      .add("source tile", source_tile<P>)
      .add("destination tile", destination_tile<P>)
      .add("load_map", load)
      .add("source o load_map", composition(source_tile<P>, load))
      .add("shared_layout o load_map", composition(shared, load))
      .add("store_map", store)
      .add("shared_layout o store_map", composition(shared, store))
      .add("destination o store_map", composition(destination_tile<P>, store))
      .text();
}

/// Rungs whose maps are shown; those that come next have the same.
constexpr bool shows_maps(rung id) {
  return id == rung::smem_conflict_read || id == rung::vec_conflict_read || id == rung::vec_both;
}
template <rung A, rung B>
constexpr bool same_maps = std::is_same_v<typename program<A>::load_map, typename program<B>::load_map>&&
    std::is_same_v<typename program<A>::store_map, typename program<B>::store_map>;
static_assert(same_maps<rung::smem_conflict_read, rung::smem_conflict_write> &&
              same_maps<rung::smem_conflict_read, rung::smem_padded> && same_maps<rung::smem_conflict_read, rung::smem_swizzled>);
static_assert(same_maps<rung::vec_conflict_read, rung::vec_padded> && same_maps<rung::vec_conflict_read, rung::vec_swizzled>);

/// Rungs of which the document shows where the threads' elements come to lie in shared memory.
constexpr bool composes_loads(rung id) {
  return id == rung::smem_conflict_read || id == rung::smem_conflict_write || id == rung::vec_padded || id == rung::vec_swizzled;
}
constexpr bool composes_map(rung id) { return id == rung::tma_conflict; }
constexpr bool composes_stores(rung id) {
  return id == rung::smem_conflict_read || id == rung::smem_padded || id == rung::smem_swizzled;
}

template <rung Rung>
std::string of_rung() {
  using P = program<Rung>;
  constexpr int M = P::kRows, N = P::kCols;
  lines result;
  result.add_text("tile", std::to_string(M) + "x" + std::to_string(N) + ", " + std::to_string(P::kThreads) + " threads");

  if constexpr (Rung == rung::copy_tma) {
    result.add("source_boxes", tile::source_boxes<element, M, N>{});
  } else if constexpr (requires { typename P::source_layout; }) {
    typename P::destination_layout const to;
    typename P::map const map;
    result.add("source_layout", typename P::source_layout{}).add("destination_layout", to).add("map", map);
    if (composes_map(Rung)) result.add("destination_layout o map", composition(to, map));
  } else if constexpr (requires { typename P::map; }) {
    typename P::map const map;
    result.add("map", map).add("source o map", composition(source_tile<P>, map));
    if (!info_of(Rung).is_copy) result.add("destination o map", composition(destination_tile<P>, map));
  } else if constexpr (!requires { typename P::store_map; }) {
    result.add("shared_layout", typename P::shared_layout{}).add("load_map", typename P::load_map{});
  } else if constexpr (!requires { typename P::shared_layout; }) {
    typename P::load_map const load;
    typename P::store_map const store;
    result.add("load_map", load).add("store_map", store);
    result.add("source o load_map", composition(source_tile<P>, load));
    result.add("destination o store_map", composition(destination_tile<P>, store));
  } else {
    typename P::shared_layout const shared;
    typename P::load_map const load;
    typename P::store_map const store;
    result.add("shared_layout", shared);
    if (shows_maps(Rung)) result.add("load_map", load).add("store_map", store);
    if (composes_loads(Rung)) result.add("shared_layout o load_map", composition(shared, load));
    if (composes_stores(Rung)) result.add("shared_layout o store_map", composition(shared, store));
  }
  return result.text();
}

struct section {
  std::string heading, blocks;  ///< the lines between ```text and ```
};

std::string heading_of(rung_info const& each) { return "`" + std::string(each.name) + "`"; }

std::vector<section> written() {
  std::ifstream file(CORNERTURN_LADDER);
  std::vector<section> result(1);
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```"))
      inside = line == "```text";
    else if (inside)
      result.back().blocks += line + "\n";
    else if (line.starts_with("## "))
      result.push_back({line.substr(3), ""});
  }
  return result;
}

TEST(ladder_document, has_the_rungs_in_their_order) {
  std::vector<std::string> headings, expected;
  for (auto const& each : written())
    if (each.heading.starts_with('`')) headings.push_back(each.heading);
  for (auto const& each : kRungs) expected.push_back(heading_of(each));
  EXPECT_EQ(headings, expected);
}

TEST(ladder_document, shows_the_layouts_as_they_are) {
  std::map<std::string, std::string> expected{{"All layouts of `vec-both`", the_composition()}};
  [&]<std::size_t... I>(std::index_sequence<I...>) { ((expected[heading_of(kRungs[I])] = of_rung<kRungs[I].id>()), ...); }
  (std::make_index_sequence<kRungs.size()>{});

  for (auto const& each : written()) {
    EXPECT_EQ(each.blocks, expected[each.heading]) << "'" << each.heading << "' should show\n" << expected[each.heading];
    expected.erase(each.heading);
  }
  for (auto const& [heading, text] : expected) ADD_FAILURE() << "there is no section '" << heading << "'";
}

}  // namespace
}  // namespace cornerturn
