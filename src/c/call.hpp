#pragma once

#include <fmt/format.h>
#include <pthread.h>

#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/refuse.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/element_operation.hpp"
#include "cornerturn/index_list.hpp"
#include "cornerturn/processor.hpp"

namespace cornerturn {

/// Stores the message of a failure for cornerturn_last_error. If there is no memory for it, the caller has only the status.
cornerturn_status failed(cornerturn_status status, char const* message, int code = 0) noexcept;

/// Converts the exception that is being handled to a status, and stores its message.
cornerturn_status failed_with_current_exception() noexcept;

/// Calls a body that returns a status, or nothing if it can only throw. Converts any exception to a status.
template <class Body>
cornerturn_status status_of_call(Body const& body) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(body())>)
      return body(), CORNERTURN_OK;
    else
      return body();
  } catch (...) {
    return failed_with_current_exception();
  }
}

/// Does the same for a function that a C program calls. The thread cannot be cancelled before the call has ended, because
/// pthread_cancel would unwind the stack, which ends the process at a frame that is noexcept.
template <class Body>
cornerturn_status guarded(Body const& body) noexcept {
  int cancellable = 0;
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
  auto const status = status_of_call(body);
  ::pthread_setcancelstate(cancellable, nullptr);
  return status;
}

/// Throws `error` for null.
void expect_address(std::string_view name, void const* pointer);

/// Throws `error` for a rank that is negative or exceeds kMaxRank, before any number is read, and for null instead of some
/// numbers.
index_list list_of(std::string_view name, std::int64_t const* numbers, std::int32_t rank, std::string_view rank_name = "rank");

std::vector<std::int64_t> strides_or_dense(std::int64_t const* strides, std::int32_t rank);

template <class Enum>
Enum enum_of(std::string_view name, std::int32_t value, Enum last) {
  if (value < 0 || value > std::int32_t(last)) refuse(name, value, fmt::format("0 to {}", std::int32_t(last)));
  return Enum(value);
}

inline constexpr auto kLastElementType = element_type(std::size(kElementTypes) - 1);

processor_kind processor_of(std::int32_t given);

/// The elements of a call. `rank` is the number of the factors' strides. Throws `error` for less than 1 byte if there is no
/// operation, and for an operation of another version.
elements elements_of(cornerturn_elements const& given, std::int32_t rank);

/// Throws `error` for a size of another version, because this version does not know its members.
template <class Options>
void refuse_size(Options const& given, std::string_view type, std::string_view argument = "options") {
  if (given.size != sizeof(Options))
    refuse(fmt::format("{}.size", argument), given.size,
           fmt::format("{}, sizeof({}), in version {}", sizeof(Options), type, cornerturn_version()));
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

}  // namespace cornerturn
