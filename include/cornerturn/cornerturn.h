/* The C interface of cornerturn: copies an array from one layout to another.
 *
 * Strides are signed and count elements; sizes and alignments count bytes. A data pointer is the address of element (0, ..., 0).
 * A stream is a cudaStream_t, or null for the default stream; it is ignored for host memory. Device memory must belong to one
 * GPU, which need not be the current one; work on it is only enqueued. The rules of permute.hpp for layouts apply.
 *
 * Functions return a status and throw no exceptions. All functions are thread-safe, and several threads may use one plan until
 * one of them destroys it. pthread_cancel takes effect after a call, at the thread's next cancellation point. */
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
  CORNERTURN_BAD_ARGUMENT = 1, /* cornerturn_last_error names the argument, its value and the allowed values */
  CORNERTURN_FILE_ERROR = 2,
  CORNERTURN_DEVICE_ERROR = 3,     /* a CUDA call failed; cornerturn_last_error_code returns CUDA's code */
  CORNERTURN_OUT_OF_MEMORY = 4,    /* too little memory, of a GPU or of the host */
  CORNERTURN_BUFFER_TOO_SMALL = 5, /* the text was truncated; `needed` is the size that it needs */
  CORNERTURN_INTERNAL_ERROR = 6
} cornerturn_status;

typedef enum cornerturn_processor {
  CORNERTURN_AUTOMATIC = 0, /* the owner of the memory; for a plan, the GPU if one can be used */
  CORNERTURN_CPU = 1,
  CORNERTURN_GPU = 2
} cornerturn_processor;

typedef enum cornerturn_effort {
  CORNERTURN_ESTIMATE = 0, /* uses a performance model; takes microseconds */
  CORNERTURN_MEASURE = 1   /* times the best candidates; takes less than half a second */
} cornerturn_effort;

#define CORNERTURN_ELEMENT_TYPE(type, CONSTANT, ...) CORNERTURN_##CONSTANT,
/* The types of elements that an operation changes: CORNERTURN_BOOL is 0, CORNERTURN_U8 is 1, and so on in the order of the rows
 * in element_types.def; element_type.hpp describes them. */
typedef enum cornerturn_type {
#include "cornerturn/element_types.def"
} cornerturn_type;

/* destination = alpha * op(source) + beta * destination, where op is the identity or the complex conjugate; or
 * destination = scale * source + bias with factors for each element */
typedef struct cornerturn_operation {
  size_t size;                   /* sizeof(cornerturn_operation); later versions may append members */
  int32_t source_type;           /* a cornerturn_type */
  int32_t destination_type;      /* a cornerturn_type */
  double alpha[2], beta[2];      /* the real part and the imaginary part, which is 0 unless the destination is complex */
  int32_t conjugate;             /* other than 0: op is the complex conjugate */
  int32_t saturate;              /* other than 0: numbers beyond the range of an 8-bit floating-point type, which the destination
                                  * must then have, become its largest ones */
  void const *scale, *bias;      /* factors of each element, float or double as element_operation.hpp says, outside the address
                                  * range of the destination; null: 1, or none */
  int64_t const* factor_strides; /* rank numbers: the layout of scale and bias over the shape of the destination */
  int32_t source_swapped, destination_swapped; /* other than 0: the bytes of that side's elements, or of the parts of complex
                                                * ones, are in the order other than the processor's */
} cornerturn_operation;

/* An operation that only changes the type of elements. */
#define CORNERTURN_OPERATION_INIT(source_type, destination_type) \
  { sizeof(cornerturn_operation), source_type, destination_type, {1, 0}, {0, 0}, 0, 0, 0, 0, 0, 0, 0 }

/* The elements of an array in a call that moves them. They keep their bytes, e.g. cornerturn_bytes(sizeof(float)), or an
 * operation changes them: cornerturn_changed_by(&operation). The strides of each side count elements of that side. */
typedef struct cornerturn_elements {
  int64_t bytes;                         /* of an element, 1 or more, e.g. sizeof(float); ignored with an operation */
  cornerturn_operation const* operation; /* how elements change; null: they keep their bytes */
} cornerturn_elements;

