#include "progress.hpp"

#include <fmt/format.h>

#include <string>

#include "terminal.hpp"
#include "text.hpp"

namespace cornerturn::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kRefresh = std::chrono::milliseconds(100);
constexpr int kShortestBar = 4;

/// "0:07", "1:02:03".
std::string duration_text(double seconds) {
  auto const whole = static_cast<std::int64_t>(seconds + 0.5);
  auto const minutes = whole / 60 % 60, hours = whole / 3600;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60) : fmt::format("{}:{:02}", minutes, whole % 60);
}

/// A bar and a text that fill a line of the terminal, or the text if the bar would be too short.
std::string line_of(double share, std::string const& text) {
  int const width = terminal_columns() - 1 - int(text.size()) - 3;
  if (width < kShortestBar) return text;
  return fmt::format("[{:.<{}}] {}", std::string(std::size_t(share * width), '#'), width, text);
}

}  // namespace

progress_bar::progress_bar() : terminal_(is_terminal()), start_(clock::now()), due_(start_ + kPatience) {}

progress_bar::~progress_bar() {
  if (drawn_) show_status("");
}

void progress_bar::show(double share, std::int64_t bytes) {
  auto const now = clock::now();
  if (!terminal_ || now < due_) return;
  due_ = now + kRefresh;
  drawn_ = true;
  double const elapsed = std::chrono::duration<double>(now - start_).count();
  auto const text = fmt::format("{:3.0f} %, {}, {} left", share * 100, speed_text(share * double(bytes), elapsed),
                                duration_text(elapsed * (1 - share) / share));
  show_status(line_of(share, text));
}

}  // namespace cornerturn::cli
