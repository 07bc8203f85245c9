#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/distributed.hpp"
#include "cornerturn/distributed_nccl.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/inplace.hpp"
#include "cornerturn/log.hpp"
#include "cornerturn/permute.hpp"
#include "cornerturn/plan.hpp"
#include "cornerturn/threads.hpp"
#include "cornerturn/transpose.hpp"
#include "cornerturn/tune.hpp"
#include "distributed/agreement.hpp"
#include "distributed/side.hpp"
#include "problem/fail.hpp"

struct cornerturn_plan {
  cornerturn::permutation_plan plan;
};

struct cornerturn_inplace_plan {
  cornerturn::inplace_plan plan;
};

namespace cornerturn {
namespace {

thread_local std::string last_error;
thread_local int last_code = 0;

/// Stores the message of a failure. If there is no memory for the message, the caller has only the status.
cornerturn_status failed(cornerturn_status status, char const* message, int code = 0) noexcept {
  last_code = code;
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
  return status;
}

cornerturn_status status_of(error_kind kind) {
  switch (kind) {
    case error_kind::argument:
      return CORNERTURN_BAD_ARGUMENT;
    case error_kind::file:
      return CORNERTURN_FILE_ERROR;
    case error_kind::device:
      return CORNERTURN_DEVICE_ERROR;
    case error_kind::memory:
      return CORNERTURN_OUT_OF_MEMORY;
  }
  return CORNERTURN_INTERNAL_ERROR;
}

/// Calls a body that returns a status, or nothing if it can only throw. Converts any exception to a status.
template <class Body>
cornerturn_status guarded(Body const& body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>)
      return body(), CORNERTURN_OK;
    else
      return body();
  } catch (error const& e) {
    return failed(status_of(e.kind()), e.what(), e.code());
  } catch (std::bad_alloc const&) {
    return failed(CORNERTURN_OUT_OF_MEMORY, "no memory on the host");
  } catch (std::exception const& e) {
    return failed(CORNERTURN_INTERNAL_ERROR, e.what());
  } catch (...) {
    return failed(CORNERTURN_INTERNAL_ERROR, "an exception of unknown type");
  }
}

void refuse_null(std::string_view name, void const* pointer) {
  if (!pointer) refuse(name, "null", "an address");
}

index_list list_of(std::string_view name, std::int64_t const* numbers, std::int32_t rank) {
  if (rank < 0) refuse("rank", rank, "0 or more");
  if (rank > 0) refuse_null(name, numbers);
  return {numbers, std::size_t(rank)};
}

std::vector<std::int64_t> strides_or_dense(std::int64_t const* strides, std::int32_t rank) {
  if (!strides || rank <= 0) return {};
  return {strides, strides + rank};
}

template <class Enum>
Enum enum_of(std::string_view name, std::int32_t value, Enum last) {
  if (value < 0 || value > std::int32_t(last)) refuse(name, value, fmt::format("0 to {}", std::int32_t(last)));
  return Enum(value);
}

/// Another size means another version, whose members this version does not know.
template <class Options>
void refuse_size(Options const& given, std::string_view type, std::string_view argument = "options") {
  if (given.size != sizeof(Options))
    refuse(fmt::format("{}.size", argument), given.size,
           fmt::format("{}, sizeof({}), in version {}", sizeof(Options), type, cornerturn_version()));
}

processor_kind processor_of(std::int32_t given) { return enum_of("options.processor", given, processor_kind::gpu); }

plan_options options_of(cornerturn_options const* given) {
  if (!given) return {};
  refuse_size(*given, "cornerturn_options");
  return {.processor = processor_of(given->processor),
          .effort = enum_of("options.effort", given->effort, planning_effort::measure),
          .source_alignment = given->source_alignment,
          .destination_alignment = given->destination_alignment,
          .device = given->device,
          .threads = given->threads};
}

