"""A GPU that PyTorch uses and cornerturn cannot: its driver is older than the library needs, or the library has no kernels for it.

A library takes the place of PyTorch's. It has the functions that the override of aten::copy_ looks up, and registers its kernels. Its
tensors are of device 99, which no machine has, so the engine refuses their copies before it touches their memory.
"""

import os
import pathlib
import subprocess
import sys

import cornerturn

PACKAGE = pathlib.Path(cornerturn.__file__).parents[1]
TORCH = r"""
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPORTS(name, type, value) int name(struct tensor *of, type *result) { return *result = value, 0; }
#define IS_FALSE(name) bool name(void) { return false; }

typedef void (*kernel)(uint64_t *stack, uint64_t arguments, uint64_t results);
struct tensor { int64_t strides[2]; float elements[300 * 300]; };

static struct tensor transposed = {.strides = {1, 300}}, dense = {.strides = {300, 1}};
static int64_t sizes[] = {300, 300};
static kernel on_gpu;
static int asked, copied;

int aoti_torch_library_init_impl(char *space, char *key, char *file, uint32_t line, void **made) { return *made = key, 0; }
int aoti_torch_library_impl(char const *library, char const *name, kernel given) {
  if (!strcmp(library, "CUDA")) on_gpu = given;
  return 0;
}
int aoti_torch_delete_library_object(void *library) { return 0; }
int aoti_torch_delete_tensor_object(struct tensor *of) { return 0; }

REPORTS(aoti_torch_is_defined, bool, true)
REPORTS(aoti_torch_get_numel, int64_t, 300 * 300)
REPORTS(aoti_torch_get_dim, int64_t, 2)
REPORTS(aoti_torch_get_sizes, int64_t *, sizes)
REPORTS(aoti_torch_get_strides, int64_t *, of->strides)
REPORTS(aoti_torch_get_dtype, int32_t, 6)
REPORTS(aoti_torch_get_layout, int32_t, 0)
REPORTS(aoti_torch_get_device_type, int32_t, 1)
REPORTS(aoti_torch_get_device_index, int32_t, 99)
REPORTS(torch_get_const_data_ptr, void *, (++asked, of->elements))
REPORTS(torch_get_mutable_data_ptr, void *, of->elements)
int torch_get_num_threads(uint32_t *result) { return *result = 1, 0; }
int aoti_torch_get_current_cuda_stream(int32_t device, void **stream) { return *stream = NULL, 0; }
int32_t aoti_torch_layout_strided(void) { return 0; }
int32_t aoti_torch_device_type_cpu(void) { return 0; }
int32_t aoti_torch_device_type_cuda(void) { return 1; }
int32_t aoti_torch_dtype_float32(void) { return 6; }

struct tensor *_ZN2at6native5copy_ERNS_6TensorERKS1_b(struct tensor *self, struct tensor *source, bool non_blocking) {
  return ++copied, self;
}
IS_FALSE(_ZN2at6native7is_conjERKNS_6TensorE)
IS_FALSE(_ZN2at6native6is_negERKNS_6TensorE)
IS_FALSE(_ZN2at6native14_is_zerotensorERKNS_6TensorE)
IS_FALSE(_ZN2at18in_parallel_regionEv)

/* Copies as often as given. Returns how often PyTorch did it; *tried is how often the engine was called. */
int copy(int times, int *tried) {
  asked = copied = 0;
  for (int i = 0; i < times; ++i) on_gpu((uint64_t[]){(uint64_t)&dense, (uint64_t)&transposed, false}, 3, 1);
  return *tried = asked, copied;
}
"""
PROGRAM = """
import ctypes, sys, types
torch_cpu, torch_cuda = (ctypes.CDLL(path) for path in sys.argv[1:])
import cornerturn, cornerturn._torch_copies as copies

torch = sys.modules["torch"] = types.ModuleType("torch")
torch.Tensor, torch.version = type("Tensor", (), {}), types.SimpleNamespace(cuda="13.0")
torch._C = types.SimpleNamespace(_dispatch_has_kernel_for_dispatch_key=lambda *_: False,
                                 _dispatch_dump=lambda _: "CPU: registered at cornerturn:\\nCUDA: registered at cornerturn:")
cornerturn._cornerturn._has_gpu_engine, copies._expect_copies = True, lambda torch: None
for _ in range(2):
    with copies.enable():
        tried = ctypes.c_int()
        print("PyTorch", torch_cpu.copy(3, ctypes.byref(tried)), "engine", tried.value)
        print(copies.report())
"""


def test_the_first_copy_is_refused_and_later_ones_are_not_tried(tmp_path):
    libraries = [tmp_path / f"libtorch_{name}.so" for name in ("cpu", "cuda")]
    for library in libraries:
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", f"-Wl,-soname,{library.name}", "-o", library], input=TORCH, text=True,
                       check=True)
    done = subprocess.run([sys.executable, "-c", PROGRAM, *libraries], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:5] == lines[5:], "enable() tries again"
    assert lines[:4] == ["PyTorch 3 engine 1", "cornerturn.torch is on for cpu and cuda", "cpu: 0 copies of 0.0 MB taken, 0 left to PyTorch",
                         "cuda: 0 copies of 0.0 MB taken, 3 left to PyTorch (refused 3)"]
    assert lines[4].startswith("cuda: device is 99; it must be -1 "), lines
