#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "plan/candidate.hpp"

namespace cornerturn {

/// Arrays of one layout, which become the parts of one destination.
struct array_batch {
  std::span<void const* const> sources;
  void* destination;
  std::int64_t stride;        ///< elements of the destination from one part to the next
  std::int64_t element_size;  ///< bytes of an element of the destination

  void* part(std::size_t number) const {
    return static_cast<std::byte*>(destination) + std::int64_t(number) * stride * element_size;
  }
};

/// The GPU candidate for one array whose launches for all `arrays` arrays (at least one) should take the least time. For a single
/// small array another candidate may be the fastest, because its launch cannot fill the GPU.
candidate fastest_in_batch(problem const& canonical, alignment const& aligned, gpu_model const& gpu, std::size_t arrays);

/// Calls launch(step, source, destination) for all launches of a batch, where `one` is a GPU's step for one of its arrays. A
/// kernel that takes lists has one launch for each `source_list::kMost` arrays; all others have one for each array.
void for_each_launch(step const& one, array_batch const& batch,
                     std::function<void(step const&, void const*, void*)> const& launch);

}  // namespace cornerturn