inplace_plan_options options_of(cornerturn_inplace_options const* given) {
  if (!given) return {};
  refuse_size(*given, "cornerturn_inplace_options");
  return {.processor = processor_of(given->processor),
          .alignment = given->alignment,
          .device = given->device,
          .threads = given->threads,
          .workspace = given->workspace};
}

/// The options of a call that moves an array at once, as the options type of the C++ call.
template <class Options>
Options options_of(cornerturn_copy_options const* given, void* stream) {
  Options result{.stream = stream};
  if (!given) return result;
  refuse_size(*given, "cornerturn_copy_options");
  result.processor = processor_of(given->processor), result.device = given->device, result.threads = given->threads;
  return result;
}

element_operation operation_of(cornerturn_operation const* given, std::int32_t rank) {
  refuse_null("operation", given);
  refuse_size(*given, "cornerturn_operation", "operation");
  return {.source = enum_of("operation.source_type", given->source_type, element_type::c128),
          .destination = enum_of("operation.destination_type", given->destination_type, element_type::c128),
          .alpha = {given->alpha[0], given->alpha[1]},
          .beta = {given->beta[0], given->beta[1]},
          .conjugate = given->conjugate != 0,
          .saturate = given->saturate != 0,
          .scale = given->scale,
          .bias = given->bias,
          .factor_strides = strides_or_dense(given->factor_strides, rank)};
}

static_assert(int(element_type::c128) == CORNERTURN_C128 && int(element_type::f8_e4m3fn) == CORNERTURN_F8_E4M3FN);

std::vector<std::int64_t> vector_of(std::string_view name, std::int64_t const* numbers, std::int32_t rank) {
  auto const list = list_of(name, numbers, rank);
  return {list.begin(), list.end()};
}

distributed::sharding sharding_of(std::string_view name, cornerturn_sharding const& given, std::int32_t rank) {
  distributed::sharding result{vector_of(fmt::format("{}.grid", name), given.grid, given.grid_rank),
                               vector_of(fmt::format("{}.modes", name), given.modes, given.grid_rank)};
  for (std::int32_t mode = 0; given.blocks && mode < rank; ++mode) {
    // A grid with an extent below 1, or of too many ranks, is refused later; no extents of its blocks are read.
    std::int64_t count = 1;
    for (std::size_t i = 0; i < result.grid.size(); ++i)
      if (result.modes[i] == mode)
        count = result.grid[i] < 1 || count > distributed::kMostRanks / result.grid[i] ? 0 : count * result.grid[i];
    auto const* const blocks = given.blocks[mode];
    result.blocks.push_back(blocks ? std::vector(blocks, blocks + count) : std::vector<std::int64_t>());
  }
  return result;
}

distributed::description description_of(cornerturn_distribution const* given) {
  refuse_null("distribution", given);
  refuse_size(*given, "cornerturn_distribution", "distribution");
  return {.shape = vector_of("shape", given->shape, given->rank),
          .axes = vector_of("axes", given->axes, given->rank),
          .source = sharding_of("source", given->source, given->rank),
          .destination = sharding_of("destination", given->destination, given->rank),
          .element_size = given->element_size};
}

/// A communicator whose functions are those of a C program.
class c_communicator : public distributed::communicator {
 public:
  explicit c_communicator(cornerturn_communicator const& given) : given_(given) {}
  int rank() const override { return given_.rank; }
  int size() const override { return given_.ranks; }
  std::int64_t isend(void const* data, std::int64_t bytes, int peer) override {
    std::int64_t request = 0;
    expect("isend", given_.isend(given_.context, data, bytes, peer, &request));
    return request;
  }
  std::int64_t irecv(void* data, std::int64_t bytes, int peer) override {
    std::int64_t request = 0;
    expect("irecv", given_.irecv(given_.context, data, bytes, peer, &request));
    return request;
  }
  void wait(std::int64_t request) override { expect("wait", given_.wait(given_.context, request)); }
  void all_min(std::span<std::int64_t> values) override {
    expect("all_min", given_.all_min(given_.context, values.data(), std::int32_t(values.size())));
  }
  void abort(std::string_view reason) override { given_.abort(given_.context, std::string(reason).c_str()); }

