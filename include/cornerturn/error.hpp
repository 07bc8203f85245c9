#pragma once

#include "cornerturn/cxx20.hpp"

#include <stdexcept>
#include <string>

#include "cornerturn/export.h"

namespace cornerturn {

/// The cause of an error. The program `cornerturn` exits with 1 for `device` and `memory`, and with 2 for the others.
enum class error_kind {
  argument,  ///< an invalid argument: the message names the argument, its value and the allowed values
  file,      ///< a file that is missing, malformed, truncated or not writable: the message names the file
  device,    ///< a CUDA call that failed: the message names the call and the device
  memory,    ///< too little memory, of a GPU or of the host
};

/// The library's only exception type, besides std::bad_alloc, which containers throw if the host's memory runs out.
class CORNERTURN_API error : public std::runtime_error {
 public:
  error(error_kind kind, std::string const& message, int code = 0) : std::runtime_error(message), kind_(kind), code_(code) {}
  error_kind kind() const noexcept { return kind_; }

  /// True if the machine failed and not the caller: the kind is `device` or `memory`.
  bool is_of_machine() const noexcept { return kind_ == error_kind::device || kind_ == error_kind::memory; }

  /// CUDA's number of the error, a cudaError_t, if a CUDA call failed; otherwise 0.
  int code() const noexcept { return code_; }

 private:
  error_kind kind_;
  int code_;
};

}  // namespace cornerturn
