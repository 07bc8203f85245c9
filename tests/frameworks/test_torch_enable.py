"""cornerturn.torch.enable among the rest of PyTorch and of a process."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import cornerturn.torch
import pytest
import torch

from torch_copies import are_same, off_and_on

sys.path.append(str(pathlib.Path(__file__).parents[2] / "bench"))
import torch_models  # noqa: E402

PACKAGE = pathlib.Path(cornerturn.__file__).parents[1]


@pytest.fixture(autouse=True)
def ends_disabled():
    yield
    cornerturn.torch.disable()


def taken(device="cpu"):
    return cornerturn.torch.report().taken[device]


def run(program, *, check=True, path="", **variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(PACKAGE), str(path)])), **variables}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, env=environment)
    assert not check or done.returncode == 0, done
    return done


def test_enable_and_disable():
    x = torch.ones(200, 300)
    assert cornerturn.torch.report().devices == ()
    cornerturn.torch.enable()
    assert "cpu" in cornerturn.torch.report().devices and taken() == 0
    x.t().contiguous()
    assert taken() == 1
    cornerturn.torch.enable()  # a second call keeps the counts
    x.t().contiguous()
    assert taken() == 2 and cornerturn.torch.report().taken_bytes["cpu"] == 2 * x.nbytes
    cornerturn.torch.disable()
    cornerturn.torch.disable()
    x.t().contiguous()
    assert taken() == 2 and cornerturn.torch.report().devices == ()
    cornerturn.torch.enable()
    assert taken() == 0


def test_a_with_restores_the_state_before_it():
    with cornerturn.torch.enable():
        with cornerturn.torch.enable():
            pass
        assert cornerturn.torch.report().devices
    assert not cornerturn.torch.report().devices
    with pytest.raises(ZeroDivisionError), cornerturn.torch.enable():
        1 / 0
    assert not cornerturn.torch.report().devices


def test_the_report_is_readable():
    with cornerturn.torch.enable():
        torch.ones(200, 300).t().contiguous()
        torch.ones(3).clone()
        text = str(cornerturn.torch.report())
    assert text.startswith("cornerturn.torch is on for cpu")
    assert "cpu: 1 copy of 0.2 MB taken, 1 left to PyTorch (small 1)" in text
    assert str(cornerturn.torch.report()).startswith("cornerturn.torch is off")


def test_it_is_switched_while_threads_copy():
    x, wrong, stop = torch.arange(64. * 65).view(64, 65), [], threading.Event()
    expected = x.t().clone(memory_format=torch.contiguous_format)

    def copy():
        while not stop.is_set():
            if not torch.equal(x.t().contiguous(), expected):
                wrong.append(1)

    threads = [threading.Thread(target=copy) for _ in range(3)]
    cornerturn.torch.enable()
    for thread in threads:
        thread.start()
    for _ in range(2000):
        cornerturn.torch.disable()
        cornerturn.torch.enable()
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_gradients(device):
    def gradient():
        x = torch.arange(60_000., device=device).view(200, 300).requires_grad_()
        y = x.t().contiguous()
        (y * y).sum().backward()
        return y, x.grad

    off, on, report = off_and_on(gradient)
    assert are_same(off, on) and report.taken[device] >= 1
    with cornerturn.torch.enable():
        x = torch.ones(200, 300, device=device, requires_grad=True)
        y = x * 1
        z = (y * y).sum()
        version = y._version
        y.data.copy_(y.detach().t().reshape(200, 300))  # without a version
        with torch.no_grad():
            y.copy_(torch.ones(300, 200, device=device).t())
        assert y._version == version + 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.backward()


@pytest.mark.parametrize("name", torch_models.MODELS)
def test_a_model(name, device):
    """Forward and backward in channels_last."""
    with torch_models.repeatable():
        off, on, report = off_and_on(torch_models.step(torch_models.MODELS[name], device, 2, 96))
    assert are_same(off, on) and report.taken[device]


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.skipif(
    not (shutil.which("c++") or shutil.which("g++")), reason="there is no compiler"))])
def test_compiled_code(backend, device):
    def function(x):
        return x.t().contiguous() + 1, x.t().clone()

    compiled = torch.compile(function, backend=backend, fullgraph=True)
    x = torch.randn(200, 300, device=device)
    expected = function(x)
    with cornerturn.torch.enable():
        torch._dynamo.reset()
        assert are_same(compiled(x), expected) and are_same(function(x), expected)


def test_the_profiler(device):
    x = torch.ones(200, 300, device=device)
    with cornerturn.torch.enable(), torch.profiler.profile(record_shapes=True, acc_events=True) as profile:
        x.t().contiguous()
        assert taken(device) == 1
    [event] = [event for event in profile.events() if event.name == "aten::copy_"]
    assert event.input_shapes[:2] == [[300, 200], [300, 200]]


@pytest.mark.filterwarnings("ignore")
def test_transforms_and_modes():
    """Tensors of functorch, fake, meta, sparse and quantised ones, and subclasses behave as without."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.testing._internal.two_tensor import TwoTensor

    def results():
        x = torch.arange(60_000.).view(2, 100, 300)
        batched = torch.vmap(lambda t: t.t().contiguous())(x)
        tangent = torch.func.jvp(lambda t: t.transpose(1, 2).contiguous(), (x,), (x * 2,))[1]
        functional = torch.func.functionalize(lambda t: torch.zeros(300, 100).copy_(t[0].t()))(x)
        with FakeTensorMode() as mode:
            fake = mode.from_tensor(x).transpose(1, 2).contiguous()
        meta = x.to("meta").transpose(1, 2).contiguous()
        sparse = torch.zeros(100, 100).to_sparse().copy_(torch.eye(100).to_sparse()).to_dense()
        quantised = torch.quantize_per_tensor(x[0], 0.5, 3, torch.quint8).t().contiguous().int_repr()
        both = TwoTensor(x[0].clone(), x[1].clone()).t().contiguous()
        parameter = torch.nn.Parameter(x[0]).t().contiguous()
        with torch.inference_mode():
            inferred = x[1].t().contiguous()
        return [batched, tangent, functional, sparse, quantised, both.a, both.b, parameter, inferred.clone(),
                [(t.shape, t.stride(), t.device.type, type(t).__name__) for t in (fake, meta, both)]]

    off, on, report = off_and_on(results)
    assert are_same(off, on) and report.taken["cpu"] >= 6


