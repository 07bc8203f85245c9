#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace cornerturn::cli {

bool is_terminal() { return ::isatty(STDERR_FILENO) != 0; }

int terminal_columns() {
  constexpr int kUsual = 80;
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

void show_status(std::string_view text) {
  if (!is_terminal()) return;
  auto const shown = text.substr(0, std::size_t(terminal_columns() - 1));
  std::fprintf(stderr, "\r%.*s\033[K", int(shown.size()), shown.data());
  std::fflush(stderr);
}

}  // namespace cornerturn::cli
