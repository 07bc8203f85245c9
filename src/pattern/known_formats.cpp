#include "pattern/known_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/fork_safe_static.hpp"

namespace cornerturn {
namespace {

/// All axes in reverse.
format_call reversed_axes(index_list const& shape) {
  std::string left, right;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    left += fmt::format("a{} ", i);
    right = fmt::format(" a{}", i) + right;
  }
  return {.pattern = left + "->" + right, .lengths = {}, .padded = false, .bits = 8};
}

/// The bits of all indices, interleaved from the lowest on; those of the last axis are the lowest.
format_call interleaved_bits(index_list const& shape) {
  format_call call{.pattern = {}, .lengths = {}, .padded = true, .bits = 8};
  std::vector<int> counts;
  for (auto const extent : shape) counts.push_back(extent < 2 ? 0 : std::bit_width(std::uint64_t(extent - 1)));
  auto const name = [](std::size_t axis, int bit) { return fmt::format("a{}b{}", axis, bit); };
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    call.pattern += "(";
    for (int bit = counts[axis]; bit-- > 0;) {
      call.pattern += name(axis, bit) + " ";
      call.lengths.push_back({name(axis, bit), 2});
    }
    call.pattern += ") ";
  }
  call.pattern += "-> (";
  for (int bit = shape.empty() ? 0 : *std::ranges::max_element(counts); bit-- > 0;)
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (bit < counts[axis]) call.pattern += name(axis, bit) + " ";
  call.pattern += ")";
  return call;
}

