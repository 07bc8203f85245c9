#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace cornerturn {

/// Writes an SVG picture from top to bottom. Units are pixels. Its colours are those of src/page/page.css, and follow the
/// reader's light or dark theme.
class svg {
 public:
  static constexpr double kWidth = 1000, kMargin = 20;

  double y = kMargin;  ///< the top of the next part

  void heading(std::string_view text) { y += 26, label("h", kMargin, y, text), y += 8; }
  void note(std::string_view text) { y += 16, label("t", kMargin, y, text), y += 4; }

  /// Adds a text. `finished` has the styles of its class: heading, text, left of x, or number centred at x.
  void label(std::string_view style, double x, double at, std::string_view text) {
    body_ += fmt::format("<text class=\"{}\" x=\"{:.10g}\" y=\"{:.10g}\">{}</text>\n", style, x, at, escaped(text));
  }
  /// Adds a box of a style: `empty`, `unused` or that of a `piece`.
  void box(double x, double at, double width, double height, std::string_view style) {
    body_ += fmt::format("<rect class=\"{}\" x=\"{:.10g}\" y=\"{:.10g}\" width=\"{:.10g}\" height=\"{:.10g}\"/>\n", style, x, at,
                         width, height);
  }
  /// Adds a box with a centred text.
  void cell(double x, double at, double width, double height, std::string_view style, std::string_view text) {
    box(x, at, width, height, style);
    if (!text.empty()) label("n", x + width / 2, at + height / 2 + 3, text);
  }

  std::string finished() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
        "<style>\nrect{{stroke-width:.5px}}.h{{font-size:15px;font-weight:bold}}.t{{font-size:12px}}"
        ".l{{font-size:10px;text-anchor:end}}.n{{font-size:9px;text-anchor:middle}}\n{2}\n"
        "@media (prefers-color-scheme: dark) {{\n{3}\n}}\n</style>\n"
        "<rect class=\"empty\" width=\"100%\" height=\"100%\"/>\n{4}</svg>\n",
        kWidth, y + kMargin, styles(kLight), styles(kDark), body_);
  }

  /// The hues of a colour scale in degrees: the first one, and the range, which is less than a circle, so that the first and the
  /// last colour differ.
  static constexpr double kFirstHue = 25, kHueRange = 300;

  /// The numbers of pieces that have a colour scale: the sectors of a tile's picture, and the banks.
  static constexpr std::array<int, 2> kScales{8, 32};

  /// The style of the i-th of `count` pieces; `kScales` has the count.
  static std::string piece(int i, int count) { return fmt::format("p{}-{}", count, i); }

 private:
  /// The colours of a theme, and the OKLCH lightness and chroma of its scales.
  struct theme {
    std::string_view text, empty, unused, edge;
    double lightness, chroma;
  };
  static constexpr theme kLight{"#1f2328", "#ffffff", "#f2f3f5", "#8a9099", 0.87, 0.075};
  static constexpr theme kDark{"#e6edf3", "#1a1c1e", "#2a2d31", "#767d86", 0.4, 0.075};

  static std::string styles(theme const& of) {
    auto rules =
        fmt::format("text{{fill:{}}}rect{{stroke:{}}}.empty{{fill:{}}}.unused{{fill:{}}}", of.text, of.edge, of.empty, of.unused);
    for (int const count : kScales)
      for (int i = 0; i < count; ++i)
        rules += fmt::format(".{}{{fill:{}}}", piece(i, count),
                             srgb(of.lightness, of.chroma, kFirstHue + kHueRange * i / (count - 1)));
    return rules;
  }

  /// An OKLCH colour as sRGB, by the matrices of CSS Color 4. Channels outside the gamut are clipped.
  static std::string srgb(double lightness, double chroma, double degrees) {
    double const hue = degrees * std::numbers::pi / 180, a = chroma * std::cos(hue), b = chroma * std::sin(hue);
    auto const cone = [&](double by_a, double by_b) { return std::pow(lightness + by_a * a + by_b * b, 3); };
    double const l = cone(0.3963377774, 0.2158037573), m = cone(-0.1055613458, -0.0638541728),
                 s = cone(-0.0894841775, -1.291485548);
    auto const channel = [&](double by_l, double by_m, double by_s) {
      double const linear = by_l * l + by_m * m + by_s * s;
      double const encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
      return int(std::lround(255 * std::clamp(encoded, 0.0, 1.0)));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", channel(4.0767416621, -3.3077115913, 0.2309699292),
                       channel(-1.2684380046, 2.6097574011, -0.3413193965), channel(-0.0041960863, -0.7034186147, 1.707614701));
  }

  /// True for characters that XML has, in as few bytes as UTF-8 needs.
  static bool is_of_xml(utf8_character const& each) {
    constexpr char32_t kFirst[] = {0, 0x80, 0x800, 0x10000};  // by length
    bool const is_control = each.code < ' ' && each.code != '\t', is_surrogate = each.code >= 0xd800 && each.code < 0xe000;
    return !is_control && !is_surrogate && each.code >= kFirst[each.length - 1] && each.code <= 0x10ffff;
  }

  static std::string escaped(std::string_view text) {
    std::string result;
    while (!text.empty()) {
      char const c = text.front();
      auto const first = first_character(text);
      auto const size = is_of_xml(first) ? first.length : 0;
      if (c == '<')
        result += "&lt;";
      else if (c == '>')
        result += "&gt;";
      else if (c == '&')
        result += "&amp;";
      else if (size == 0)
        result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));  // XML has no such characters
      else
        result += text.substr(0, size);
      text.remove_prefix(std::max<std::size_t>(1, size));
    }
    return result;
  }

  std::string body_;
};

}  // namespace cornerturn
