#include "code/run.hpp"

#include <fmt/format.h>

#include "block/sizes.hpp"
#include "code/memory.hpp"
#include "code/place.hpp"
#include "code/thread.hpp"

namespace cornerturn {
namespace {

constexpr int kMostBlockThreads = 1024;
constexpr std::int64_t kMostBlockSteps = 1 << 25;  // of all threads

/// The first part of a node that names threadIdx.y or threadIdx.z; null if there is none.
code_node const* more_than_x(code_node const& in) {
  if (in.type == code_node::kind::member && (in.text == "y" || in.text == "z") && in.part(0)->text == "threadIdx") return &in;
  for (auto const& part : in.parts)
    if (part)
      if (auto const* const found = more_than_x(*part)) return found;
  return nullptr;
}

std::array<int, 3> block_of(program const& code) {
  if (!code.has_dim3) {
    if (auto const* const axis = more_than_x(*code.statements))
      refuse_at(code.argument, code.code, axis->begin,
                "the shape of a block is not given; write dim3 block(32, 8), say, before it");
    return {kWarp, 1, 1};
  }
  code_memory unused(code);
  code_thread first(code, &unused, {kWarp, 1, 1}, 0);
  auto const extents = first.run(true);
  if (!extents) refuse_at(code.argument, code.code, 0, "dim3 stands where thread 0 does not get to");
  std::array<int, 3> result{1, 1, 1};
  std::int64_t threads = 1;
  for (std::size_t i = 0; i < extents->size(); ++i) {
    auto const extent = (*extents)[i];
    if (extent < 1 || extent > kMostBlockThreads || (threads *= extent) > kMostBlockThreads)
      refuse_at(code.argument, code.code, first.shape().begin, fmt::format("a block has 1 to {} threads", kMostBlockThreads));
    result[i] = int(extent);
  }
  return result;
}

}  // namespace

code_run run_code(program const& code) {
  code_run result;
  result.block = block_of(code);
  code_memory memory(code);
  std::int64_t steps = 0;
  for (int number = 0; number < result.threads(); ++number) {
    code_thread thread(code, &memory, result.block, number);
    thread.run(false);
    steps += thread.steps();
    if (steps > kMostBlockSteps)
      refuse_at(code.argument, code.code, 0, fmt::format("the threads do more than {} steps; shorten a loop", kMostBlockSteps));
  }
  memory.finish(result);
  return result;
}

std::array<std::optional<std::int64_t>, 32> lane_values(std::string_view argument, std::string_view text,
                                                        std::span<code_node::pointer_type const> expressions) {
  program const code{argument, text, nullptr};
  std::array<std::optional<std::int64_t>, 32> result;
  for (int lane = 0; lane < kWarp; ++lane) {
    auto const at = expressions.size() == 1 ? 0 : std::size_t(lane);
    if (at < expressions.size() && expressions[at])
      result[std::size_t(lane)] = code_thread(code, nullptr, {kWarp, 1, 1}, lane).integer(*expressions[at]);
  }
  return result;
}

}  // namespace cornerturn
