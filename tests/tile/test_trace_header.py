"""cornerturn/trace.cuh without the library: a copy of it compiles as C++17 by nvcc, and the program reads what it writes."""

import os
import pathlib
import re
import shutil
import subprocess
import sysconfig

import pytest

HEADER = pathlib.Path(__file__).parents[2] / "include/cornerturn/trace.cuh"
KERNEL = """#include "trace.cuh"
__global__ void transpose(float* out, float const* in, cornerturn::trace trace) {
  __shared__ float tile[32][32];
  trace.store(tile[threadIdx.y][threadIdx.x]) = trace.load(in[threadIdx.y * 32 + threadIdx.x]);
  __syncthreads();
  trace.store(out[threadIdx.y * 32 + threadIdx.x]) = trace.load(tile[threadIdx.x][threadIdx.y]);
  trace.store(*reinterpret_cast<float4*>(out)) = trace.load(*reinterpret_cast<float4 const*>(in));
}
"""
LAUNCH = """int main() {
  cornerturn::trace_memory memory;
  transpose<<<1, dim3(32, 32)>>>(nullptr, nullptr, memory.get());
  memory.write(stdout, "transpose", __FILE__);
}
"""
# what a GPU would have recorded of the fourth and the sixth line
RECORDED = """#include "trace.cuh"
int main() {
  std::vector<cornerturn::traced_access> all;
  for (unsigned thread = 0; thread < 64; ++thread) {
    unsigned long long const x = thread % 32, y = thread / 32;
    all.push_back({0x7f0000000000 + (y * 32 + x) * 4, 5, y * 32, int(thread), 4, 4, false, false});
    all.push_back({(y * 32 + x) * 4, 5, y * 32, int(thread), 4, 4, true, true});
    all.push_back({(x * 32 + y) * 4, 5, y * 32, int(thread), 6, 4, false, true});
  }
  cornerturn::print_accesses(stdout, "transpose", "use.cu", all);
}
"""


def nvcc():
    wheel = pathlib.Path(sysconfig.get_paths()["purelib"], "nvidia", "cu13", "bin")
    found = shutil.which("nvcc", path=os.pathsep.join([os.environ["PATH"], "/usr/local/cuda/bin", str(wheel)]))
    if not found:
        pytest.skip("no nvcc")
    return found


def compiled(folder, source, *options):
    shutil.copy(HEADER, folder)
    (folder / "use.cu").write_text(source)
    done = subprocess.run([nvcc(), "-std=c++17", "-arch=sm_80", "-Werror=all-warnings", "-Xcompiler=-Wall,-Wextra", *options, "use.cu"], cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_kernel_passes_its_lines(tmp_path):
    compiled(tmp_path, "\n" * 1000 + KERNEL, "-ptx", "-o", "use.ptx")
    ptx = (tmp_path / "use.ptx").read_text()
    assert {1004, 1006, 1007} == {int(number) for number in re.findall(r"\b(10\d\d);", ptx)}, ptx
    assert all(instruction in ptx for instruction in ("activemask", "shfl.sync", "atom.global.add"))


def test_a_program_that_records_is_compiled_whole(tmp_path):
    compiled(tmp_path, KERNEL + LAUNCH, "-o", "use")


def test_the_program_explains_what_the_header_writes(tmp_path):
    compiled(tmp_path, RECORDED, "-o", "record")
    (tmp_path / "trace.txt").write_text(subprocess.run([tmp_path / "record"], capture_output=True, text=True, check=True).stdout)
    (tmp_path / "use.cu").write_text(KERNEL)
    done = subprocess.run([os.environ["CORNERTURN"], "explain", "--trace", "trace.txt"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("transpose: 66 wavefronts of shared memory, 4 would do; 8 sectors of global")
    assert "1 block of 64 threads in the trace" in done.stdout
    assert "    trace.store(tile[threadIdx.y][threadIdx.x]) = trace.load(in[threadIdx.y" in done.stdout
    assert "32-way bank conflict" in done.stdout and "use.cu:6" in done.stdout