/* Elements of this many bytes, which they keep. */
static inline cornerturn_elements cornerturn_bytes(int64_t bytes) {
  cornerturn_elements const elements = {bytes, 0};
  return elements;
}

/* Elements that an operation changes. A plan does not keep the pointer. */
static inline cornerturn_elements cornerturn_changed_by(cornerturn_operation const* operation) {
  cornerturn_elements const elements = {0, operation};
  return elements;
}

typedef struct cornerturn_options {
  size_t size;                   /* sizeof(cornerturn_options); later versions may append members */
  int32_t processor;             /* a cornerturn_processor */
  int32_t effort;                /* a cornerturn_effort */
  int32_t source_alignment;      /* guaranteed alignment in bytes, a power of two; only matters on a GPU, up to 16 */
  int32_t destination_alignment; /* as source_alignment */
  int32_t device;                /* number of the GPU; -1: the current one */
  int32_t threads;               /* maximum number of the CPU's threads; 0: no limit besides cornerturn_set_num_threads */
} cornerturn_options;

/* The default options; a null pointer means the same. */
#define CORNERTURN_OPTIONS_INIT \
  { sizeof(cornerturn_options), CORNERTURN_AUTOMATIC, CORNERTURN_ESTIMATE, 16, 16, -1, 0 }

typedef struct cornerturn_plan cornerturn_plan;

/* Plans a copy of an array of `rank` modes; shape and strides have one entry per mode. On success *plan is a plan that the caller
 * destroys, otherwise null. */
CORNERTURN_API cornerturn_status cornerturn_plan_create(cornerturn_plan** plan, int32_t rank, int64_t const* shape,
                                                        int64_t const* source_strides, int64_t const* destination_strides,
                                                        cornerturn_elements elements, cornerturn_options const* options);

/* Plans a permutation: mode i of the destination is mode axes[i] of the source. `shape` is the source's; negative axes count from
 * the end. A side whose strides, one per mode of that side, are null is dense, in C order. */
CORNERTURN_API cornerturn_status cornerturn_plan_permute(cornerturn_plan** plan, int32_t rank, int64_t const* shape,
                                                         int64_t const* source_strides, int64_t const* axes,
                                                         int64_t const* destination_strides, cornerturn_elements elements,
                                                         cornerturn_options const* options);

/* Runs a plan. On a GPU it neither allocates nor synchronises, and can be captured in a graph.
 *
 * On a GPU both pointers are aligned as the options of the plan say, by default to 16 bytes. CORNERTURN_BAD_ARGUMENT, before an
 * element is accessed: a null pointer although there is something to move, on a GPU a pointer less aligned than planned, address
 * ranges that overlap, and memory that the planned processor cannot access. CORNERTURN_DEVICE_ERROR: a CUDA call failed.
 * CORNERTURN_OUT_OF_MEMORY: the CPU's threads find no memory for their tiles; the destination may be in part written. */
CORNERTURN_API cornerturn_status cornerturn_plan_run(cornerturn_plan const* plan, void const* source, void* destination,
                                                     void* stream);

/* Threads of the caller for plans that run on the CPU. `parallel_for` calls part(state, 0) to part(state, count - 1), each once,
 * on any threads and in any order, and returns when all of them have returned; it gets the `context` given here. */
typedef struct cornerturn_workers {
  void (*parallel_for)(void* context, int32_t count, void (*part)(void* state, int32_t index), void* state);
  void* context;
  int32_t count; /* the maximum number of parts */
} cornerturn_workers;

/* Runs a plan for the CPU on threads of the caller. */
CORNERTURN_API cornerturn_status cornerturn_plan_run_on(cornerturn_plan const* plan, cornerturn_workers const* workers,
                                                        void const* source, void* destination);

/* Writes a null-terminated description of a plan, one line, into a buffer of `capacity` bytes. *needed, unless `needed` is null,
 * is set to the bytes of the whole text with its terminator. With a null buffer and capacity 0 only *needed is set. */
CORNERTURN_API cornerturn_status cornerturn_plan_describe(cornerturn_plan const* plan, char* buffer, size_t capacity,
                                                          size_t* needed);

/* Destroys a plan; a null pointer is ignored. */
CORNERTURN_API void cornerturn_plan_destroy(cornerturn_plan* plan);

