"""cornerturn.torch.enable: which copies go to cornerturn, and that every result is PyTorch's, bit for bit."""

import cornerturn
import cornerturn.torch
import pytest
import torch

from torch_copies import DTYPES, are_same, bits, off_and_on, random_bits

_judge = cornerturn._cornerturn._judge_torch_copy
MOVED = [torch.bool, torch.uint8, torch.bfloat16, torch.float32, torch.complex64, torch.float8_e5m2, torch.uint16]


@pytest.fixture(autouse=True)
def disabled_afterwards():
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)
    cornerturn.torch.disable()


CALLS = {
    "contiguous of a transpose": lambda x: x.t().contiguous(),
    "contiguous of a permutation": lambda x: x.view(8, 40, 200).permute(2, 0, 1).contiguous(),
    "clone": lambda x: x.t().clone(memory_format=torch.contiguous_format),
    "reshape": lambda x: x.t().reshape(-1),
    "flatten": lambda x: x.view(8, 40, 200).transpose(1, 2).flatten(),
    "copy_": lambda x: torch.zeros(200, 320, dtype=x.dtype, device=x.device).copy_(x.t()),
    "copy_ to a transpose": lambda x: torch.zeros(200, 320, dtype=x.dtype, device=x.device).t().copy_(x),
    "copy_ to a slice": lambda x: torch.zeros(200, 400, dtype=x.dtype, device=x.device)[:, 7:327].copy_(x.t()),
    "assignment": lambda x: torch.zeros(200, 320, dtype=x.dtype, device=x.device).__setitem__(slice(None), x.t()),
    "to channels_last": lambda x: x.view(4, 4, 20, 200).to(memory_format=torch.channels_last),
    "from channels_last": lambda x: x.view(4, 20, 200, 4).permute(0, 3, 1, 2).contiguous(),
    "foreach": lambda x: torch._foreach_copy_([torch.zeros(200, 320, dtype=x.dtype, device=x.device) for _ in "ab"], [x.t()] * 2),
    "narrow": lambda x: x.view(64, 1000)[:, 1:900].t().contiguous(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", MOVED, ids=str)
def test_moves(call, dtype, device):
    x = random_bits(dtype, (320, 200), device)
    off, on, report = off_and_on(lambda: CALLS[call](x))
    assert are_same(off, on)
    # on a GPU PyTorch has a kernel for lists, and copies under 64 KiB are left to it
    expected = 0 if device == "cuda" and (call == "foreach" or dtype.itemsize == 1) else 1
    assert report.taken[device] >= expected and report.taken_bytes[device] >= expected * 64 * 899 * dtype.itemsize


@pytest.mark.parametrize("source", DTYPES, ids=str)
def test_conversions(source, device):
    """Whatever is converted, by whom it may be, has the bits of PyTorch."""
    taken = []
    x = random_bits(source, (515, 520), device)
    for destination in DTYPES:
        if destination == source or (source.is_complex and not destination.is_complex):
            continue
        off, on, report = off_and_on(lambda: torch.empty(520, 515, dtype=destination, device=device).copy_(x.t()))
        assert torch.equal(bits(off), bits(on)), destination
        if report.taken[device]:
            taken.append(destination)
    twin = {torch.uint8: torch.int8, torch.int8: torch.uint8, torch.uint16: torch.int16, torch.int16: torch.uint16,
            torch.uint32: torch.int32, torch.int32: torch.uint32, torch.uint64: torch.int64, torch.int64: torch.uint64}.get(source)
    converted = (torch.float16, torch.bfloat16, torch.float32) if source == torch.uint8 else ()
    assert taken == [dtype for dtype in DTYPES if dtype == twin or dtype in converted]


def wide(*shape, dtype=torch.float32):
    return torch.ones(shape, dtype=dtype)


LEFT = {
    "small": lambda: wide(16, 16).t().contiguous(),
    "plain": lambda: wide(200, 200).clone(),
    "plain ": lambda: wide(200, 200).t().clone(),
    "rows": lambda: wide(200, 200)[:, :100].contiguous(),
    "gaps": lambda: wide(200, 200, dtype=torch.float64)[:, ::2].contiguous(),
    "types": lambda: wide(200, 200).t().to(torch.int32),
    "types ": lambda: wide(200, 200, dtype=torch.complex32).t().contiguous(),
    "repeated": lambda: wide(200, 1).expand(200, 200).contiguous(),
    "repeated ": lambda: wide(1000).as_strided((30, 30), (29, 1)).copy_(wide(30, 30).t()),
    "elsewhere": lambda: wide(200, 200).copy_(wide(200)),
    "lazy": lambda: wide(200, 200, dtype=torch.complex64).conj().t().resolve_conj(),
    "lazy ": lambda: torch._neg_view(wide(200, 200)).t().resolve_neg(),
    "lazy  ": lambda: wide(200, 200).copy_(torch._efficientzerotensor(200, 200)),
}


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("reason", LEFT)
def test_what_is_left_to_torch(reason):
    off, on, report = off_and_on(LEFT[reason])
    assert are_same(off, on)
    assert report.taken["cpu"] == 0 and report.left["cpu"].get(reason.strip()), report


@pytest.mark.skipif(not hasattr(torch.Tensor, "refine_names"), reason="this PyTorch has no named tensors")
@pytest.mark.filterwarnings("ignore:Named tensors")
def test_names_of_axes_are_passed_on():
    x = wide(200, 300).refine_names("a", "b")
    off, on, report = off_and_on(lambda: torch.zeros(300, 200).copy_(x.t()))
    assert off.names == on.names == ("b", "a") and report.left["cpu"]["lazy"] and torch.equal(off, on)


def test_memory_that_overlaps():
    def shifted():
        x = torch.arange(100_000.)
        x[:90_000].view(300, 300).copy_(x[10_000:].view(300, 300).t())
        return x
    with pytest.raises(RuntimeError, match="single memory location"):
        shifted()
    with cornerturn.torch.enable(), pytest.raises(RuntimeError, match="single memory location"):
        shifted()
    def beside():  # the ranges of addresses overlap, but no element does
        x = torch.arange(80_000.).view(200, 400)
        x[:, :200].copy_(x[:, 200:].t())
        return x
    off, on, report = off_and_on(beside)
    assert are_same(off, on) and report.left["cpu"] == {"repeated": 1} and report.refusal["cpu"] == ""
    x = torch.arange(40_000.).view(200, 200)
    with cornerturn.torch.enable():
        assert x.copy_(x) is x and cornerturn.torch.report().taken["cpu"] == 0


@pytest.mark.parametrize("wrong", [lambda: torch.zeros(200, 300).copy_(wide(200, 200).t()),
                                   lambda: torch.zeros(200, 1).expand(200, 200).copy_(wide(200, 200)),
                                   lambda: torch._efficientzerotensor(200, 200).copy_(wide(200, 200).t())])
def test_the_errors_are_torch_s(wrong):
    messages = []
    for enabled in (False, True):
        with pytest.raises(RuntimeError) as raised:
            if enabled:
                with cornerturn.torch.enable():
                    wrong()
            else:
                wrong()
        messages.append(str(raised.value).splitlines()[0])
    assert messages[0] == messages[1]


def test_tensors_are_released():
    """The kernel owns a reference to each of its arguments, also if PyTorch throws."""
    x, y, narrow = wide(200, 200), wide(200, 200), wide(3)
    count = lambda t: t._use_count()
    before = count(x), count(y), count(narrow)
    with cornerturn.torch.enable():
        for _ in range(10):
            y.copy_(x.t())
            y.copy_(x)
            with pytest.raises(RuntimeError):
                y.copy_(narrow)
    assert (count(x), count(y), count(narrow)) == before


@pytest.mark.parametrize("threads", [1, 16])
def test_any_number_of_threads_of_torch(threads):
    torch.set_num_threads(threads)
    x = wide(700, 701)
    _, _, report = off_and_on(lambda: x.t().contiguous())
    assert report.taken["cpu"] == 1


@pytest.mark.parametrize("verdict, extents, source, destination, source_dtype, destination_dtype", [
    ("taken", (256, 256), (1, 256), (256, 1), "float32", "float32"),
    ("taken", (64, 128, 8, 64), (65536, 64, 8192, 1), (65536, 512, 64, 1), "bfloat16", "bfloat16"),
    ("taken", (1024, 1024), (1, 1024), (1024, 1), "float64", "float64"),
    ("taken", (1024, 1024), (1, 1024), (1024, 1), "uint8", "float32"),
    ("small", (64, 64), (1, 64), (64, 1), "float32", "float32"),
    ("small", (256, 256), (1, 256), (256, 1), "uint8", "float32"),
    ("plain", (256, 256), (256, 1), (256, 1), "float32", "float32"),
    ("rows", (64, 128, 8, 64), (65536, 64, 8192, 1), (65536, 512, 64, 1), "int64", "int64"),
    ("rows", (1024, 1024), (1, 1024), (1024, 1), "complex128", "complex128"),
    ("types", (16, 3, 224, 224), (150528, 1, 672, 3), (150528, 50176, 224, 1), "uint8", "float32"),
    ("gaps", (1024, 1024), (4096, 2), (1024, 1), "float32", "float32"),
    ("types", (1024, 1024), (1, 1024), (1024, 1), "float32", "float8_e4m3fn"),
    ("types", (1024, 1024), (1, 1024), (1024, 1), "float32", "bfloat16"),
    ("repeated", (1024, 1024), (0, 1), (1024, 1), "float32", "float32"),
    ("repeated", (1024, 1024), (1024, 1), (0, 1), "float32", "float32"),
    ("repeated", (1024, 1024), (1, 1024), (1023, 1), "float32", "float32"),
])
def test_the_rule_for_gpus(verdict, extents, source, destination, source_dtype, destination_dtype):
    assert _judge("cuda", extents, source, destination, source_dtype, destination_dtype) == verdict


@pytest.mark.parametrize("verdict, mebibytes, row, is_pitched", [
    ("taken", 1, 16, True), ("taken", 4, 16, True), ("taken", 32, 16, False), ("rows", 32, 16, True), ("taken", .125, 32, True),
    ("rows", 1, 32, False), ("rows", .125, 64, False), ("rows", 2, 128, False), ("taken", 3, 128, False), ("taken", 32, 4096, False),
    ("rows", 2, 4096, True), ("taken", 3, 2048, True), ("rows", 64, 1024, True)])
def test_the_rule_for_rows_on_the_cpu(verdict, mebibytes, row, is_pitched):
    rows = int(mebibytes * 2**20) // (8 * row)
    source = (16 * rows * row, 2 * row, 1) if is_pitched else (row, 8 * row, 1)
    assert _judge("cpu", (8, rows, row), source, (rows * row, row, 1), "uint8", "uint8") == verdict


@pytest.mark.parametrize("verdict, side, source, dtype, destination_dtype", [
    ("taken", 128, (1, 128), "complex128", "complex128"), ("rows", 127, (1, 127), "complex128", "complex128"),
    ("taken", 256, (1, 256), "uint8", "bfloat16"), ("small", 255, (1, 255), "uint8", "bfloat16"),
    ("taken", 361, (722, 2), "float32", "float32"), ("gaps", 363, (726, 2), "float32", "float32"),
    ("taken", 1023, (2046, 2), "bfloat16", "bfloat16"), ("gaps", 1024, (2048, 2), "bfloat16", "bfloat16"),
    ("taken", 2896, (5792, 2), "uint8", "uint8"), ("gaps", 2897, (5794, 2), "uint8", "uint8"),
    ("gaps", 64, (128, 2), "float64", "float64")])
def test_the_rule_for_other_copies_on_the_cpu(verdict, side, source, dtype, destination_dtype):
    assert _judge("cpu", (side, side), source, (side, 1), dtype, destination_dtype) == verdict


def test_a_gpu_s_streams_and_graphs(cuda):
    x, y = torch.randn(1000, 1100, device=cuda), torch.empty(1100, 1000, device=cuda)
    with cornerturn.torch.enable():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(10_000_000)
            x.add_(1)
            y.copy_(x.t())
        stream.synchronize()
        assert torch.equal(y, x.t())
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y.copy_(x.t())
            z = x.view(10, 100, 1100).permute(2, 1, 0).contiguous()
        x.mul_(3)
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(y, x.t()) and torch.equal(z, x.view(10, 100, 1100).permute(2, 1, 0))
        assert cornerturn.torch.report().taken["cuda"] == 3
        assert torch.equal(y.cpu().t().contiguous(), x.cpu()) and cornerturn.torch.report().left["cuda"].get("elsewhere", 0)
