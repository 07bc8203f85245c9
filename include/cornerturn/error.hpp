#pragma once

#include "cornerturn/cxx20.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cornerturn/export.h"

namespace cornerturn {

/// The cause of an error. The program `cornerturn` exits with 1 for `device` and `memory`, and with 2 for the others.
enum class error_kind {
  argument,  ///< an invalid argument: the message names the argument, its value and the allowed values
  file,      ///< a file that is missing, malformed, truncated or not writable: the message names the file
  device,    ///< a CUDA call that failed: the message names the call and the device
  memory,    ///< too little memory, of a GPU or of the host
};

/// What an error says of an argument.
struct refused_argument {
  std::string name;     ///< the argument's name in C++, e.g. "rows", "options.threads" or "operation.alpha"
  std::string value;    ///< the value that was given, e.g. "-3"
  std::string allowed;  ///< what the value must be, e.g. "0 or more"
};

/// The library's only exception type, besides std::bad_alloc, which containers throw if the host's memory runs out.
///
/// ```cpp
/// try {
///   cornerturn::permute_inplace(matrix, {2, 3}, {1, 1}, sizeof(int));
/// } catch (cornerturn::error const& refused) {
///   std::cout << refused.argument() << ": expected " << refused.allowed() << '\n';
/// }
/// ```
class CORNERTURN_API error : public std::runtime_error {
 public:
  error(error_kind kind, std::string const& message, int code = 0) : std::runtime_error(message), kind_(kind), code_(code) {}

  /// An error about an argument: "rows is -3; it must be 0 or more", or another text, in which the first "{}" stands for the
  /// name.
  explicit error(refused_argument refused, std::string text = {});

  error_kind kind() const noexcept { return kind_; }

  /// True if the machine failed and not the caller: the kind is `device` or `memory`.
  bool is_of_machine() const noexcept { return kind_ == error_kind::device || kind_ == error_kind::memory; }

  /// CUDA's number of the error, a cudaError_t, if a CUDA call failed; otherwise 0.
  int code() const noexcept { return code_; }

  /// The name of the argument, its value and what it must be; empty if the error is not about one argument.
  std::string_view argument() const noexcept { return about_ ? about_->refused.name : std::string_view(); }
  std::string_view value() const noexcept { return about_ ? about_->refused.value : std::string_view(); }
  std::string_view allowed() const noexcept { return about_ ? about_->refused.allowed : std::string_view(); }

  /// The same error with the name by which a caller knows the argument. An error that is not about one argument stays as it is.
  error with_argument(std::string name) const;

 private:
  struct argument_text {
    refused_argument refused;
    std::string text;
  };

  error_kind kind_;
  int code_ = 0;
  std::shared_ptr<argument_text const> about_;  // shared, because to copy an exception must not throw
};

}  // namespace cornerturn
