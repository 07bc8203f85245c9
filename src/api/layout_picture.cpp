#include <fmt/format.h>

#include "cornerturn/layout.hpp"
#include "explain/instructions.hpp"
#include "explain/picture.hpp"

namespace cornerturn {
namespace {

/// Draws the tile, unless only addresses are explained, and the requests.
void draw(svg& picture, layout_explanation const& explained) {
  if (explained.addresses.empty())
    draw_tile(picture, explained.tile, explained.element_size,
              {"in shared memory", explained.instructions.front().store ? kStoringThread
                                   : explained.ldmatrix                 ? "the lane that gives the address of the element's row"
                                                                        : kLoadingThread});
  auto drawn = explained.instructions;
  for (auto const& each : explained.instructions)
    if (each.samples.empty())
      picture.heading(fmt::format("No GPU does the {}: its vectors are misaligned or torn", name_of(each)));
  std::erase_if(drawn, [](auto const& each) { return each.samples.empty(); });
  if (explained.space != memory_space::global) draw_requests(picture, drawn, {explained.tile}, explained.element_size);
  if (explained.space != memory_space::shared) draw_as_global(picture, drawn);
}

}  // namespace

std::string picture_of(layout_options const& options, layout_explanation const& given,
                       std::optional<layout_suggestion> const& found) {
  svg picture;
  picture.heading(given.addresses.empty() ? given.layout : given.addresses);
  draw(picture, given);
  if (found && found->layout != given.layout) {
    picture.heading(fmt::format("Suggested: {}", found->layout));
    draw(picture, explain_suggestion(options, *found));
  }
  return picture.finished();
}

}  // namespace cornerturn
