#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>

#include "api/memory.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/file.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/host_memory.hpp"
#include "file/input.hpp"
#include "file/npy.hpp"
#include "file/replace.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using progress = std::function<void(double)>;
using memory = std::unique_ptr<std::byte[]>;

// Reading, moving and writing touch every byte once each.
constexpr int kPhases = 3;

progress phase(int index, progress const& whole) {
  if (!whole) return {};
  return [index, &whole](double share) { whole((index + share) / kPhases); };
}

memory allocate(std::int64_t bytes, std::filesystem::path const& input) {
  memory result(new (std::nothrow) std::byte[bytes]);
  if (!result) {
    throw error(error_kind::file, fmt::format("{}: no memory for an array of {} bytes and its transpose", input.string(), bytes));
  }
  return result;
}

std::vector<std::int64_t> axes_of(std::optional<std::vector<std::int64_t>> const& given, std::size_t rank) {
  if (given) return normalise_axes(*given, rank);
  std::vector<std::int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

/// Moves the elements on the processor asked for; says on which one it was.
std::string move(problem const& p, enum processor asked, memory const& from, memory const& to, progress const& tell) {
  if (asked == processor::gpu) {
    gpu::permute_host_memory(p, from.get(), to.get(), tell);
    return "gpu";
  }
  if (asked == processor::automatic && gpu::why_unavailable().empty()) {
    try {
      gpu::permute_host_memory(p, from.get(), to.get(), tell);
      return "gpu";
    } catch (error const& e) {
      // A GPU that has no room left or fails leaves the CPU to do it.
      if (e.kind() != error_kind::device) throw;
    }
  }
  cpu::permute(p, from.get(), to.get(), tell);
  return "cpu";
}

}  // namespace

file_report transpose_file(std::filesystem::path const& input, std::filesystem::path const& output, file_options const& options) {
  input_file const file(input);
  npy_header const header = read_npy_header(file);
  std::vector<std::int64_t> const axes = axes_of(options.axes, header.shape.size());
  if (options.processor == processor::gpu) refuse_missing_gpu("device", "cpu or auto");

  file_report report{.shape = {}, .dtype = dtype_name(header), .bytes = header.bytes, .processor = "cpu"};
  for (std::int64_t axis : axes) report.shape.push_back(header.shape[axis]);

  // Before anything is read, so that a folder that cannot be written to is known at once.
  replacement result(output);
  std::string const preamble = npy_preamble(header, report.shape);
  result.write(preamble.data(), preamble.size());

  if (header.bytes > 0) {
    memory const from = allocate(header.bytes, input), to = allocate(header.bytes, input);
    file.read(header.data_offset, from.get(), header.bytes, phase(0, options.progress));

    auto const strides = dense_strides(header.shape, header.order);
    problem const p = canonical(permutation(header.shape, strides, axes, header.element_size));
    auto const start = std::chrono::steady_clock::now();
    report.processor = move(p, options.processor, from, to, phase(1, options.progress));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    result.write(to.get(), header.bytes, phase(2, options.progress));
  }
  result.commit([&] {
    if (options.progress) options.progress(1);
  });
  return report;
}

}  // namespace cornerturn