std::vector<known_format> make_formats() {
  constexpr bool kPadded = true, kInBytes = true;
  std::vector<known_format> all;
  auto const add = [&](std::string name, std::string pattern, std::vector<format_length> of, bool padded, std::string description,
                       std::string source, int bits = 8) {
    all.push_back({{.name = std::move(name),
                    .pattern = std::move(pattern),
                    .lengths = std::move(of),
                    .padded = padded,
                    .bits = bits,
                    .description = std::move(description),
                    .source = std::move(source)}});
  };
  add("block_scales_32x4x4", "... (m a b) (k c) -> ... m k b a c", {{"a", 4}, {"b", 32}, {"c", 4}}, kPadded,
      "Scales of blocks for tensor cores, in tiles of 128 rows and 4 columns: row i of a tile is at 16 (i % 32) + 4 (i / 32).",
      "cuBLASLt, block scaling; torchao, to_blocked");
  add("deepgemm_scales", "... (m a) k -> ... k (m a)", {{"a", 16, kInBytes}}, kPadded,
      "Scales of the rows of a matrix, column after column, each padded to 16 bytes.", "DeepGEMM, csrc/apis/layout.hpp");
  add("shuffled_weights_8bit", "... (n a) (k b c) -> ... n k b a c", {{"a", 16}, {"b", 2}, {"c", 16}}, false,
      "Weights of 8 bits in tiles of 16 rows of 16 bytes.", "aiter, shuffle_weight");
  add("shuffled_weights_16bit", "... (n a) (k b c) -> ... n k b a c", {{"a", 16}, {"b", 4}, {"c", 8}}, false,
      "Weights of 16 bits in tiles of 16 rows of 16 bytes.", "aiter, shuffle_weight");
  add("core_matrices", "... (m a) (k b) -> ... m k a b", {{"a", 8}, {"b", 16, kInBytes}}, kPadded,
      "Core matrices of 8 rows of 16 bytes.", "PTX, wgmma without a swizzle");
  for (std::string_view const major : {"k", "mn"})
    for (int bits = 3; bits > 0; --bits) {
      bool const is_k = major == "k";
      auto const bytes = 16 << bits;
      add(fmt::format("{}_major_sw{}", major, bytes),
          is_k ? "... (m a) (k b) -> ... m k | a b" : "... (m b) (k a) -> ... m k | a b", {{"a", 8}, {"b", bytes, kInBytes}},
          kPadded,
          fmt::format("Tiles of {} of {} bytes, whose units of 16 bytes are XORed with bit{} of the offset.",
                      is_k ? "rows" : "columns", bytes, bits == 1 ? " 7" : fmt::format("s 7 to {}", 6 + bits)),
          fmt::format("PTX, {}-byte swizzle of wgmma and tensor maps; CUTLASS, Layout_{}_SW{}_Atom", bytes, is_k ? "K" : "MN",
                      bytes));
      all.back().format.swizzle = fmt::format("Sw<{},4,3>", bits);
    }
  add("kv_nhd", "p t h d -> p t h d", {}, false, "Pages of keys or values: token, head, dimension.", "vLLM; FlashInfer, NHD");
  add("kv_hnd", "p t h d -> p h t d", {}, false, "Pages of keys or values: head, token, dimension.", "vLLM; FlashInfer, HND");
  add("kv_packed_keys", "p t h (d x) -> p h d t x", {{"x", 16, kInBytes}}, false,
      "Pages of keys in which x dimensions of 16 bytes stay together.", "vLLM, key cache of paged attention");
  add("kv_packed_values", "p t h d -> p h d t", {}, false, "Pages of values with the tokens innermost.",
      "vLLM, value cache of paged attention");
  add("kv_pages_of_layers", "l p ... -> p l ...", {}, false, "The layers of a page side by side.", "LMCache, EngineKVFormat");
  add("channels_last", "b c ... -> b ... c", {}, false, "Channels innermost.", "PyTorch, channels_last; cuDNN, NHWC");
  add("channels_in_blocks", "b (c x) ... -> b c ... x", {{"x", 16}}, kPadded, "Blocks of x channels innermost.",
      "oneDNN, nChw16c; x=8 is nChw8c");
  add("raster_bsq", "b y x -> b y x", {}, false, "Bands one after another.", "GDAL, INTERLEAVE=BAND");
  add("raster_bil", "b y x -> y b x", {}, false, "Bands interleaved by line.", "GDAL, INTERLEAVE=LINE");
  add("raster_bip", "b y x -> y x b", {}, false, "Bands interleaved by pixel.", "GDAL, INTERLEAVE=PIXEL");
  add("complex_interleaved", "c ... -> ... c", {{"c", 2}}, false, "Real and imaginary parts side by side, of planes.",
      "FFTW, interleaved and split format");
  add("iq_samples", "c s q -> s c q", {{"q", 2}}, false,
      "Samples of all channels in turn, each an in-phase and a quadrature part.", "SigMF, ci16 and cf32 recordings");
  add("pcm24_frames", "c s b -> s c b", {{"b", 3}}, false, "Frames of 24-bit samples of all channels, of planes of bytes.",
      "WAVE, PCM of 24 bits");
  add("rope_pairs", "... (q d) -> ... (d q)", {{"q", 2}}, false, "Halves of each row as neighbours.",
      "transformers, rotary embeddings");
  add("gate_up", "... (q n) k -> ... (n q) k", {{"q", 2}}, false, "Rows of two projections in turn.", "MoE kernels, gate and up");
  add("z_order_8x8", "... (m a b c) (n d e f) -> ... m n (a d b e c f)",
      {{"a", 2}, {"b", 2}, {"c", 2}, {"d", 2}, {"e", 2}, {"f", 2}}, kPadded, "Tiles of 8 x 8 texels in Morton order.",
      "G. M. Morton, 1966");
  add("nibbles_transposed", "... m k -> ... k m", {}, false,
      "A matrix of packed elements of 4 bits, transposed and packed again.", "TransformerEngine, nvte_nvfp4_transpose", 4);
  add("bits_transposed", "... m k -> ... k m", {}, false, "A matrix of bits, transposed and packed again.", "NumPy, packbits", 1);
  add("matlab", "a ... z -> z ... a", {}, false, "All axes in reverse, as in Fortran.", "MATLAB, MAT-files");
  all.back().call_for = reversed_axes;
  add("morton", "(a b) (c d) -> (a c b d)", {}, kPadded, "All elements in Morton order, of axes padded to powers of two.",
      "G. M. Morton, 1966");
  all.back().call_for = interleaved_bits;
  all.back().format.by_shape = true;
  return all;
}

}  // namespace

std::vector<known_format> const& known_formats() {
  static constinit fork_safe_static<std::vector<known_format>> instance;
  return instance.get(make_formats);
}

}  // namespace cornerturn