 private:
  static void expect(char const* function, int code) {
    if (code != 0) throw std::runtime_error(fmt::format("communicator.{} failed with {}", function, code));
  }

  cornerturn_communicator const& given_;
};

}  // namespace
}  // namespace cornerturn

using namespace cornerturn;

cornerturn_status cornerturn_plan_create(cornerturn_plan** made, std::int32_t rank, std::int64_t const* shape,
                                         std::int64_t const* source_strides, std::int64_t const* destination_strides,
                                         std::int64_t element_size, cornerturn_options const* options) {
  return guarded([&] {
    refuse_null("plan", made);
    *made = nullptr;
    *made =
        new cornerturn_plan{plan(list_of("shape", shape, rank), list_of("source_strides", source_strides, rank),
                                 list_of("destination_strides", destination_strides, rank), element_size, options_of(options))};
  });
}

cornerturn_status cornerturn_plan_permute(cornerturn_plan** made, std::int32_t rank, std::int64_t const* shape,
                                          std::int64_t const* source_strides, std::int64_t const* axes,
                                          std::int64_t const* destination_strides, std::int64_t element_size,
                                          cornerturn_options const* options) {
  return guarded([&] {
    refuse_null("plan", made);
    *made = nullptr;
    auto with_strides = options_of(options);
    with_strides.source_strides = strides_or_dense(source_strides, rank);
    with_strides.destination_strides = strides_or_dense(destination_strides, rank);
    *made =
        new cornerturn_plan{plan_permute(list_of("shape", shape, rank), list_of("axes", axes, rank), element_size, with_strides)};
  });
}

cornerturn_status cornerturn_plan_permute_elements(cornerturn_plan** made, std::int32_t rank, std::int64_t const* shape,
                                                   std::int64_t const* source_strides, std::int64_t const* axes,
                                                   std::int64_t const* destination_strides, cornerturn_operation const* operation,
                                                   cornerturn_options const* options) {
  return guarded([&] {
    refuse_null("plan", made);
    *made = nullptr;
    auto with_strides = options_of(options);
    with_strides.source_strides = strides_or_dense(source_strides, rank);
    with_strides.destination_strides = strides_or_dense(destination_strides, rank);
    *made = new cornerturn_plan{
        plan_permute(list_of("shape", shape, rank), list_of("axes", axes, rank), operation_of(operation, rank), with_strides)};
  });
}

cornerturn_status cornerturn_plan_run(cornerturn_plan const* planned, void const* source, void* destination, void* stream) {
  return guarded([&] {
    refuse_null("plan", planned);
    planned->plan.run(source, destination, stream);
  });
}

cornerturn_status cornerturn_plan_describe(cornerturn_plan const* planned, char* buffer, std::size_t capacity,
                                           std::size_t* needed) {
  return guarded([&] {
    refuse_null("plan", planned);
    if (capacity > 0) refuse_null("buffer", buffer);
    auto const text = planned->plan.describe();
    if (needed) *needed = text.size() + 1;
    if (capacity > 0) {
      auto const fits = std::min(text.size(), capacity - 1);
      std::memcpy(buffer, text.data(), fits);
      buffer[fits] = 0;
    }
    if (buffer && capacity <= text.size())
      return failed(CORNERTURN_BUFFER_TOO_SMALL,
                    fmt::format("capacity is {}; it must be {} or more", capacity, text.size() + 1).c_str());
    return CORNERTURN_OK;
  });
}