/* The options of the calls below that move an array at once; their plans are kept in a cache. */
typedef struct cornerturn_copy_options {
  size_t size;       /* sizeof(cornerturn_copy_options); later versions may append members */
  int32_t processor; /* a cornerturn_processor */
  int32_t device;  /* number of the GPU that moves the data, which memory allocated during stream capture needs; -1: its owner */
  int32_t threads; /* maximum number of the CPU's threads; 0: no limit besides cornerturn_set_num_threads */
} cornerturn_copy_options;

/* The default options; a null pointer means the same. */
#define CORNERTURN_COPY_OPTIONS_INIT \
  { sizeof(cornerturn_copy_options), CORNERTURN_AUTOMATIC, -1, 0 }

/* destination[i] = source[i], or what an operation makes of it, for every index i of `shape`. */
CORNERTURN_API cornerturn_status cornerturn_strided_copy(void const* source, int64_t const* source_strides, void* destination,
                                                         int64_t const* destination_strides, int32_t rank, int64_t const* shape,
                                                         cornerturn_elements elements, void* stream,
                                                         cornerturn_copy_options const* options);

/* Permutes a dense array in C order: mode i of the destination is mode axes[i] of the source. `shape` is the source's; negative
 * axes count from the end. */
CORNERTURN_API cornerturn_status cornerturn_permute(void const* source, void* destination, int32_t rank, int64_t const* shape,
                                                    int64_t const* axes, cornerturn_elements elements, void* stream,
                                                    cornerturn_copy_options const* options);

/* Permutes `count` arrays of one layout, whose addresses are in `sources`. Each becomes a part of the destination; parts are
 * batch_stride elements apart. On a GPU, one launch moves 256 arrays if an operation has scale or bias. Otherwise like
 * cornerturn_permute, with strides as in cornerturn_plan_permute. */
CORNERTURN_API cornerturn_status cornerturn_permute_batched(void const* const* sources, int64_t count, void* destination,
                                                            int64_t batch_stride, int32_t rank, int64_t const* shape,
                                                            int64_t const* source_strides, int64_t const* axes,
                                                            int64_t const* destination_strides, cornerturn_elements elements,
                                                            void* stream, cornerturn_copy_options const* options);

/* The length of an axis that a pattern names. */
typedef struct cornerturn_axis_length {
  char const* name;
  int64_t length; /* 0 or more */
} cornerturn_axis_length;

/* What a pattern does with an array: rearrange.hpp describes the grammar, e.g. "b (h p) (w q) c -> (b h w) (p q c)". */
typedef struct cornerturn_rearrangement {
  size_t size;         /* sizeof(cornerturn_rearrangement); later versions may append members */
  char const* pattern; /* ends with a null character */
  int32_t rank;        /* number of axes of the source */
  int32_t length_count;
  int64_t const* shape;                  /* of the source */
  cornerturn_axis_length const* lengths; /* length_count lengths; one name in parentheses on the left may have none */
  int64_t const* source_strides;         /* rank strides in elements; null: dense, in C order */
  int64_t const* destination_strides;    /* one per axis of the result; null: dense, in C order */
  void const* pad;             /* an element of the result, in host memory: splits are rounded up, and what the source lacks
                                * becomes this element; null: splits divide their axes */
  int64_t const* result_shape; /* one number per axis of the result, at most the pattern's, which crops; null: the pattern's */
  int32_t bits;                /* of an element: 8 for whole bytes; 4, 2 or 1 for elements that are packed into bytes */
  int32_t big;                 /* other than 0: the first packed element of a byte is in its highest bits, else in its lowest */
  char const* swizzle;         /* of the tiles of the result, e.g. "Sw<3,4,3>"; null: none */
  char const* source_swizzle;  /* of the tiles of the source; null: none */
} cornerturn_rearrangement;

/* A rearrangement of dense arrays without lengths. */
#define CORNERTURN_REARRANGEMENT_INIT(pattern, rank, shape) \
  { sizeof(cornerturn_rearrangement), pattern, rank, 0, shape, 0, 0, 0, 0, 0, 8, 0, 0, 0 }

