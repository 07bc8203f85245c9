#include <fmt/format.h>

#include "base/refuse.hpp"
#include "cornerturn/distributed_nccl.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/nccl.hpp"

namespace cornerturn::distributed {

nccl_communicator::nccl_communicator(void* nccl, communicator& host, void* stream) : host_(host), stream_(stream) {
  if (!nccl) refuse("nccl", "null", "an ncclComm_t");
  if (auto const why = gpu::why_unavailable(); !why.empty()) throw error(error_kind::device, why);
  messages_ = std::make_unique<gpu::nccl_messages>(nccl, stream);
  auto const text = [](auto const& ranks) { return fmt::format("rank {} of {}", ranks.rank(), ranks.size()); };
  if (host.rank() != messages_->rank() || host.size() != messages_->size())
    refuse("host", text(host), fmt::format("{}, as nccl is", text(*messages_)));
}
nccl_communicator::~nccl_communicator() = default;

int nccl_communicator::rank() const { return host_.rank(); }
int nccl_communicator::size() const { return host_.size(); }
std::int64_t nccl_communicator::isend(void const* data, std::int64_t bytes, int peer) {
  return messages_->send(data, bytes, peer);
}
std::int64_t nccl_communicator::irecv(void* data, std::int64_t bytes, int peer) { return messages_->receive(data, bytes, peer); }
void nccl_communicator::wait(std::int64_t request) { messages_->wait(request); }
int nccl_communicator::device() const { return messages_->device(); }
void* nccl_communicator::stream() const { return stream_; }
void nccl_communicator::start() { messages_->start(); }
void nccl_communicator::all_min(std::span<std::int64_t> values) { host_.all_min(values); }
void nccl_communicator::abort(std::string_view reason) { host_.abort(reason); }

}  // namespace cornerturn::distributed
