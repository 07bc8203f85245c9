#include "explain/picture.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "cornerturn/text.hpp"
#include "cornerturn/trace.hpp"
#include "explain/instructions.hpp"
#include "explain/requests.hpp"

namespace cornerturn {
namespace {

constexpr int kCorner = 32;      // the picture has the first 32 rows and columns of a tile
constexpr int kTileSectors = 8;  // number of different colours of sectors
constexpr std::size_t kMostLines = 12;
static_assert(svg::kScales == std::array{kTileSectors, kBanks});

// Tiles, banks and lines stand in one grid of 32 columns, with names of the rows on its left.
constexpr double kLeft = svg::kMargin + 64, kColumn = 28;

void name_row(svg& picture, double height, std::string_view name) {
  picture.label("l", kLeft - 8, picture.y + height / 2 + 4, name);
}

/// Draws the colour of each bank or sector, and below it a gap.
void draw_pieces(svg& picture, std::string_view name, int pieces, double height, double gap) {
  name_row(picture, height, name);
  for (int i = 0; i < pieces; ++i)
    picture.cell(kLeft + i * kColumn, picture.y, kColumn, height, svg::piece(i, pieces), fmt::format("{}", i));
  picture.y += height + gap;
}

void draw_cells(svg& picture, tile_map const& tile, std::vector<std::int64_t> const& offsets, int element_size) {
  constexpr double kHeight = 17;
  bool const shared = tile.space == memory_space::shared;
  int const piece = shared ? kBankBytes : kSectorBytes, pieces = shared ? kBanks : kTileSectors;
  for (int r = 0; r < std::min(tile.rows, kCorner); ++r, picture.y += kHeight) {
    name_row(picture, kHeight, fmt::format("row {}", r));
    for (int c = 0; c < std::min(tile.cols, kCorner); ++c) {
      auto const at = std::size_t(r * tile.cols + c);
      int const number = int(offsets[at] * element_size / piece % pieces), thread = tile.threads[at];
      picture.cell(kLeft + c * kColumn, picture.y, kColumn, kHeight, svg::piece(number, pieces),
                   thread < 0 ? "" : fmt::format("{}", thread));
    }
  }
  picture.y += 6;
}

/// The same request in the tile without its swizzle; empty if no tile is swizzled, or if the lanes are outside the tile.
std::optional<memory_request> without_swizzle(memory_request each, memory_instruction const& of,
                                              std::vector<tile_map> const& tiles, int element_size) {
  for (auto const& tile : tiles) {
    if (tile.unswizzled.empty()) continue;
    std::unordered_map<std::int64_t, std::int64_t> plain;  // from the offset with the swizzle to the offset without
    for (std::size_t i = 0; i < tile.offsets.size(); ++i) plain[tile.offsets[i]] = tile.unswizzled[i];
    if (!std::ranges::all_of(each.lanes, [&](auto const& lane) { return plain.contains(lane.address / element_size); })) continue;
    request moved{0, 0, {}};
    for (auto& lane : each.lanes) {
      lane.address = plain[lane.address / element_size] * element_size;
      moved.lanes.push_back({.thread = lane.lane,
                             .space = memory_space::shared,
                             .store = of.store,
                             .active = lane.active,
                             .address = std::uint64_t(lane.address),
                             .bytes = of.bytes});
    }
    auto const served = wavefront_of_lanes(moved);
    for (std::size_t i = 0; i < served.size(); ++i) each.lanes[i].wavefront = served[i];
    each.wavefronts = wavefronts(moved);
    return each;
  }
  return std::nullopt;
}

/// The text of a cell: "4+" for lane 4 and others.
std::string number_of(int first, std::size_t lanes) { return fmt::format("{}{}", first, lanes > 1 ? "+" : ""); }

void draw_banks(svg& picture, memory_request const& each, int bytes) {
  constexpr double kHeight = 16;
  draw_pieces(picture, "bank", kBanks, kHeight, 2);
  std::map<std::pair<int, int>, std::pair<int, std::size_t>> lanes;  // by wavefront and bank: first lane, number of lanes
  for (auto const& lane : each.lanes)
    if (lane.active)
      for (auto word = lane.address / kBankBytes; word <= (lane.address + bytes - 1) / kBankBytes; ++word) {
        auto& [first, count] = lanes[{lane.wavefront, int(word % kBanks)}];
        if (count++ == 0) first = lane.lane;
      }
  for (int wavefront = 0; wavefront < each.wavefronts; ++wavefront, picture.y += kHeight) {
    name_row(picture, kHeight, fmt::format("{}", wavefront));
    picture.box(kLeft, picture.y, kBanks * kColumn, kHeight, "empty");
    for (int bank = 0; bank < kBanks; ++bank) {
      auto const found = lanes.find({wavefront, bank});
      if (found != lanes.end())
        picture.cell(kLeft + bank * kColumn, picture.y, kColumn, kHeight, svg::piece(bank, kBanks),
                     number_of(found->second.first, found->second.second));
    }
  }
  picture.y += 6;
}

void draw_sectors(svg& picture, memory_request const& each, int bytes) {
  constexpr double kByte = kColumn / kBankBytes, kHeight = 18;
  std::map<std::int64_t, std::map<std::int64_t, std::vector<int>>> lines;  // lanes by address, for each line
  for (auto const& lane : each.lanes)
    if (lane.active)
      for (auto line = lane.address / kLineBytes; line <= (lane.address + bytes - 1) / kLineBytes; ++line)
        lines[line][lane.address].push_back(lane.lane);

  std::size_t drawn = 0;
  for (auto const& [line, lanes] : lines) {
    if (drawn++ == kMostLines) break;
    name_row(picture, kHeight, fmt::format("{}", line * kLineBytes));
    for (int sector = 0; sector < kLineBytes / kSectorBytes; ++sector)
      picture.box(kLeft + sector * kSectorBytes * kByte, picture.y, kSectorBytes * kByte, kHeight, "unused");
    for (auto const& [address, alike] : lanes) {
      auto const begin = std::max(address, line * kLineBytes), end = std::min(address + bytes, (line + 1) * kLineBytes);
      auto const width = double(end - begin) * kByte, left = kLeft + double(begin % kLineBytes) * kByte;
      for (auto piece = begin; piece < end; piece = (piece / kSectorBytes + 1) * kSectorBytes) {
        auto const next = std::min(end, (piece / kSectorBytes + 1) * kSectorBytes);
        picture.box(kLeft + double(piece % kLineBytes) * kByte, picture.y, double(next - piece) * kByte, kHeight,
                    svg::piece(int(piece / kSectorBytes % kTileSectors), kTileSectors));
      }
      if (width >= 12) picture.label("n", left + width / 2, picture.y + kHeight / 2 + 3, number_of(alike.front(), alike.size()));
    }
    picture.y += kHeight + 3;
  }
  if (lines.size() > kMostLines) picture.note(fmt::format("… and {} more lines", lines.size() - kMostLines));
  picture.y += 6;
}

void draw_lines(svg& picture, memory_request const& sample, memory_instruction const& each, int sectors) {
  picture.note(fmt::format(
      "{}; a row is a 128-byte cache line from its first byte, a number is a {}, a colour is a sector, its number modulo 8.",
      count_text(sectors, "sector"), each.box ? "row of the box" : "lane"));
  draw_sectors(picture, sample, each.bytes);
}

/// Names the request that is drawn, e.g. "warp 0, occurrence 3, 9 of 32 lanes". The first number counts the active lanes.
std::string heading_of(memory_request const& sample, memory_instruction const& of) {
  auto const active = std::ranges::count_if(sample.lanes, &lane_access::active);
  return fmt::format("{} request of the {}: warp {}, occurrence {}{}", excess(sample) > 1 ? "The costliest" : "A", name_of(of),
                     sample.warp, sample.occurrence, of.box ? "" : fmt::format(", {} of {} lanes", active, kWarp));
}

/// The words for a rung's i-th tile. If there are two tiles, TMA fills the first and stores the second.
tile_words words_of(explanation const& explained, std::size_t i) {
  if (explained.tiles[i].space == memory_space::global) return {"of the source matrix", kLoadingThread};
  if (explained.tiles.size() == 1) return {"in shared memory", kStoringThread};
  if (i == 0) return {"in shared memory, as TMA fills it from the source", kLoadingThread};
  return {"in shared memory, as TMA stores it to the destination", kStoringThread};
}

}  // namespace

void draw_tile(svg& picture, tile_map const& tile, int element_size, tile_words const& words) {
  bool const shared = tile.space == memory_space::shared;
  bool const corner = tile.rows > kCorner || tile.cols > kCorner;
  picture.heading(
      fmt::format("Tile of {} rows and {} columns {}{}", tile.rows, tile.cols, words.place, corner ? " (its corner)" : ""));
  picture.note(fmt::format("Colour: {}. Number: {}.",
                           shared && element_size > kBankBytes ? "the first of its banks"
                           : shared                            ? "bank"
                                                               : fmt::format("sector, its number modulo {}", kTileSectors),
                           words.number));
  picture.y += 4;
  draw_pieces(picture, shared ? "banks" : "sectors", shared ? kBanks : kTileSectors, 14, 8);
  draw_cells(picture, tile, tile.offsets, element_size);
  if (tile.unswizzled.empty()) return;
  picture.note("The same without the swizzle:");
  picture.y += 4;
  draw_cells(picture, tile, tile.unswizzled, element_size);
}

void draw_requests(svg& picture, std::vector<memory_instruction> const& instructions, std::vector<tile_map> const& tiles,
                   int element_size) {
  for (auto const& each : instructions) {
    auto const& sample = worst_sample(each);
    picture.heading(heading_of(sample, each));
    if (each.space == memory_space::shared) {
      picture.note(fmt::format("{}; a row is a wavefront, a number is a lane, a colour is a bank.",
                               count_text(sample.wavefronts, "wavefront")));
      draw_banks(picture, sample, each.bytes);
      if (auto const plain = without_swizzle(sample, each, tiles, element_size)) {
        picture.note(fmt::format("Without the swizzle: {}.", count_text(plain->wavefronts, "wavefront")));
        draw_banks(picture, *plain, each.bytes);
      }
    } else {
      draw_lines(picture, sample, each, sample.sectors);
    }
  }
}

void draw_as_global(svg& picture, std::vector<memory_instruction> const& instructions) {
  for (auto const& each : instructions) {
    if (each.ideal_sectors == 0) continue;
    auto const& sample = worst_sample(each);
    std::set<std::int64_t> sectors;
    for (auto const& lane : sample.lanes)
      for (int byte = 0; lane.active && byte < each.bytes; ++byte) sectors.insert((lane.address + byte) / kSectorBytes);
    picture.heading(fmt::format("The same request of the {}, if the tile is in global memory", each.store ? "store" : "load"));
    draw_lines(picture, sample, each, int(sectors.size()));
  }
}

std::string picture_of(explanation const& explained) {
  svg picture;
  picture.heading(fmt::format("{}: {} x {} {}", explained.rung, explained.rows, explained.cols, explained.type));
  if (!explained.unavailable.empty()) {
    picture.note(fmt::format("n/a: {}", explained.unavailable));
  } else {
    picture.note(fmt::format("{} threads per block; {}", explained.threads, explained.idea));
    for (std::size_t i = 0; i < explained.tiles.size(); ++i)
      draw_tile(picture, explained.tiles[i], explained.element_size, words_of(explained, i));
    draw_requests(picture, explained.instructions, explained.tiles, explained.element_size);
  }
  return picture.finished();
}

std::string picture_of(std::vector<traced_kernel> const& all) {
  svg picture;
  for (auto const& each : all) {
    picture.heading(each.rung);
    picture.note(fmt::format("{} of {} in the trace; {}", count_text(each.blocks, "block"), count_text(each.threads, "thread"),
                             each.idea));
    draw_requests(picture, each.instructions, each.tiles, each.element_size);
  }
  return picture.finished();
}

std::string picture_of(code_explanation const& explained) {
  svg picture;
  picture.heading(fmt::format("A block of {} threads; {}", explained.block, explained.idea));
  for (auto const& tile : explained.tiles)
    draw_tile(picture, tile, explained.element_size,
              {"in shared memory", "the thread that stores the element, else the one that loads it"});
  draw_requests(picture, explained.instructions, explained.tiles, explained.element_size);
  return picture.finished();
}

}  // namespace cornerturn