/* Splits, permutes and merges the axes of an array by a pattern. */
CORNERTURN_API cornerturn_status cornerturn_rearrange(void const* source, void* destination,
                                                      cornerturn_rearrangement const* rearrangement, cornerturn_elements elements,
                                                      void* stream, cornerturn_copy_options const* options);

/* Writes the shape of the result to `shape`, which has room for 64 numbers, and its number of axes to *rank. */
CORNERTURN_API cornerturn_status cornerturn_rearranged_shape(cornerturn_rearrangement const* rearrangement, int32_t* rank,
                                                             int64_t* shape);

/* The elements of a matrix that share a scale; quantize.hpp describes them. */
typedef enum cornerturn_scale_blocks {
  CORNERTURN_SCALE_TENSOR = 0,     /* all elements; the scale is given */
  CORNERTURN_SCALE_ROWS = 1,       /* a row of the output */
  CORNERTURN_SCALE_ROW_BLOCKS = 2, /* 128 elements of a row of the output */
  CORNERTURN_SCALE_SQUARES = 3     /* 128 x 128 elements */
} cornerturn_scale_blocks;

/* An output of cornerturn_quantize. Strides count elements. */
typedef struct cornerturn_quantized_matrix {
  size_t size; /* sizeof(cornerturn_quantized_matrix); later versions may append members */
  void* values;
  int64_t pitch;                                /* from one row of the values to the next */
  float* scales;                                /* unused with CORNERTURN_SCALE_TENSOR */
  int64_t scale_row_stride, scale_block_stride; /* from a row of scales to the next, and from a block's scale to the next */
} cornerturn_quantized_matrix;

typedef struct cornerturn_quantize_options {
  size_t size;                /* sizeof(cornerturn_quantize_options); later versions may append members */
  int32_t processor;          /* a cornerturn_processor */
  int32_t device;             /* as in cornerturn_copy_options */
  int32_t threads;            /* as in cornerturn_copy_options */
  int32_t blocks;             /* a cornerturn_scale_blocks */
  float scale;                /* with CORNERTURN_SCALE_TENSOR: a value times the scale is the number */
  float const* scale_address; /* unless null: the address of that scale, in the memory of the source */
  float least;                /* blocks whose largest magnitude is less are quantised as if it were `least` */
  int32_t power_of_two;       /* other than 0: scales are rounded up to powers of two */
  float* amax;                /* unless null: receives the largest magnitude of all elements */
  float const* source_scales; /* the scales of a source of 8-bit floats, one for each 128 elements of a row; otherwise null */
  int64_t source_scale_row_stride, source_scale_block_stride; /* from a row of these scales to the next, from one to the next */
} cornerturn_quantize_options;

/* The default options; a null pointer means the same. */
#define CORNERTURN_QUANTIZE_OPTIONS_INIT \
  { sizeof(cornerturn_quantize_options), CORNERTURN_AUTOMATIC, -1, 0, CORNERTURN_SCALE_ROW_BLOCKS, 1, 0, 1e-12f, 0, 0, 0, 0, 0 }

/* Quantises a matrix to 8-bit floats, along its rows, along its columns (the output is the transposed matrix) or both; a null
 * output is not wanted. `pitch` is the number of elements from one row of the source to the next. Types are cornerturn_type: f32,
 * f16 or bf16 to an 8-bit type, or an 8-bit type to itself with other scales. The rules of quantize.hpp apply. */
CORNERTURN_API cornerturn_status cornerturn_quantize(void const* source, int32_t source_type, int64_t rows, int64_t cols,
                                                     int64_t pitch, int32_t type, cornerturn_quantized_matrix const* row_wise,
                                                     cornerturn_quantized_matrix const* column_wise, void* stream,
                                                     cornerturn_quantize_options const* options);

/* Permutes a dense array in C order within its memory: mode i of the result is mode axes[i] of the array before. `shape` is the
 * shape before the call; negative axes count from the end. Modes of unequal extents may need a workspace of at most 2 % of the
 * array or 8 MB, which the call allocates before it moves an element; inplace.hpp has the details. A plan in place (below) has
 * other limits and takes the caller's workspace. Elements may have moved if it returns CORNERTURN_DEVICE_ERROR, or
 * CORNERTURN_OUT_OF_MEMORY for the tiles of the CPU's threads; after other errors none has. */
