#include "explain/layout_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "cornerturn/text.hpp"
#include "explain/instructions.hpp"
#include "explain/requests.hpp"
#include "explain/suggest.hpp"

namespace cornerturn {
namespace {

std::int64_t wavefronts_in(pattern const& moved, layout_expression const& layout) {
  return count(moved, layout, memory_space::shared).wavefronts;
}

/// The elements of the least padding that keeps vectors aligned and moves a row by a bank.
int least_padding(pattern const& moved) { return std::max(moved.vector, kBankBytes / moved.element_size); }

/// The fewest wavefronts that any padding of the layout takes; at most `now`.
std::int64_t with_padding(pattern const& moved, strided_layout const& layout, std::int64_t now) {
  auto const pad = least_padding(moved);
  for (auto const wide : wide_strides(layout))
    now = std::min(now, wavefronts_in(moved, layout_expression({padded(layout, wide, pad)})));
  return now;
}

/// Suggests a wider vector if a thread's values are contiguous and a wider vector takes fewer wavefronts.
std::string wider_vector(tile_access const& access, layout_expression const& layout, std::int64_t now) {
  if (!access.copy) return "";
  int const size = access.copy->element_size;
  for (int bytes = 16; bytes > access.copy->vector * size; bytes /= 2) {
    auto copy = *access.copy;
    copy.vector = bytes / size;
    if (copy.values.size() % copy.vector) continue;
    pattern const moved{vectors_of(copy, layout.extents(), access.prefix), copy.vector, size, access.moved.store};
    bool const within = std::ranges::none_of(moved.vectors, [](auto const& each) { return each.elements.empty(); });
    if (!within || !possible(moved, layout)) continue;
    if (auto const then = wavefronts_in(moved, layout); then < now)
      return fmt::format("a thread's values are contiguous: a vector of {} bytes moves them in {} instead of {}", bytes,
                         count_text(then, "wavefront"), now);
  }
  return "";
}

/// A hint if the layout's swizzle is one of TMA's modes in bytes, although a layout counts elements.
std::string bytes_for_elements(layout_expression const& layout, int element_size) {
  if (!tma_mode_of(layout, 1) || tma_mode_of(layout, element_size)) return "";
  auto const swizzle = std::get<swizzle_stage>(layout.stages().front()).swizzle;
  int const base = std::bit_width(unsigned(kUnitBytes / element_size)) - 1;
  return fmt::format(
      "Swizzle<{0},{1},{2}> is a mode of TMA in bytes, but here it counts elements of {4} bytes, for which that mode "
      "is Swizzle<{0},{3},{2}>; or ",
      swizzle.bits, swizzle.base, swizzle.shift, base, element_size);
}

remark remark_on(tile_access const& access, layout_expression const& layout, memory_instruction const& counted) {
  remark result;
  result.impossible = !possible(access.moved, layout);
  if (result.impossible || counted.wavefronts <= counted.ideal_wavefronts) return result;
  if (auto const plain = unswizzled(layout)) {
    auto const without = wavefronts_in(access.moved, *plain);
    result.swizzled = true;
    result.useless_swizzle = without == counted.wavefronts;
    auto const does = result.useless_swizzle         ? "has no effect on this access: it does not change which lanes share a bank"
                      : without > counted.wavefronts ? "separates only some of these lanes"
                                                     : "maps these lanes to the same bank";
    result.advice = fmt::format("the layout's swizzle {}; {}change its bits, --suggest finds better ones", does,
                                bytes_for_elements(layout, access.moved.element_size));
  } else if (layout.stages().size() == 1) {
    auto const padded = with_padding(access.moved, layout.domain(), counted.wavefronts);
    auto const pad = least_padding(access.moved);
    auto const pad_text =
        fmt::format("{} ({})", count_text(std::int64_t(pad) * access.moved.element_size, "byte"), count_text(pad, "element"));
    if (padded < counted.wavefronts) result.padding = pad_text;
    if (padded == counted.ideal_wavefronts) return result;
    result.advice = wider_vector(access, layout, counted.wavefronts);
    if (padded < counted.wavefronts && !result.advice.empty())
      result.advice += fmt::format("; padding the row leaves {}", padded);
    else if (padded == counted.wavefronts && result.advice.empty())
      result.advice = fmt::format(
          "padding the row by {} does not separate them: swizzle, change the order of the threads, or see what --suggest finds",
          pad_text);
  }
  return result;
}

/// The reason for idle lanes: too few threads, or threads that do not divide the tile; empty if no lane is idle.
std::string idle_lanes(tile_access const& access, layout_expression const& layout, memory_instruction const& counted) {
  if (!access.copy) return "";
  auto const &threads = access.copy->threads, &values = access.copy->values;
  std::vector<std::string> reasons;
  if (threads.size() % kWarp)
    reasons.push_back(fmt::format("its {} do not fill warps of {}", count_text(threads.size(), "thread"), kWarp));
  auto const tile = layout.extents(), across = threads.extents(), within = values.extents();
  for (std::size_t k = 0; k < tile.size(); ++k) {
    auto const covered = (k < across.size() ? across[k] : 1) * (k < within.size() ? within[k] : 1);
    if (tile[k] % covered)
      reasons.push_back(fmt::format("along mode {} its threads and values cover {}, and the tile's {} are not a multiple of it",
                                    k, count_text(covered, "element"), tile[k]));
  }
  if (reasons.empty()) return "";
  auto const accesses = std::int64_t(access.moved.vectors.size()) / threads.size(),
             all = (threads.size() + kWarp - 1) / kWarp * accesses, without = all - counted.requests;
  return fmt::format("{} of {} lanes are active on average{}, because {}",
                     decimal(double(counted.active_lanes) / double(counted.requests)), kWarp,
                     without ? fmt::format(", and {} of {} warp accesses have no active lane", without, all) : "",
                     fmt::join(reasons, ", and "));
}

}  // namespace

memory_instruction count(pattern const& moved, layout_expression const& layout, memory_space space) {
  auto result = instructions_of({{1, record_vectors(moved, layout, space)}}, 0).front();
  result.file.clear(), result.line = 0;
  return result;
}

memory_instruction with_sectors_of(memory_instruction shared, memory_instruction const& global) {
  shared.sectors = global.sectors, shared.ideal_sectors = global.ideal_sectors, shared.partial_sectors = global.partial_sectors;
  shared.half_lines = global.half_lines, shared.lines = global.lines, shared.warp_sectors = global.warp_sectors;
  return shared;
}

memory_instruction without_cost(memory_instruction counted) {
  counted.wavefronts = counted.ideal_wavefronts = counted.bytes_moved = 0;
  counted.samples.clear();
  return counted;
}

void keep_findings_of(std::optional<memory_space> space, std::vector<layout_finding>& findings) {
  std::erase_if(findings, [&](layout_finding const& each) { return space && each.space && each.space != space; });
}

std::optional<layout_expression> unswizzled(layout_expression const& layout) {
  auto stages = layout.stages();
  auto const last = std::ranges::find_if(stages, [](auto const& stage) { return std::holds_alternative<strided_layout>(stage); });
  if (last == stages.begin()) return std::nullopt;
  stages.erase(stages.begin(), last);
  return layout_expression(stages);
}

std::vector<layout_finding> findings_of_both(std::vector<memory_instruction> const& shared,
                                             std::vector<memory_instruction> const& global, std::vector<remark> const& remarks) {
  std::vector<layout_finding> result;
  for (auto& each : findings_of(shared, remarks)) {
    bool const either = each.kind == "misaligned-vector";
    if (either) each.text.erase(0, each.text.find(' ') + 1);  // "shared store: …" is true of global memory, too
    result.push_back({std::move(each), either ? std::nullopt : std::optional(memory_space::shared)});
  }
  for (auto& each : findings_of(global, remarks))
    if (each.kind == "scattered" || each.kind == "straddling") result.push_back({std::move(each), memory_space::global});
  return result;
}

std::vector<layout_finding> layout_findings(layout_expression const& layout, std::vector<tile_access> const& accesses) {
  std::vector<memory_instruction> shared, global;
  std::vector<remark> remarks;
  for (auto const& each : accesses) {
    shared.push_back(count(each.moved, layout, memory_space::shared));
    shared.back().swizzled = false;                    // all accesses use one layout, so none can lack its swizzle
    global.push_back(each.is_ldmatrix ? shared.back()  // it reads no global memory
                                      : count(each.moved, layout, memory_space::global));
    remarks.push_back(remark_on(each, layout, shared.back()));
  }
  auto result = findings_of_both(shared, global, remarks);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    auto const& each = accesses[i];
    auto const say = [&](std::string const& kind, std::string const& what) {
      result.push_back({{kind, int(i), fmt::format("{}: {}", each.moved.store ? "store" : "load", what)}, std::nullopt});
    };
    if (auto const* const scattered = scattered_vector(each.moved.vectors, layout))
      say("torn-vector",
          fmt::format("the {} of thread {}'s vector are not contiguous in memory; change the order of the values, or "
                      "use a narrower vector",
                      count_text(each.moved.vector, "element"), scattered->thread));
    if (auto const idle = idle_lanes(each, layout, shared[i]); !idle.empty()) say("idle-lanes", idle);
  }
  std::ranges::stable_sort(result, {}, [](auto const& each) { return each.space == memory_space::global; });
  return result;
}

}  // namespace cornerturn