def test_a_forked_child():
    cornerturn.torch.enable()
    x = torch.arange(3_000_000.).view(1000, 3000)  # of a size that the library divides among threads
    x.t().contiguous()
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)
        fine = torch.equal(x.t().contiguous()[17], x[:, 17]) and taken() == 2
        cornerturn.torch.disable()
        os._exit(0 if fine and not cornerturn.torch.report().devices else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert taken() == 1 and cornerturn.torch.report().devices


def asks_for_huge_pages(x):
    """True if the mapping of a tensor's middle has the advice for huge pages."""
    middle = x.data_ptr() + x.nbytes // 2
    for line in open("/proc/self/smaps"):
        if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
            begin, end = (int(each, 16) for each in line.split()[0].split("-"))
        elif line.startswith("VmFlags:") and begin <= middle < end:
            return "hg" in line.split()
    raise AssertionError


@pytest.mark.skipif(not os.path.exists("/sys/kernel/mm/transparent_hugepage"), reason="the system has no huge pages")
def test_huge_pages_of_new_results():
    x = torch.ones(4096, 4096)  # 64 MiB, which malloc maps for itself
    assert not asks_for_huge_pages(x.t().contiguous())
    with cornerturn.torch.enable():
        assert asks_for_huge_pages(x.t().contiguous())
        old, gaps = torch.ones(4096, 4096), torch.empty(4096, 8192)
        assert not asks_for_huge_pages(old.copy_(x.t()))
        gaps[:, :4096].copy_(x.t())
        assert not asks_for_huge_pages(gaps) and taken() == 3


OTHER = """
import warnings, torch, cornerturn.torch
x, calls = torch.ones(100, 100), []
def other(self, source, non_blocking=False):
    calls.append(self.shape)
    return self
def override():
    warnings.simplefilter("ignore")
    library = torch.library.Library("aten", "IMPL")
    library.impl("copy_", other, "CPU")
    warnings.simplefilter("error")
    return library
"""


def test_another_library_that_overrides_later():
    run(OTHER + """
cornerturn.torch.enable()
library = override()
x.t().contiguous()
report = cornerturn.torch.report()
assert len(calls) == 1 and "cpu" not in report.devices and report.taken["cpu"] == 0
assert report.problem == "another library overrides aten::copy_ on cpu" and report.problem in str(report)
cornerturn.torch.disable()
x.t().contiguous()
assert len(calls) == 2
library._destroy()
cornerturn.torch.enable()
assert torch.equal(x.t().contiguous(), x) and cornerturn.torch.report().taken["cpu"] == 1 and len(calls) == 2
""")


def test_another_library_that_has_overridden():
    run(OTHER + """
library = override()
try:
    cornerturn.torch.enable()
except RuntimeWarning as warning:
    assert str(warning).endswith("another library overrides aten::copy_ on cpu"), warning
else:
    raise AssertionError
with cornerturn.torch.enable():  # warns no more
    x.t().contiguous()
assert len(calls) == 1 and cornerturn.torch.report().devices == ()
""")


def test_pytorch_copies_what_the_library_refuses():
    """Here it lacks memory for its threads, which PyTorch's copy does not need."""
    run("""
import resource, torch, cornerturn.torch
x = torch.arange(6e6).view(3000, 2000)
expected, y, hog = x.t().clone(memory_format=torch.contiguous_format), torch.empty(2000, 3000), []
cornerturn.torch.enable()
used, limit = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize(), resource.getrlimit(resource.RLIMIT_AS)[1]
resource.setrlimit(resource.RLIMIT_AS, (used, limit))
try:
    while True:
        hog.append(bytearray(65536))
except MemoryError:
    y.copy_(x.t())
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
report = cornerturn.torch.report()
assert report.left["cpu"] == {"refused": 1} and "alloc" in report.refusal["cpu"] and report.refusal["cpu"] in str(report), report
assert torch.equal(y, expected)
""")


@pytest.mark.skipif(not torch.version.cuda, reason="this PyTorch is built without CUDA")
def test_cuda_is_overridden_without_a_gpu():
    run("""
import torch, cornerturn.torch
cornerturn._cornerturn._has_gpu_engine = True
cornerturn.torch.enable()
assert cornerturn.torch.report().devices == ("cpu", "cuda") and not torch.cuda.is_initialized()
assert str(cornerturn.torch.report()).startswith("cornerturn.torch is on for cpu and cuda")
assert torch.equal(torch.arange(60_000).view(200, 300).t().contiguous(), torch.arange(60_000).view(200, 300).t())
""")


@pytest.mark.parametrize("unsupported, reason", [
    ("del torch._C._dispatch_has_kernel_for_dispatch_key", "has no attribute"),
    ("cornerturn._cornerturn._attach_torch_copies = lambda *_: 'libtorch_cpu.so has no symbol'", "libtorch_cpu.so has no symbol"),
    ("torch.equal = lambda *_: False", "a trial of aten::copy_ failed")])
def test_a_torch_that_is_not_supported(unsupported, reason):
    run(f"""
import warnings, torch, cornerturn.torch
before, equal = torch._C._dispatch_dump("aten::copy_"), torch.equal
{unsupported}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    cornerturn.torch.enable()
    with cornerturn.torch.enable():
        x = torch.arange(60_000).view(200, 300)
        assert equal(x.t().contiguous(), x.t())
[warning] = caught
assert warning.category is RuntimeWarning and {reason!r} in str(warning.message), warning
assert str(warning.message).startswith("cornerturn.torch.enable() changes nothing in PyTorch " + torch.__version__)
report = cornerturn.torch.report()
assert report.devices == () and {reason!r} in report.problem and torch._C._dispatch_dump("aten::copy_") == before
cornerturn.torch.disable()
""")


def test_a_torch_without_the_library():
    """The symbols are looked up in the library that PyTorch has loaded; here there is none."""
    done = run("""
import sys, types, warnings
import cornerturn._torch_copies as copies
torch = sys.modules["torch"] = types.ModuleType("torch")
torch.__version__, torch.Tensor, torch.version = "1.0", type("Tensor", (), {}), types.SimpleNamespace(cuda=None)
torch._C = types.SimpleNamespace(_dispatch_has_kernel_for_dispatch_key=lambda *_: False)
copies.enable()
print(copies.report())
""")
    assert done.stdout == "cornerturn.torch is off: libtorch_cpu.so is not loaded\n"
    assert done.stderr.count("RuntimeWarning: cornerturn.torch.enable() changes nothing in PyTorch 1.0: libtorch_cpu.so is not") == 1


def test_a_process_that_never_imports_torch():
    run("""
import sys, cornerturn
from cornerturn import _torch_copies
_torch_copies.disable()
assert str(_torch_copies.report()) == "cornerturn.torch is off" and "torch" not in sys.modules
""")


@pytest.fixture
def entry_point(tmp_path):
    """A folder that makes the package of the build an installed one, with its entry point."""
    declared = (pathlib.Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert '[project.entry-points."torch.backends"]\ncornerturn = "cornerturn_autoload:start"\n' in declared
    info = tmp_path / "cornerturn-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cornerturn\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[torch.backends]\ncornerturn = cornerturn_autoload:start\n")
    return tmp_path


UNCHANGED_PROGRAM = """
import sys, torch
torch.ones(200, 300).t().contiguous()
print(sys.modules["cornerturn.torch"].report().taken["cpu"] if "cornerturn" in sys.modules else None)
"""


@pytest.mark.parametrize("value, printed, warning", [
    ("1", "1", ""), ("0", "None", ""), ("", "None", ""), ("on", "None", "CORNERTURN_TORCH is 'on'; it must be 1 or 0")])
def test_the_environment_variable(entry_point, value, printed, warning):
    done = run(UNCHANGED_PROGRAM, path=entry_point, CORNERTURN_TORCH=value)
    assert done.stdout == printed + "\n" and warning in done.stderr and ("cornerturn" in done.stderr.lower()) == bool(warning)


def test_the_environment_variable_never_fails_an_import(entry_point):
    (entry_point / "sitecustomize.py").write_text("import sys; sys.modules['cornerturn'] = None")
    done = run("import torch; print(torch.ones(1))", path=entry_point, CORNERTURN_TORCH="1")
    assert done.stdout == "tensor([1.])\n" and "CORNERTURN_TORCH is 1, but cornerturn.torch.enable() failed: " in done.stderr
