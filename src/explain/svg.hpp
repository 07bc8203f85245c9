#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace cornerturn {

/// Writes an SVG picture from top to bottom. Units are pixels.
class svg {
 public:
  static constexpr double kWidth = 1000, kMargin = 20;

  double y = kMargin;  ///< the top of the next part

  void heading(std::string_view text) { y += 26, label("h", kMargin, y, text), y += 8; }
  void note(std::string_view text) { y += 16, label("t", kMargin, y, text), y += 4; }

  /// Adds a text. `finished` has the styles of its class: heading, text, small, small to the left of x, or number centred at x.
  void label(std::string_view style, double x, double at, std::string_view text) {
    body_ += fmt::format("<text class=\"{}\" x=\"{:.10g}\" y=\"{:.10g}\">{}</text>\n", style, x, at, escaped(text));
  }
  void box(double x, double at, double width, double height, std::string_view fill) {
    body_ += fmt::format("<rect x=\"{:.10g}\" y=\"{:.10g}\" width=\"{:.10g}\" height=\"{:.10g}\" fill=\"{}\"/>\n", x, at, width,
                         height, fill);
  }
  /// Adds a box with a centred text.
  void cell(double x, double at, double width, double height, std::string_view fill, std::string_view text) {
    box(x, at, width, height, fill);
    if (!text.empty()) label("n", x + width / 2, at + height / 2 + 3, text);
  }

  std::string finished() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "font-family=\"DejaVu Sans, Verdana, sans-serif\" fill=\"#1c2128\">\n"
        "<style>rect{{stroke:#8a8f98;stroke-width:.5px}}.h{{font-size:15px;font-weight:bold}}.t{{font-size:12px}}"
        ".s,.l{{font-size:10px}}.l{{text-anchor:end}}.n{{font-size:9px;text-anchor:middle}}</style>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{2}</svg>\n",
        kWidth, y + kMargin, body_);
  }

  /// The degrees of the colour wheel that a colour scale covers: from red to magenta, so that its first and last colours differ.
  static constexpr double kHueRange = 300;

  /// The i-th of `count` light colours of the scale.
  static std::string colour(int i, int count) {
    auto const channel = [&](double shift) {
      double const place = kHueRange / 360 * i / (count - 1) + shift, within = (place - double(int(place))) * 6;
      double const wave = within < 1 ? within : within < 3 ? 1 : within < 4 ? 4 - within : 0;
      return int(150 + 100 * wave);
    };
    return fmt::format("#{:02x}{:02x}{:02x}", channel(1.0 / 3), channel(0), channel(2.0 / 3));
  }

 private:
  static std::string escaped(std::string_view text) {
    std::string result;
    for (char const c : text)
      if (c == '<')
        result += "&lt;";
      else if (c == '>')
        result += "&gt;";
      else if (c == '&')
        result += "&amp;";
      else
        result += c;
    return result;
  }

  std::string body_;
};

}  // namespace cornerturn
