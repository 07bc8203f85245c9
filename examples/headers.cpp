// A few lines for each header of the library, which the header's comments show.
#include <cornerturn/cornerturn.hpp>
#include <cornerturn/page.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

int wrong = 0;

void expect(bool holds, std::string_view what) {
  if (!holds) ++wrong, std::cout << "wrong: " << what << '\n';
}

void permute() {
  std::vector<float> image(480 * 640 * 3), planes(image.size());
  cornerturn::permute(image.data(), planes.data(), {480, 640, 3}, {2, 0, 1}, sizeof(float));
  image[1] = 1;
  cornerturn::permute(image.data(), planes.data(), {480, 640, 3}, {2, 0, 1}, sizeof(float), {.threads = 2});
  expect(planes[480 * 640] == 1, "permute.hpp");
}

void rearrange() {
  std::vector<float> image(480 * 640 * 3), patches(image.size());
  std::vector<cornerturn::axis_length> const lengths{{"p", 16}, {"q", 16}};
  image[16 * 3] = 1;
  cornerturn::rearrange(image.data(), patches.data(), "(h p) (w q) c -> (h w) (p q c)", {480, 640, 3}, sizeof(float), lengths);
  expect(patches[16 * 16 * 3] == 1, "rearrange.hpp");
  float const zero = 0;
  auto const padded = cornerturn::plan_rearrange("(h p) (w q) -> h w p q", {470, 630}, sizeof(float), lengths, {.pad = &zero});
  expect(padded.describe().find("padded from 470") != std::string::npos, "rearrange.hpp");
}

void formats() {
  std::vector<std::uint8_t> scales(300 * 10, 1), tiles(3 * 3 * 512);
  auto const call = cornerturn::packing("block_scales_32x4x4", {300, 10}, 8);
  std::uint8_t const zero = 0;
  cornerturn::rearrange(scales.data(), tiles.data(), call.pattern, {300, 10}, 1, call.axis_lengths(), {.pad = &zero});
  expect(tiles[0] == 1 && tiles.back() == 0, "formats.hpp");
}

void transpose() {
  double const source[2][3] = {{1, 2, 3}, {4, 5, 6}};
  double destination[3][2];
  cornerturn::transpose(source, destination, 2, 3, sizeof(double));
  expect(destination[2][1] == 6, "transpose.hpp");
}

void plan() {
  auto const plan = cornerturn::plan_permute({480, 640, 3}, {2, 0, 1}, 1, {.processor = cornerturn::processor_kind::cpu});
  std::cout << plan.describe() << '\n';
  std::vector<std::uint8_t> image(480 * 640 * 3, 7), planes(image.size());
  plan.run(image.data(), planes.data());
  expect(planes.back() == 7, "plan.hpp");
}

void inplace() {
  std::vector<int> matrix{1, 2, 3, 4, 5, 6};
  cornerturn::permute_inplace(matrix.data(), {2, 3}, {1, 0}, sizeof(int));
  expect(matrix == std::vector<int>{1, 4, 2, 5, 3, 6}, "inplace.hpp");
}

void elements() {
  std::vector<std::uint8_t> image(480 * 640 * 3, 255);
  std::vector<float> planes(image.size());
  cornerturn::elements const scaled{cornerturn::element_type::u8, cornerturn::element_type::f32, 1 / 255.0};
  cornerturn::permute(image.data(), planes.data(), {480, 640, 3}, {2, 0, 1}, scaled);
  expect(planes.back() == 1, "element_operation.hpp");
}

void element_type() {
  auto const type = cornerturn::element_type_named("bf16");
  std::cout << cornerturn::name_of(type) << ": " << cornerturn::size_of(type) << " bytes\n";
  expect(cornerturn::size_of(type) == 2 && cornerturn::name_of(type) == "bf16", "element_type.hpp");
}

void quantize() {
  std::vector<float> matrix(128 * 256, 3), scales(128 * 2);
  std::vector<std::uint8_t> values(matrix.size());
  cornerturn::quantize(
      matrix.data(), cornerturn::element_type::f32, 128, 256, 256, cornerturn::element_type::f8_e4m3fn,
      {.values = values.data(), .pitch = 256, .scales = scales.data(), .scale_row_stride = 2, .scale_block_stride = 1}, {});
  expect(scales[0] == 3 / 448.0f, "quantize.hpp");
}

