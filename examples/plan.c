/* Plans a permutation once and runs it many times, from C: NHWC becomes NCHW. */
#include <cornerturn/cornerturn.h>
#include <stdio.h>

enum { images = 2, rows = 4, cols = 5, channels = 3, elements = images * rows * cols * channels };

int main(void) {
  static float nhwc[elements], nchw[elements];
  for (int i = 0; i < elements; ++i) nhwc[i] = (float)i;

  /* Shape and strides of both layouts, in the destination's order (image, channel, row, column). */
  int64_t const shape[] = {images, channels, rows, cols};
  int64_t const from[] = {rows * cols * channels, 1, cols * channels, channels};
  int64_t const to[] = {channels * rows * cols, rows * cols, cols, 1};
  cornerturn_options options = CORNERTURN_OPTIONS_INIT;
  options.processor = CORNERTURN_CPU;

  cornerturn_plan* plan;
  if (cornerturn_plan_create(&plan, 4, shape, from, to, cornerturn_bytes(sizeof(float)), &options) != CORNERTURN_OK) {
    fprintf(stderr, "%s\n", cornerturn_last_error());
    return 1;
  }
  char text[400];
  cornerturn_plan_describe(plan, text, sizeof text, NULL);
  printf("cornerturn %s: %s\n", cornerturn_version(), text);
  cornerturn_status const status = cornerturn_plan_run(plan, nhwc, nchw, NULL);
  cornerturn_plan_destroy(plan);
  if (status != CORNERTURN_OK) return 1;
  for (int i = 0; i < elements; ++i) {
    int const col = i % cols, row = i / cols % rows, channel = i / (cols * rows) % channels, image = i / (cols * rows * channels);
    if (nchw[i] != nhwc[((image * rows + row) * cols + col) * channels + channel]) return 1;
  }

  /* One call does the same; its plan is kept in a cache. */
  int64_t const source_shape[] = {images, rows, cols, channels}, axes[] = {0, 3, 1, 2};
  cornerturn_elements const floats = cornerturn_bytes(sizeof(float));
  if (cornerturn_permute(nhwc, nchw, 4, source_shape, axes, floats, NULL, NULL) != CORNERTURN_OK) return 1;

  /* Invalid arguments are rejected before anything is written. */
  int64_t const twice[] = {0, 3, 3, 2};
  if (cornerturn_permute(nhwc, nchw, 4, source_shape, twice, floats, NULL, NULL) != CORNERTURN_BAD_ARGUMENT) return 1;
  printf("%s\n", cornerturn_last_error());
  return 0;
}
