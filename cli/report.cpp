#include "report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "cornerturn/error.hpp"
#include "cornerturn/file.hpp"
#include "cornerturn/info.hpp"

namespace cornerturn::cli {
namespace {

std::string_view name_of(ladder_row::outcome result) {
  switch (result) {
    case ladder_row::outcome::verified:
      return "right";
    case ladder_row::outcome::wrong:
      return "WRONG";
    case ladder_row::outcome::not_available:
      return "n/a";
  }
  return {};
}

nlohmann::ordered_json json_of(ladder_row const& row) {
  nlohmann::ordered_json json{{"name", row.name},
                              {"tile", row.tile},
                              {"threads", row.threads},
                              {"tiles", row.tiles},
                              {"load_bytes", row.load_bytes},
                              {"store_bytes", row.store_bytes},
                              {"result", name_of(row.result)}};
  if (!row.reason.empty()) json["reason"] = row.reason;
  bool const timed = row.median_ms > 0;
  auto const number = [&](double value) { return timed ? nlohmann::ordered_json(value) : nlohmann::ordered_json(); };
  auto const where_known = [&](double value) { return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(); };
  if (row.best) json["best"] = true;
  json["mean_ms"] = number(row.mean_ms);
  json["median_ms"] = number(row.median_ms);
  json["iqr_ms"] = number(row.iqr_ms);
  json["gbs"] = number(row.gbs);
  json["ratio"] = number(row.ratio);
  json["nt_ratio"] = where_known(row.nt_ratio);
  json["peak"] = where_known(row.peak);
  return json;
}

[[noreturn]] void refuse_to_write(std::string const& path, int cause) {
  throw error(error_kind::file, fmt::format("{} cannot be written: {}", path, std::strerror(cause)));
}

/// The open descriptor that a path names: /dev/stdout, /dev/stderr or /dev/fd/N; empty for other paths.
std::optional<int> descriptor_of(std::string_view path) {
  constexpr std::string_view kNumbered = "/dev/fd/";
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  if (!path.starts_with(kNumbered)) return std::nullopt;
  int number = 0;
  auto const last = path.data() + path.size();
  auto const [end, problem] = std::from_chars(path.data() + kNumbered.size(), last, number);
  return problem == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

/// Writes at the descriptor's position, as a redirection of the shell expects: `>>` appends, and nothing is truncated.
void write_to(int descriptor, std::string_view text, std::string const& path) {
  std::fflush(stdout);
  while (!text.empty()) {
    auto const put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno != EINTR) refuse_to_write(path, errno);
    text.remove_prefix(put < 0 ? 0 : std::size_t(put));
  }
}

}  // namespace

void write_text(std::string const& text, std::string const& path) {
  if (auto const open = descriptor_of(path)) return write_to(*open, text, path);
  write_file(path, text);
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) fmt::print("{}: written\n", path);
}

void expect_writable(std::string const& path) {
  if (path == "-") throw error(error_kind::file, "- cannot be written: name a file, or /dev/stdout");
  if (auto const open = descriptor_of(path)) {
    int const flags = ::fcntl(*open, F_GETFL);
    if (flags == -1 || (flags & O_ACCMODE) == O_RDONLY) refuse_to_write(path, EBADF);
    return;
  }
  namespace fs = std::filesystem;
  std::error_code ignored;
  auto const folder = fs::absolute(path, ignored).parent_path();
  bool const exists = fs::exists(path, ignored);
  if (fs::is_directory(path, ignored))
    errno = EISDIR;
  else if (access(exists ? path.c_str() : folder.c_str(), W_OK) == 0)
    return;
  refuse_to_write(path, errno);
}

void write_json(ladder_run const& run, std::string const& path) {
  auto const built = info();
  nlohmann::ordered_json json{{"device", run.device},      {"rows", run.rows},
                              {"cols", run.cols},          {"type", run.type},
                              {"timing", run.timing},      {"memcpy_gbs", run.memcpy_gbs},
                              {"peak_gbs", run.peak_gbs},  {"cornerturn", built.version},
                              {"compiler", built.compiler}};
  for (auto const& row : run.rungs) json["rungs"].push_back(json_of(row));
  write_text(nlohmann::ordered_json::array({json}).dump(1) + "\n", path);
}

}  // namespace cornerturn::cli
