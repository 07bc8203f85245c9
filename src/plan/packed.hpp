#pragma once

#include <cstddef>
#include <optional>

#include "pattern/packed_boxes.hpp"
#include "plan/candidate.hpp"

namespace cornerturn {

/// The launches by which a GPU moves packed elements between sides that consist of whole bytes; the destination has elements. If
/// elements must be moved one by one, a workspace has a byte for each. The low bits of `pad` are the element where the source has
/// none.
///
/// Expects a move without swizzles if it has no boxes.
candidate packed_candidate(pattern_move const& move, bit_packing const& packed, std::byte pad, alignment const& aligned,
                           gpu_model const& gpu = h200_model());

}  // namespace cornerturn