cornerturn_status cornerturn_plan_run_on(cornerturn_plan const* planned, cornerturn_workers const* workers, void const* source,
                                         void* destination) {
  return guarded([&] {
    refuse_null("plan", planned);
    refuse_null("workers", workers);
    worker_threads on{.parallel_for = {}, .count = workers->count};
    if (workers->parallel_for)
      on.parallel_for = [=](int count, std::function<void(int)> const& part) {
        auto const call = [](void* state, std::int32_t index) { (*static_cast<std::function<void(int)> const*>(state))(index); };
        workers->parallel_for(workers->context, count, call, const_cast<std::function<void(int)>*>(&part));
      };
    planned->plan.run_on(on, source, destination);
  });
}

void cornerturn_plan_destroy(cornerturn_plan* planned) { delete planned; }

cornerturn_status cornerturn_strided_copy(void const* source, std::int64_t const* source_strides, void* destination,
                                          std::int64_t const* destination_strides, std::int32_t rank, std::int64_t const* shape,
                                          std::int64_t element_size, void* stream, cornerturn_copy_options const* options) {
  return guarded([&] {
    strided_copy(source, list_of("source_strides", source_strides, rank), destination,
                 list_of("destination_strides", destination_strides, rank), list_of("shape", shape, rank), element_size,
                 options_of<copy_options>(options, stream));
  });
}

cornerturn_status cornerturn_permute(void const* source, void* destination, std::int32_t rank, std::int64_t const* shape,
                                     std::int64_t const* axes, std::int64_t element_size, void* stream,
                                     cornerturn_copy_options const* options) {
  return guarded([&] {
    permute(source, destination, list_of("shape", shape, rank), list_of("axes", axes, rank), element_size,
            options_of<permute_options>(options, stream));
  });
}

cornerturn_status cornerturn_permute_elements(void const* source, void* destination, std::int32_t rank, std::int64_t const* shape,
                                              std::int64_t const* axes, cornerturn_operation const* operation, void* stream,
                                              cornerturn_copy_options const* options) {
  return guarded([&] {
    permute(source, destination, list_of("shape", shape, rank), list_of("axes", axes, rank), operation_of(operation, rank),
            options_of<permute_options>(options, stream));
  });
}

cornerturn_status cornerturn_permute_inplace(void* data, std::int32_t rank, std::int64_t const* shape, std::int64_t const* axes,
                                             std::int64_t element_size, void* stream, cornerturn_copy_options const* options) {
  return guarded([&] {
    permute_inplace(data, list_of("shape", shape, rank), list_of("axes", axes, rank), element_size,
                    options_of<inplace_options>(options, stream));
  });
}

cornerturn_status cornerturn_inplace_plan_create(cornerturn_inplace_plan** made, std::int32_t rank, std::int64_t const* shape,
                                                 std::int64_t const* axes, std::int64_t element_size,
                                                 cornerturn_inplace_options const* options, std::int64_t* workspace_bytes) {
  return guarded([&] {
    refuse_null("plan", made);
    *made = nullptr;
    *made = new cornerturn_inplace_plan{
        plan_permute_inplace(list_of("shape", shape, rank), list_of("axes", axes, rank), element_size, options_of(options))};
    if (workspace_bytes) *workspace_bytes = (*made)->plan.workspace_bytes();
  });
}

cornerturn_status cornerturn_inplace_plan_run(cornerturn_inplace_plan const* planned, void* data, void* stream, void* workspace) {
  return guarded([&] {
    refuse_null("plan", planned);
    planned->plan.run(data, stream, workspace);
  });
}

void cornerturn_inplace_plan_destroy(cornerturn_inplace_plan* planned) { delete planned; }

cornerturn_status cornerturn_transpose(void const* source, void* destination, std::int64_t rows, std::int64_t cols,
                                       std::int64_t element_size, void* stream, cornerturn_copy_options const* options) {
  return guarded(
      [&] { transpose(source, destination, rows, cols, element_size, options_of<transpose_options>(options, stream)); });
}

