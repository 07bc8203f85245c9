#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "text.hpp"

namespace cornerturn::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kRefresh = std::chrono::milliseconds(100);
constexpr int kUsualColumns = 80, kShortestBar = 4;

/// "0:07", "1:02:03".
std::string duration_text(double seconds) {
  auto const whole = static_cast<std::int64_t>(seconds + 0.5);
  auto const minutes = whole / 60 % 60, hours = whole / 3600;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60) : fmt::format("{}:{:02}", minutes, whole % 60);
}

/// The columns of the terminal at this moment.
int columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

/// A bar and a text in one line that leaves the last column free, because a terminal may wrap there; without the bar if it would
/// be too short.
std::string line_of(double share, std::string const& text) {
  int const line = columns() - 1, width = line - int(text.size()) - 3;
  if (width < kShortestBar) return text.substr(0, std::size_t(line));
  return fmt::format("[{:.<{}}] {}", std::string(std::size_t(share * width), '#'), width, text);
}

}  // namespace

progress_bar::progress_bar() : terminal_(isatty(STDERR_FILENO)), start_(clock::now()), due_(start_ + kPatience) {}

progress_bar::~progress_bar() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void progress_bar::show(double share, std::int64_t bytes) {
  auto const now = clock::now();
  if (!terminal_ || now < due_) return;
  due_ = now + kRefresh;
  drawn_ = true;
  double const elapsed = std::chrono::duration<double>(now - start_).count();
  auto const text = fmt::format("{:3.0f} %, {}, {} left", share * 100, speed_text(share * double(bytes), elapsed),
                                duration_text(elapsed * (1 - share) / share));
  fmt::print(stderr, "\r{}\033[K", line_of(share, text));
  std::fflush(stderr);
}

}  // namespace cornerturn::cli