CORNERTURN_API cornerturn_status cornerturn_permute_inplace(void* data, int32_t rank, int64_t const* shape, int64_t const* axes,
                                                            int64_t element_size, void* stream,
                                                            cornerturn_copy_options const* options);

typedef struct cornerturn_inplace_options {
  size_t size;       /* sizeof(cornerturn_inplace_options); later versions may append members */
  int32_t processor; /* a cornerturn_processor */
  int32_t alignment; /* guaranteed alignment of the array in bytes, a power of two; only matters on a GPU, up to 16 */
  int32_t device;    /* number of the GPU; -1: the current one */
  int32_t threads;   /* maximum number of the CPU's threads; 0: no limit besides cornerturn_set_num_threads */
  int64_t workspace; /* bytes of workspace at most; -1: the larger of a fiftieth of the array and 8 MB */
} cornerturn_inplace_options;

/* The default options; a null pointer means the same. */
#define CORNERTURN_INPLACE_OPTIONS_INIT \
  { sizeof(cornerturn_inplace_options), CORNERTURN_AUTOMATIC, 16, -1, 0, -1 }

typedef struct cornerturn_inplace_plan cornerturn_inplace_plan;

/* Plans a cornerturn_permute_inplace. On success *plan is a plan that the caller destroys, otherwise null. *workspace_bytes,
 * unless `workspace_bytes` is null, is set to the bytes of workspace that a run needs, often 0. */
CORNERTURN_API cornerturn_status cornerturn_inplace_plan_create(cornerturn_inplace_plan** plan, int32_t rank,
                                                                int64_t const* shape, int64_t const* axes, int64_t element_size,
                                                                cornerturn_inplace_options const* options,
                                                                int64_t* workspace_bytes);

/* Runs a plan in place. `workspace` is memory of the place where the plan runs, outside the array, its address a multiple of 16;
 * runs at the same time do not share it. If it is null, the run allocates what it needs, on a GPU in stream order. It fails as
 * cornerturn_permute_inplace does, and on a GPU with CORNERTURN_BAD_ARGUMENT for an array less aligned than planned. */
CORNERTURN_API cornerturn_status cornerturn_inplace_plan_run(cornerturn_inplace_plan const* plan, void* data, void* stream,
                                                             void* workspace);

/* Destroys a plan in place; a null pointer is ignored. */
CORNERTURN_API void cornerturn_inplace_plan_destroy(cornerturn_inplace_plan* plan);

/* Transposes a dense matrix: destination[c][r] = source[r][c]. */
CORNERTURN_API cornerturn_status cornerturn_transpose(void const* source, void* destination, int64_t rows, int64_t cols,
                                                      int64_t element_size, void* stream, cornerturn_copy_options const* options);

/* How an array is divided into one block per rank; distributed.hpp describes it. */
typedef struct cornerturn_sharding {
  int32_t grid_rank;            /* the number of modes of the grid of ranks */
  int64_t const* grid;          /* the extent of each mode of the grid */
  int64_t const* modes;         /* the mode of the array that each mode of the grid divides, or -1: replicated */
  int64_t const* const* blocks; /* for each mode of the array the extents of its blocks; null, here or for a mode: equal blocks */
} cornerturn_sharding;

/* A permutation of an array that is spread over ranks, the same on all ranks. */
typedef struct cornerturn_distribution {
  size_t size; /* sizeof(cornerturn_distribution) */
  int32_t rank;
  int64_t const* shape;         /* the shape of the whole source */
  int64_t const* axes;          /* as in cornerturn_permute */
  cornerturn_elements elements; /* without scale and bias if they change */
  cornerturn_sharding source;
  cornerturn_sharding destination; /* by modes of the destination */
} cornerturn_distribution;

/* Carries messages between ranks; `communicator` in distributed.hpp describes the functions. Each function takes `context` first,
 * and returns 0, or another number if it failed. */