cornerturn_status cornerturn_tune_permute(std::int32_t rank, std::int64_t const* shape, std::int64_t const* axes,
                                          std::int64_t element_size, cornerturn_options const* options, double* seconds,
                                          double* estimated_seconds) {
  return guarded([&] {
    auto const found =
        tune_permute(list_of("shape", shape, rank), list_of("axes", axes, rank), element_size, options_of(options));
    if (seconds) *seconds = found.seconds;
    if (estimated_seconds) *estimated_seconds = found.estimated_seconds;
  });
}

cornerturn_status cornerturn_cache_info(cornerturn_cache_counters* counters) {
  return guarded([&] {
    refuse_null("counters", counters);
    auto const now = cache_info();
    *counters = {now.hits, now.misses, now.entries, now.capacity};
  });
}

cornerturn_status cornerturn_cache_clear(void) {
  return guarded([] { cache_clear(); });
}

cornerturn_status cornerturn_set_log_hook(void (*hook)(char const* message, void* context), void* context) {
  return guarded([&] {
    if (hook)
      set_log_hook([=](std::string_view message) { hook(std::string(message).c_str(), context); });
    else
      set_log_hook({});
  });
}

std::int32_t cornerturn_num_threads(void) { return num_threads(); }

cornerturn_status cornerturn_set_num_threads(std::int32_t threads) {
  return guarded([&] { set_num_threads(threads); });
}

char const* cornerturn_status_text(cornerturn_status status) {
  switch (status) {
    case CORNERTURN_OK:
      return "success";
    case CORNERTURN_BAD_ARGUMENT:
      return "an argument is not allowed";
    case CORNERTURN_FILE_ERROR:
      return "a file could not be read or written";
    case CORNERTURN_DEVICE_ERROR:
      return "a CUDA call failed";
    case CORNERTURN_OUT_OF_MEMORY:
      return "too little memory, of a GPU or of the host";
    case CORNERTURN_BUFFER_TOO_SMALL:
      return "the buffer is too small for the text";
    case CORNERTURN_INTERNAL_ERROR:
      return "the library failed";
  }
  return "no status of this library";
}

char const* cornerturn_last_error(void) { return last_error.c_str(); }

std::int32_t cornerturn_last_error_code(void) { return last_code; }

char const* cornerturn_version(void) { return CORNERTURN_VERSION; }

cornerturn_status cornerturn_distributed_permute(void const* source, void* destination,
                                                 cornerturn_distribution const* distribution,
                                                 cornerturn_communicator const* communicator) {
  return guarded([&] {
    refuse_null("communicator", communicator);
    refuse_size(*communicator, "cornerturn_communicator", "communicator");
    auto const& [size, context, rank, ranks, isend, irecv, wait, all_min, abort, nccl, stream] = *communicator;
    if (!all_min || !abort || (!nccl && !(isend && irecv && wait)))
      refuse("communicator", "without one of its functions", "one with all that are called");
    c_communicator messages(*communicator);
    distributed::description described;
    std::optional<distributed::nccl_communicator> on_gpu;
    // The other ranks would wait for one that returns before all of them have agreed.
    distributed::agree(messages, {}, [&] {
      described = description_of(distribution);
      if (communicator->nccl) on_gpu.emplace(communicator->nccl, messages, communicator->stream);
    });
    if (on_gpu)
      distributed::permute(source, destination, described, *on_gpu);
    else
      distributed::permute(source, destination, described, messages);
  });
}

cornerturn_status cornerturn_local_permute(void const* const* sources, void* const* destinations, void* const* streams,
                                           std::int32_t ranks, cornerturn_distribution const* distribution) {
  return guarded([&] {
    if (ranks < 0) refuse("ranks", ranks, "0 or more");
    if (ranks > 0) refuse_null("sources", sources), refuse_null("destinations", destinations);
    std::vector<distributed::rank_memory> memory;
    for (std::int32_t i = 0; i < ranks; ++i) memory.push_back({sources[i], destinations[i], streams ? streams[i] : nullptr});
    distributed::permute(memory, description_of(distribution));
  });
}
