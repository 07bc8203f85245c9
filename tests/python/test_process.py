"""The package within a process: threads, memory, fork, exit, what it imports."""

import concurrent.futures
import multiprocessing
import os
import subprocess
import sys
import sysconfig
import threading

import cornerturn
import numpy as np
import pytest

X = np.arange(8 * 30 * 40 * 3, dtype=np.float32).reshape(8, 30, 40, 3)


def run(code):
    done = subprocess.run([sys.executable, "-X", "dev", "-W", "error", "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stderr == "", done
    return done.stdout


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_ten_thousand_calls_leave_memory_flat():
    x, out, plan = X[:1], np.empty((1, 3, 30, 40), np.float32), cornerturn.plan(X[:1], (0, 3, 1, 2))

    def calls(count):
        for _ in range(count):
            cornerturn.permute(x, (0, 3, 1, 2))
            cornerturn.permute(x, (0, 3, 1, 2), out=out)
            cornerturn.ascontiguous(x, "F")
            plan(x, out)
            try:
                cornerturn.permute(x, (0, 0, 1, 2))
            except ValueError:
                pass

    calls(500)
    before, objects = resident_bytes(), sys.getrefcount(x) + sys.getrefcount(out) + sys.getrefcount(x.dtype)
    calls(10_000)
    assert resident_bytes() - before < 1 << 20
    assert sys.getrefcount(x) + sys.getrefcount(out) + sys.getrefcount(x.dtype) - objects < 10


def test_eight_threads():
    expected = X.transpose(0, 3, 1, 2)

    def right(_):
        plan = cornerturn.plan(X, (0, 3, 1, 2))
        ways = [plan, lambda x: cornerturn.permute(x, (0, 3, 1, 2))]
        return all(np.array_equal(ways[turn % 2](X), expected) for turn in range(100))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(right, range(8)))


def test_other_threads_run_during_a_call():
    """The interpreter switches threads only where a call lets go of the GIL, because nothing else here takes that long."""
    x = np.zeros((1024, 1024), np.float64)
    out, gate, ran = np.empty_like(x), threading.Lock(), []

    def wait_and_run():
        with gate:
            ran.append(True)

    switching = sys.getswitchinterval()
    gate.acquire()
    thread = threading.Thread(target=wait_and_run)
    thread.start()
    sys.setswitchinterval(3600)
    try:
        gate.release()
        calls = 0
        while not ran and calls < 1000:  # a busy machine may run the other thread in a later call
            cornerturn.transpose(x, out=out)
            calls += 1
    finally:
        sys.setswitchinterval(switching)
        thread.join()
    assert calls < 1000


def test_fork_after_use():
    big = np.zeros((2048, 2048))
    cornerturn.transpose(big)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(cornerturn.permute(X, (0, 3, 1, 2)), X.transpose(0, 3, 1, 2))
                 and cornerturn.transpose(big).shape == big.shape else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_fork_while_other_threads_plan():
    """A child has none of its parent's threads; what these had locked must not stay locked."""
    run("""
import itertools, os, signal, threading, warnings
import cornerturn
warnings.simplefilter("ignore", DeprecationWarning)
number = itertools.count(2)
def plan():
    cornerturn.plan((next(number), 3, 5), (2, 1, 0), dtype="f4")
def plan_on():
    while True:
        plan()
plan()  # NumPy is imported by now
for _ in range(3):
    threading.Thread(target=plan_on, daemon=True).start()
for _ in range(300):
    child = os.fork()
    if child == 0:
        signal.alarm(600)
        plan()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
os._exit(0)
""")


def test_the_interpreter_ends_cleanly():
    run("import cornerturn, numpy as np\n"
        "x = np.zeros((600, 700)); plan = cornerturn.plan(x, (1, 0)); plan(x); y = cornerturn.transpose(x)\n"
        "kept = cornerturn.permute, cornerturn.explain('smem-padded', rows=64, cols=64), cornerturn.cache_info(), plan")


def test_a_thread_may_outlive_main():
    run("import cornerturn, numpy as np, threading\n"
        "x = np.zeros((2000, 2000))\n"
        "def work():\n"
        "    for _ in range(20): cornerturn.transpose(x)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "cornerturn.transpose(x)")


def test_the_interpreter_may_exit_while_threads_run_python_code_within_a_call():
    """The package's handler of atexit has run while time.sleep lets them make further calls."""
    run("""
import atexit, threading, time
atexit.register(time.sleep, 0.05)
import cornerturn, numpy as np
class Exporter:
    array = np.zeros((20, 30))
    def __dlpack__(self, **options):
        for _ in range(1000): pass
        return self.array.__dlpack__(**options)
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
def work():
    out = np.empty((30, 20))
    while True: cornerturn.transpose(Exporter(), out=out)
for _ in range(3): threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
""")


def test_it_can_be_imported_again():
    run("""
import importlib, sys, cornerturn
plan, permute = cornerturn.plan((2, 3), dtype="f8"), cornerturn.permute
importlib.reload(cornerturn)
assert cornerturn.permute is permute
for name in [name for name in sys.modules if name.startswith("cornerturn")]:
    del sys.modules[name]
again = importlib.import_module("cornerturn")
assert again is not cornerturn and again.permute is permute and isinstance(plan, again.Plan)
import numpy as np
assert plan(np.ones((2, 3))).shape == again.transpose(np.ones((2, 3))).shape == (3, 2)
""")


SECOND = """
import sys
sys.path[:] = {}
for turn in range(2):
    try:
        import cornerturn
    except ImportError as error:
        assert str(error) == ("cornerturn is imported by another interpreter of this process; it must be imported by one of them only"), error
    else:
        raise AssertionError("it was imported")
"""


def test_a_second_interpreter_is_refused_and_the_first_one_goes_on():
    run(f"""
import importlib, sys, numpy as np, cornerturn
is_public = sys.version_info >= (3, 13)
interpreters = importlib.import_module("_interpreters" if is_public else "_xxsubinterpreters")
second = interpreters.create("legacy") if is_public else interpreters.create(isolated=False)
plan = cornerturn.plan((2, 3), dtype="f8")
failed = interpreters.run_string(second, {SECOND!r}.format(sys.path))
assert not failed, failed
assert plan(np.ones((2, 3))).shape == cornerturn.transpose(np.ones((2, 3))).shape == (3, 2)
try:
    cornerturn.permute(np.ones((2, 3)), (0, 0))
except cornerturn.Error:
    interpreters.destroy(second)
""")


def test_a_second_interpreter_that_imports_it_alone_may_end_with_the_first_one():
    run("""
import importlib, sys
is_public = sys.version_info >= (3, 13)
interpreters = importlib.import_module("_interpreters" if is_public else "_xxsubinterpreters")
second = interpreters.create("legacy") if is_public else interpreters.create(isolated=False)
failed = interpreters.run_string(second, f"import sys; sys.path[:] = {sys.path}; import cornerturn; cornerturn.cache_info()")
assert not failed, failed
""")


EMBEDDING = """
#include <Python.h>
int main(int count, char **arguments) {
  for (int i = 1; i < count; ++i) {
    Py_Initialize();
    if (PyRun_SimpleString(arguments[i]) || Py_FinalizeEx()) return 1;
  }
  return 0;
}
"""
AGAIN = """
try:
    import cornerturn
except ImportError as error:
    assert str(error) == "cornerturn was imported before Python was finalised in this process; it must be imported once", error
else:
    raise AssertionError("it was imported")
"""


def test_an_import_after_python_was_finalised_is_refused(tmp_path):
    of, program = sysconfig.get_config_var, tmp_path / "embedding"
    program.with_suffix(".c").write_text(EMBEDDING)
    built = subprocess.run(["cc", program.with_suffix(".c"), "-o", program, "-I", of("INCLUDEPY"), "-L", of("LIBDIR"),
                            f"-Wl,-rpath,{of('LIBDIR')}", f"-lpython{of('LDVERSION')}"], capture_output=True)
    if built.returncode != 0:
        pytest.skip("no library of Python to embed")
    path = f"import sys; sys.path[:] = {sys.path}\n"
    done = subprocess.run([program, path + "import cornerturn; cornerturn.cache_info()", path + AGAIN], capture_output=True, text=True,
                          timeout=600, env=os.environ | {"PYTHONHOME": sys.base_prefix})
    assert done.returncode == 0 and done.stderr == "", done


def test_other_processes_get_functions():
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert np.array_equal(pool.submit(cornerturn.transpose, X[0]).result(60), X[0].T)


def test_no_framework_is_imported():
    run("import sys, cornerturn, numpy as np\n"
        "cornerturn.permute(np.zeros((2, 3)), (1, 0)); cornerturn.plan((2, 3), dtype='f4')\n"
        "try: cornerturn.permute([1], (0,))\n"
        "except TypeError: pass\n"
        "assert not {'torch', 'cupy', 'jax', 'numba'} & sys.modules.keys()")


def test_it_imports_where_numpy_is_not_imported_yet():
    assert run("import sys, cornerturn; print('numpy' in sys.modules)") == "False\n"


DRIVER = """
#include <stdio.h>
#include <string.h>
static int called(void) { puts("CUDA was asked"); fflush(stdout); return 100; }
int cuDeviceGetCount(int *count) { return 3; }  /* as before cuInit */
int cuDriverGetVersion(int *version) { *version = 99000; return 0; }
int cuInit(unsigned flags) { return called(); }
int cuGetProcAddress_v2(char const *name, void **function, int version, unsigned long flags, int *status) {
  *function = !strcmp(name, "cuGetProcAddress") ? (void *)cuGetProcAddress_v2 : (void *)called;
  if (status) *status = 0;
  return 0;
}
"""


def test_a_loaded_driver_is_not_started(tmp_path):
    """A child after fork could not use CUDA if its parent had started it, and PyTorch loads the driver at import."""
    driver, source = tmp_path / "libcuda.so.1", tmp_path / "driver.c"
    source.write_text(DRIVER)
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", driver, source], check=True)
    said = run(f"""
import ctypes
ctypes.CDLL({str(driver)!r}, mode=ctypes.RTLD_GLOBAL)
import cornerturn, numpy as np
x = np.zeros((600, 700))
cornerturn.plan(x)(x), cornerturn.transpose(x), cornerturn.copy(x, np.empty_like(x)), cornerturn.cache_info()
""")
    assert said == ""


def test_an_old_torch_matters_for_its_tensors_alone():
    run("""
import sys, types
torch = types.ModuleType("torch")
torch.Tensor, torch.is_grad_enabled, torch.__version__ = type("Tensor", (), {}), lambda: False, "2.4.0"
sys.modules["torch"] = torch
import cornerturn
for x, message in ((b"1", "x is of type bytes; it must be an array"),
                   (torch.Tensor(), "torch.__version__ is 2.4.0; it must be 2.10 or newer")):
    try:
        cornerturn.transpose(x)
    except TypeError as error:
        assert str(error).startswith(message), error
    else:
        assert False
""")