typedef struct cornerturn_communicator {
  size_t size; /* sizeof(cornerturn_communicator) */
  void* context;
  int32_t rank;  /* the number of this rank, from 0 */
  int32_t ranks; /* the number of ranks */
  int (*isend)(void* context, void const* data, int64_t bytes, int32_t peer, int64_t* request);
  int (*irecv)(void* context, void* data, int64_t bytes, int32_t peer, int64_t* request);
  int (*wait)(void* context, int64_t request);
  int (*all_min)(void* context, int64_t* values, int32_t count);
  void (*abort)(void* context, char const* reason);
  /* An ncclComm_t of the same ranks, for memory of its GPU, or null. With it, only all_min and abort are called. */
  void* nccl;
  void* stream; /* a cudaStream_t of that GPU; null: its default stream */
} cornerturn_communicator;

/* Permutes the array. All ranks call it, and each passes its blocks, which are dense and in C order. If an argument is wrong on
 * one rank, all ranks return the same error; only the communicator's size and functions are checked by each rank for itself. On a
 * GPU the call only enqueues work, on the communicator's stream. */
CORNERTURN_API cornerturn_status cornerturn_distributed_permute(void const* source, void* destination,
                                                                cornerturn_distribution const* distribution,
                                                                cornerturn_communicator const* communicator);

/* Permutes an array whose blocks are all in this process, in host memory or on GPUs that reach each other's memory;
 * distributed.hpp describes it (local_plan). Each list has one item per rank. `streams` has cudaStream_t; null: the default
 * streams. */
CORNERTURN_API cornerturn_status cornerturn_local_permute(void const* const* sources, void* const* destinations,
                                                          void* const* streams, int32_t ranks,
                                                          cornerturn_distribution const* distribution);

/* Times the candidates of a permutation between dense arrays and stores the fastest one in the user's cache directory for later
 * plans; takes less than half a second. *seconds and *estimated_seconds, unless null, are set to the measured seconds of the
 * fastest candidate and of the one that an estimate would choose, or to 0 if there is nothing to move. The effort in the options
 * is ignored. Scale and bias of an operation are read. */
CORNERTURN_API cornerturn_status cornerturn_tune_permute(int32_t rank, int64_t const* shape, int64_t const* axes,
                                                         cornerturn_elements elements, cornerturn_options const* options,
                                                         double* seconds, double* estimated_seconds);

/* The state of the cache of plans that all calls use which move an array at once, cornerturn_quantize among them. */
typedef struct cornerturn_cache_counters {
  uint64_t hits, misses;    /* lookups since the process started or since the last cornerturn_cache_clear */
  size_t entries, capacity; /* plans */
} cornerturn_cache_counters;

/* Sets *counters. CORNERTURN_BAD_ARGUMENT: `counters` is null. */
CORNERTURN_API cornerturn_status cornerturn_cache_info(cornerturn_cache_counters* counters);

/* Empties the cache, so that later calls plan anew and use the choices of cornerturn_tune_permute. */
CORNERTURN_API cornerturn_status cornerturn_cache_clear(void);

/* Sets the function that receives warnings, by default and after a null `hook` standard error. Several threads may call it at the
 * same time, each time with the `context` given here. log.hpp has the details. */
CORNERTURN_API cornerturn_status cornerturn_set_log_hook(void (*hook)(char const* message, void* context), void* context);

/* Sets the maximum number of threads, including the caller's, that one call uses to move host memory; 0: all available
 * processors. */
CORNERTURN_API cornerturn_status cornerturn_set_num_threads(int32_t threads);

/* The maximum number of threads that a call on this thread would use now. */
CORNERTURN_API int32_t cornerturn_num_threads(void);

/* A general description of a status; never null. */
CORNERTURN_API char const* cornerturn_status_text(cornerturn_status status);

/* The message of this thread's last failed call, or "". It stays valid until the next failure on this thread. */
CORNERTURN_API char const* cornerturn_last_error(void);

/* CUDA's code of this thread's last failed call, a cudaError_t; 0 if no CUDA call was the cause. */
CORNERTURN_API int32_t cornerturn_last_error_code(void);

/* The version of the loaded library, e.g. "0.1.0". */
CORNERTURN_API char const* cornerturn_version(void);

#ifdef __cplusplus
}
#endif

#endif