void file() {
  auto const folder = std::filesystem::temp_directory_path() / "cornerturn-example";
  std::filesystem::create_directories(folder);
  auto const input = folder / "in.raw", output = folder / "out.raw";
  cornerturn::write_file(input, "abcdef");
  cornerturn::transpose_file(input, output, {.raw = cornerturn::raw_array{.shape = {2, 3}, .type = "u8"}});
  expect(std::filesystem::file_size(output) == 6, "file.hpp");
  std::filesystem::remove_all(folder);
}

void explain() {
  auto const naive = cornerturn::explain("naive-read", {.rows = 1024, .cols = 1024});
  for (auto const& each : naive.instructions) std::cout << each.source << ": " << each.sectors << " sectors\n";
  expect(naive.instructions.size() == 2, "explain.hpp");
}

void code() {
  for (auto const& found : cornerturn::suggest_code("__shared__ float tile[32][32]; tile[threadIdx.x][0];"))
    std::cout << found.cuda_code << '\n';
  expect(cornerturn::explain_code("float s[64]; s[lane * 2];").instructions[0].wavefronts == 2, "code.hpp");
}

void trace() {
  auto const folder = std::filesystem::temp_directory_path() / "cornerturn-trace";
  std::filesystem::create_directories(folder);
  std::string const path = folder / "trace.txt";
  cornerturn::write_file(path, "transpose 0 37 transpose.cu:12 0 load global 0x7f20c2000094 4\n");
  for (auto const& kernel : cornerturn::explain_trace(path)) std::cout << cornerturn::report_of(kernel);
  expect(cornerturn::explain_trace(path)[0].blocks == 1, "trace.hpp");
  std::filesystem::remove_all(folder);
}

void layout() {
  cornerturn::layout_options const tile{
      .layout = "(32,32):(1,32)", .store = {.threads = "(32,32):(32,1)"}, .load = {.threads = "(32,32):(1,32)"}};
  std::cout << cornerturn::suggest_layout(tile).cuda_code << '\n';
  expect(cornerturn::suggest_layout(tile).wavefronts == 64, "layout.hpp");
}

void page() {
  std::string const html = cornerturn::page_of({cornerturn::explain("smem-swizzled", {})}, "f32");
  expect(html.starts_with("<!doctype html>"), "page.hpp");
}

void ladder() {
  auto const run = cornerturn::run_ladder({.rows = 500, .cols = 700, .repeats = 1, .processor = cornerturn::processor_kind::cpu});
  for (auto const& rung : run.rungs) std::cout << rung.name << ": " << rung.ratio << " of a copy\n";
  expect(run.all_right(), "ladder.hpp");
}

void info() {
  auto const here = cornerturn::info();
  std::cout << here.cpu.name << ", " << here.cpu.instructions << ", GPUs: " << here.gpus.size() << '\n';
}

void cache() {
  auto const before = cornerturn::cache_info();
  permute();
  std::cout << cornerturn::cache_info().hits << " calls found their plan\n";
  expect(cornerturn::cache_info().hits > before.hits, "cache.hpp");
}

void threads() {
  cornerturn::set_num_threads(4);
  expect(cornerturn::num_threads() == 4, "threads.hpp");
  cornerturn::set_num_threads(0);
}

void worker_threads() {
  cornerturn::worker_threads const alone{.parallel_for =
                                             [](int count, std::function<void(int)> const& part) {
                                               for (int i = 0; i < count; ++i) part(i);
                                             },
                                         .count = 2};
  auto const plan = cornerturn::plan_permute({1000, 1000}, {1, 0}, 4, {.processor = cornerturn::processor_kind::cpu});
  std::vector<float> source(1000 * 1000, 2), destination(source.size());
  plan.run_on(alone, source.data(), destination.data());
  expect(destination.back() == 2, "worker_threads.hpp");
}

void log() {
  cornerturn::set_log_hook([](std::string_view line) { std::cerr << "cornerturn: " << line << '\n'; });
  cornerturn::set_log_hook({});
}

void error() {
  int matrix[6] = {};
  try {
    cornerturn::permute_inplace(matrix, {2, 3}, {1, 1}, sizeof(int));
  } catch (cornerturn::error const& refused) {
    std::cout << refused.argument() << ": expected " << refused.allowed() << '\n';
  }
}

}  // namespace

int main() {
  for (auto* example : {permute, rearrange, formats, transpose, plan, inplace, elements, element_type, quantize, file, explain, code, trace, layout, page, ladder,
                        info, cache, threads, worker_threads, log, error})
    example();
  return wrong;
}
