#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>

#include "errors.hpp"

/// BLAS's handler of bad arguments, which a program may define. This library refers to it and defines none, because a preloaded
/// definition would replace those of other libraries. The address is null if nothing in the process defines it.
extern "C" [[gnu::weak, gnu::visibility("default")]] void xerbla_(char const* routine, int const* number, std::size_t length);

namespace cornerturn::blas {

struct routine {
  char const* name;            ///< in messages, e.g. "cblas_domatcopy"
  char const* name_of_xerbla;  ///< in the call of xerbla_, e.g. "DOMATCOPY"
  std::string_view arguments;  ///< the names of the arguments that xerbla_ numbers 1, 2, …, divided by blanks

  /// The number of an argument such as "lda" or "lda_array[3]"; 0 if it has none.
  int number_of(std::string_view argument) const {
    argument = argument.substr(0, argument.find('['));
    int number = 1;
    for (auto left = arguments; !left.empty(); ++number) {
      auto const end = left.find(' ');
      if (left.substr(0, end) == argument) return number;
      left = end == left.npos ? std::string_view() : left.substr(end + 1);
    }
    return 0;
  }
};

/// Runs the body of a routine, as `call_from_c` does. After the message about a bad argument it calls xerbla_, which may end the
/// program, jump or throw.
template <class Body>
void call(routine const& called, Body const& body) {
  int bad = -1;
  call_from_c(called.name, [&] {
    try {
      body();
    } catch (error const& e) {
      if (!e.argument().empty()) bad = called.number_of(e.argument());
      throw;
    }
  });
  if (bad >= 0 && xerbla_) xerbla_(called.name_of_xerbla, &bad, std::strlen(called.name_of_xerbla));
}

}  // namespace cornerturn::blas
