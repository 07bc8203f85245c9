#pragma once

#include <stdexcept>
#include <string>

#include "cornerturn/export.h"

namespace cornerturn {

/// The cause of an error. The program `cornerturn` exits with 1 for `device`, and with 2 for the others.
enum class error_kind {
  argument,  ///< an invalid argument: the message names the argument, its value and the allowed values
  file,      ///< a file that is missing, malformed, truncated or not writable: the message names the file
  device,    ///< a CUDA call that failed: the message names the call and the device
};

/// The library's only exception type, besides std::bad_alloc.
class CORNERTURN_API error : public std::runtime_error {
 public:
  error(error_kind kind, std::string const& message) : std::runtime_error(message), kind_(kind) {}
  error_kind kind() const noexcept { return kind_; }

 private:
  error_kind kind_;
};

}  // namespace cornerturn
