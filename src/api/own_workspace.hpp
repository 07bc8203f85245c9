#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "plan/place.hpp"

namespace cornerturn {

/// Memory that a run allocates, of the host or of a GPU.
class own_workspace {
 public:
  own_workspace(int place, std::int64_t bytes, void* stream) {
    if (place == kHost) {
      of_host_ = std::make_unique_for_overwrite<std::byte[]>(std::size_t(bytes));
    } else {
      gpu::on_device const current(place);
      of_gpu_.emplace(bytes, stream);
    }
  }
  void* get() const { return of_gpu_ ? of_gpu_->get() : of_host_.get(); }

 private:
  std::unique_ptr<std::byte[]> of_host_;
  std::optional<gpu::stream_memory> of_gpu_;
};

}  // namespace cornerturn
