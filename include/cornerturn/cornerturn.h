/* cornerturn for C and for whatever calls C: arrays are copied between two layouts of one shape.
 *
 * Strides count elements and are signed; sizes and alignments count bytes. A pointer to data is that of element (0, ..., 0). The
 * stream is a cudaStream_t, or null for the default one; for host memory it makes no difference. Data on a GPU is that of one
 * device, which need not be the current one, and work on it is only enqueued. What permute.hpp says of layouts holds here too.
 *
 * Functions return a status; no exception leaves them. Any thread may call any of them, and any number of threads may use one
 * plan, until one of them destroys it. */
#ifndef CORNERTURN_CORNERTURN_H
#define CORNERTURN_CORNERTURN_H

#include <stddef.h>
#include <stdint.h>

#include "cornerturn/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cornerturn_status {
  CORNERTURN_OK = 0,
  CORNERTURN_BAD_ARGUMENT = 1, /* cornerturn_last_error names it, its value and what is allowed */
  CORNERTURN_FILE_ERROR = 2,
  CORNERTURN_DEVICE_ERROR = 3,     /* a CUDA call failed */
  CORNERTURN_OUT_OF_MEMORY = 4,    /* on the host */
  CORNERTURN_BUFFER_TOO_SMALL = 5, /* the text was cut off; `needed` says what it takes */
  CORNERTURN_INTERNAL_ERROR = 6
} cornerturn_status;

typedef enum cornerturn_processor {
  CORNERTURN_AUTOMATIC = 0, /* where the memory lies; for a plan, the GPU where one can be used */
  CORNERTURN_CPU = 1,
  CORNERTURN_GPU = 2
} cornerturn_processor;

typedef enum cornerturn_effort {
  CORNERTURN_ESTIMATE = 0, /* microseconds */
  CORNERTURN_MEASURE = 1   /* times the best candidates on the device: under half a second */
} cornerturn_effort;

typedef struct cornerturn_options {
  size_t size;                   /* sizeof(cornerturn_options): later versions may add members behind the last */
  int32_t processor;             /* a cornerturn_processor */
  int32_t effort;                /* a cornerturn_effort */
  int32_t source_alignment;      /* bytes, a power of two, that the pointers will be multiples of */
  int32_t destination_alignment; /* beyond 16 it makes no difference */
  int32_t device;                /* the number of the GPU; -1: the current one */
} cornerturn_options;

/* What null options mean as well: automatic, estimate, 16, 16, -1. */
#define CORNERTURN_OPTIONS_INIT \
  { sizeof(cornerturn_options), CORNERTURN_AUTOMATIC, CORNERTURN_ESTIMATE, 16, 16, -1 }

typedef struct cornerturn_plan cornerturn_plan;

/* Plans the copy of an array of `rank` modes, for pointers that come later. On success *plan is to be destroyed; otherwise it is
 * null. */
CORNERTURN_API cornerturn_status cornerturn_plan_create(cornerturn_plan** plan, int32_t rank, int64_t const* shape,
                                                        int64_t const* source_strides, int64_t const* destination_strides,
                                                        int64_t element_size, cornerturn_options const* options);

/* Moves what was planned; on a GPU it allocates nothing, waits for nothing and can be captured in a graph. */
CORNERTURN_API cornerturn_status cornerturn_plan_run(cornerturn_plan const* plan, void const* source, void* destination,
                                                     void* stream);

/* Writes one line about a plan, ended by a 0, into a buffer of `capacity` bytes; `needed`, unless null, becomes the bytes that
 * the whole takes, its 0 included. A null buffer of capacity 0 only asks for that. */
CORNERTURN_API cornerturn_status cornerturn_plan_describe(cornerturn_plan const* plan, char* buffer, size_t capacity,
                                                          size_t* needed);

/* A null plan is let be. */
CORNERTURN_API void cornerturn_plan_destroy(cornerturn_plan* plan);

/* destination[i] = source[i] for every index of `shape`; plans are kept in a cache for such calls. Memory that `stream` allocated
 * while it is captured, on both sides, needs a plan instead, which knows its GPU. */
CORNERTURN_API cornerturn_status cornerturn_strided_copy(void const* source, int64_t const* source_strides, void* destination,
                                                         int64_t const* destination_strides, int32_t rank, int64_t const* shape,
                                                         int64_t element_size, void* stream);

/* Between dense arrays in C order: mode i of the destination is mode axes[i] of the source, whose shape is given. Negative axes
 * count from the end. */
CORNERTURN_API cornerturn_status cornerturn_permute(void const* source, void* destination, int32_t rank, int64_t const* shape,
                                                    int64_t const* axes, int64_t element_size, void* stream);

/* How many threads a call that moves host memory may use, the caller's among them; 0: as many as the process may use. */
CORNERTURN_API cornerturn_status cornerturn_set_num_threads(int32_t threads);

/* What a status means, in general. Never null. */
CORNERTURN_API char const* cornerturn_status_text(cornerturn_status status);

/* What the last call of this thread that failed had to say; empty before there was one. Valid until the next one fails. */
CORNERTURN_API char const* cornerturn_last_error(void);

/* Of the library that is loaded, e.g. "0.1.0". */
CORNERTURN_API char const* cornerturn_version(void);

#ifdef __cplusplus
}
#endif

#endif
