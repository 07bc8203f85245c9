// The input of a convolution: images of NCHW become NHWC after a batch norm and ReLU,
// out[image][pixel][channel] = max(0, in[image][channel][pixel] * scale[channel] + shift[channel]).
#include <cornerturn/tile.cuh>

/// Blocks of 256 threads, one for each 64 channels of 64 pixels. Blocks in z are images.
__global__ void __launch_bounds__(256)
    nhwc(float const* in, float const* scale, float const* shift, float* out, int channels, int pixels) {
  using tile = cornerturn::tile_transpose<float, 64, 64, 256>;
  alignas(16) __shared__ char memory[tile::shared_bytes];
  cornerturn::tile::thread_block block(memory);
  int const channel = int(blockIdx.x) * 64, pixel = int(blockIdx.y) * 64;
  long long const image = (long long)blockIdx.z * channels * pixels;
  cornerturn::tile::bounds const bounds{channels - channel, pixels - pixel};
  tile::load(block, in + image + channel * (long long)pixels + pixel, pixels, bounds, [=](float x, int in_tile, int) {
    float const y = x * scale[channel + in_tile] + shift[channel + in_tile];
    return y > 0 ? y : 0;
  });
  tile::store(block, out + image + pixel * (long long)channels + channel, channels, bounds);
}
