#include "c/call.hpp"

#include <exception>
#include <new>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

thread_local std::string last_error;
thread_local int last_code = 0;

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

}  // namespace

cornerturn_status failed(cornerturn_status status, char const* message, int code) noexcept {
  last_code = code;
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
  return status;
}

cornerturn_status failed_with_current_exception() noexcept {
  try {
    throw;
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

void expect_address(std::string_view name, void const* pointer) {
  if (!pointer) refuse(name, "null", "an address");
}

index_list list_of(std::string_view name, std::int64_t const* numbers, std::int32_t rank, std::string_view rank_name) {
  if (rank < 0) refuse(rank_name, rank, "0 or more");
  if (rank > kMaxRank) refuse(rank_name, rank, fmt::format("{} or less", kMaxRank));
  if (rank > 0) expect_address(name, numbers);
  return {numbers, std::size_t(rank)};
}

std::vector<std::int64_t> strides_or_dense(std::int64_t const* strides, std::int32_t rank) {
  if (!strides) return {};
  auto const list = list_of("strides", strides, rank);
  return {list.begin(), list.end()};
}

processor_kind processor_of(std::int32_t given) { return enum_of("options.processor", given, processor_kind::gpu); }

}  // namespace cornerturn

using namespace cornerturn;

char const* cornerturn_last_error(void) { return last_error.c_str(); }

std::int32_t cornerturn_last_error_code(void) { return last_code; }

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
