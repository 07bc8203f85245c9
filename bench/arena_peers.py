"""The peers of the arena. A peer makes a function for a case that permutes to the shared destination, or returns a new tensor."""

import contextlib
import ctypes as c
import importlib.util
import math
import os
import pathlib
import tempfile

import arena_cases


class Options(c.Structure):
    """cornerturn_options of cornerturn.h."""

    _fields_ = [("size", c.c_size_t)] + [(name, c.c_int32) for name in
                                         ("processor", "effort", "source_alignment", "destination_alignment", "device")]


class Elements(c.Structure):
    """cornerturn_elements of cornerturn.h; without an operation, elements keep their bytes."""

    _fields_ = [("bytes", c.c_int64), ("operation", c.c_void_p)]


@contextlib.contextmanager
def choices_in(folder):
    """Sets the folder of measured choices, which the library reads for each plan."""
    before = os.environ["CORNERTURN_CACHE_DIR"]
    os.environ["CORNERTURN_CACHE_DIR"] = folder
    try:
        yield
    finally:
        os.environ["CORNERTURN_CACHE_DIR"] = before


class FoundChoice(Exception):
    """An estimated plan turned out to be a measured one."""


class Cornerturn:
    """A build of this project, through its C interface, with its own, initially empty folder of measured choices."""

    GPU, EFFORTS = 2, {"estimate": 0, "measure": 1}

    def __init__(self, library, effort="estimate"):
        self.lib, self.effort = c.CDLL(library), self.EFFORTS[effort]
        self.lib.cornerturn_last_error.restype = self.lib.cornerturn_version.restype = c.c_char_p
        self.choices = tempfile.TemporaryDirectory()

    def version(self):
        return self.lib.cornerturn_version().decode()

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.cornerturn_last_error().decode())

    def make(self, torch, x, axes, out):
        rank = x.dim()
        array = c.c_int64 * rank
        shape, source = array(*out.shape), array(*[x.stride(axis) for axis in axes])
        options = Options(c.sizeof(Options), self.GPU, self.effort, 16, 16, -1)
        plan = c.c_void_p()
        with choices_in(self.choices.name):
            self.check(self.lib.cornerturn_plan_create(c.byref(plan), rank, shape, source, array(*out.stride()),
                                                       Elements(x.element_size()), c.byref(options)))
        run, from_, to = self.lib.cornerturn_plan_run, c.c_void_p(x.data_ptr()), c.c_void_p(out.data_ptr())

        def work():
            self.check(run(plan, from_, to, c.c_void_p(torch.cuda.current_stream().cuda_stream)))

        text = c.create_string_buffer(1000)
        self.lib.cornerturn_plan_describe(plan, text, c.c_size_t(len(text)), None)
        work.describe = text.value.decode()
        if self.effort == self.EFFORTS["estimate"] and not work.describe.endswith("estimated to be the fastest"):
            raise FoundChoice(work.describe)
        return work


class Python:
    """The one-shot call of this project's Python package."""

    def __init__(self):
        import cornerturn
        self.permute, self.version = cornerturn.permute, lambda: cornerturn.__version__

    def make(self, torch, x, axes, out):
        return lambda: self.permute(x, axes, out=out)


class Compiled:
    """torch.compile, per case. It returns a new tensor, because it is often slower with a given destination."""

    returns = True

    def __init__(self, mode):
        self.mode = mode

    def make(self, torch, x, axes, out):
        function = torch.compile(lambda t: t.permute(axes).contiguous(), dynamic=False, fullgraph=True, mode=self.mode)
        function(x)
        return lambda: function(x)


class Eager:
    def make(self, torch, x, axes, out):
        return lambda: out.copy_(x.permute(axes))


class EagerEnabled(Eager):
    """The same call after cornerturn.torch.enable() of the package on PYTHONPATH, which is off during the calls of other peers."""

    def __init__(self):
        import cornerturn.torch
        self.enable, self.version = cornerturn.torch.enable, lambda: cornerturn.__version__

    def make(self, torch, x, axes, out):
        def work():
            with self.enable():
                out.copy_(x.permute(axes))

        return work


class Geam:
    """cuBLAS's geam as a transpose: alpha * op(x) + beta * out."""

    NAMES = {"f32": "cublasSgeam", "f64": "cublasDgeam", "c64": "cublasCgeam", "c128": "cublasZgeam"}

    def __init__(self, library):
        self.lib, self.handle = c.CDLL(library), c.c_void_p()
        if self.lib.cublasCreate_v2(c.byref(self.handle)):
            raise RuntimeError("cublasCreate failed")

    def version(self):
        number = c.c_int()
        self.lib.cublasGetVersion_v2(self.handle, c.byref(number))
        return number.value

    def make(self, torch, x, axes, out, alpha=1, beta=0, conj=False):
        kind = next(name for name, full in arena_cases.DTYPES.items() if getattr(torch, full) == x.dtype)
        if x.dim() != 2 or tuple(axes) != (1, 0) or kind not in self.NAMES or x.stride(1) != 1:
            return None
        function, (rows, cols), pitch = getattr(self.lib, self.NAMES[kind]), x.shape, x.stride(0)
        scalar = c.c_float if kind in ("f32", "c64") else c.c_double
        factors = (scalar * 2)(alpha, 0), (scalar * 2)(beta, 0)
        from_, to, operation = c.c_void_p(x.data_ptr()), c.c_void_p(out.data_ptr()), 2 if conj else 1

        def work():
            self.lib.cublasSetStream_v2(self.handle, c.c_void_p(torch.cuda.current_stream().cuda_stream))
            status = function(self.handle, operation, 0, rows, cols, factors[0], from_, pitch, factors[1], to, rows, to, rows)
            if status:
                raise RuntimeError(f"geam returned {status}")

        return work


class CuTensor:
    """cuTENSOR 2, which lists the fastest mode first."""

    KINDS = {"f32": (0, "32F"), "f64": (1, "64F"), "bf16": (14, "32F"), "c64": (4, "32F"), "c128": (5, "64F")}
    IDENTITY, ADD, CONJ = 1, 3, 9

    def __init__(self, library):
        self.lib, self.handle = c.CDLL(library or self.installed()), c.c_void_p()
        self.lib.cutensorGetVersion.restype = c.c_size_t
        self.check(self.lib.cutensorCreate(c.byref(self.handle)))

    @staticmethod
    def installed():
        """The library of the wheel, if Python has it."""
        package = importlib.util.find_spec("cutensor")
        folders = package.submodule_search_locations if package else []
        return next((str(path) for folder in folders for path in pathlib.Path(folder).glob("lib/libcutensor.so.2")),
                    "libcutensor.so.2")

    def version(self):
        return self.lib.cutensorGetVersion()

    @staticmethod
    def check(status):
        if status:
            raise RuntimeError(f"cuTENSOR returned {status}")

    def compute_descriptor(self, name):
        return c.c_void_p.in_dll(self.lib, "CUTENSOR_COMPUTE_DESC_" + name)

    def descriptor(self, extents, strides, kind):
        result, rank = c.c_void_p(), len(extents)
        self.check(self.lib.cutensorCreateTensorDescriptor(self.handle, c.byref(result), c.c_uint32(rank),
                                                           (c.c_int64 * rank)(*extents), (c.c_int64 * rank)(*strides),
                                                           c.c_int(kind), c.c_uint32(256)))
        return result

    def make(self, torch, x, axes, out, alpha=1, beta=0, conj=False):
        """alpha * op(x) + beta * out: a permutation or, if out is read, an elementwise operation of two tensors."""
        name = next(name for name, full in arena_cases.DTYPES.items() if getattr(torch, full) == x.dtype)
        if name not in self.KINDS:
            return None
        kind, compute = self.KINDS[name]
        rank, source = x.dim(), list(range(x.dim()))[::-1]
        target, modes = list(axes)[::-1], c.c_int32 * x.dim()
        a = self.descriptor([x.shape[i] for i in source], [x.stride(i) for i in source], kind)
        b = self.descriptor([x.shape[i] for i in target], list(out.stride())[::-1], kind)
        operation, preference, plan = c.c_void_p(), c.c_void_p(), c.c_void_p()
        how, operator, written = self.compute_descriptor(compute), self.CONJ if conj else self.IDENTITY, (b, modes(*target))
        if beta:
            self.check(self.lib.cutensorCreateElementwiseBinary(self.handle, c.byref(operation), a, modes(*source), operator, *written,
                                                                self.IDENTITY, *written, self.ADD, how))
        else:
            self.check(self.lib.cutensorCreatePermutation(self.handle, c.byref(operation), a, modes(*source), operator, *written, how))
        self.check(self.lib.cutensorCreatePlanPreference(self.handle, c.byref(preference), c.c_int(-1), c.c_int(0)))
        self.check(self.lib.cutensorCreatePlan(self.handle, c.byref(plan), operation, preference, c.c_uint64(0)))
        scalar = (c.c_double if compute == "64F" else c.c_float) * 2
        from_, to = (scalar(alpha, 0), c.c_void_p(x.data_ptr())), c.c_void_p(out.data_ptr())
        run = self.lib.cutensorElementwiseBinaryExecute if beta else self.lib.cutensorPermute
        added = (scalar(beta, 0), to) if beta else ()
        return lambda: self.check(run(self.handle, plan, *from_, *added, to, c.c_void_p(torch.cuda.current_stream().cuda_stream)))


def add_options(parser, peers):
    """The options that `gather` takes."""
    parser.add_argument("--peers", default=peers,
                        help="default %(default)s; also python: the package on PYTHONPATH, eager-enabled: eager with its "
                        "cornerturn.torch.enable(), and before: another build of this project")
    parser.add_argument("--library", default="build/gpu/lib/libcornerturn.so", help="the build for the peer `cornerturn`")
    parser.add_argument("--before", help="the build for the peer `before`")
    parser.add_argument("--cutensor", metavar="PATH", help="libcutensor.so.2; default: from the wheel or the system")
    parser.add_argument("--cublas", default="libcublas.so.13")


def gather(options):
    """The requested peers by name, and the reasons why others are absent. A library of this project, and one whose path was given, must
    load."""
    makers = {
        "eager": lambda: Eager(),
        "eager-enabled": lambda: EagerEnabled(),
        "compile": lambda: Compiled(None),
        "max-autotune": lambda: Compiled("max-autotune-no-cudagraphs"),
        "geam": lambda: Geam(options.cublas),
        "cutensor": lambda: CuTensor(options.cutensor),
        "cornerturn": lambda: Cornerturn(options.library),
        "cornerturn-measure": lambda: Cornerturn(options.library, "measure"),
        "python": lambda: Python(),
        "before": lambda: Cornerturn(options.before),
    }
    needed = {"cornerturn", "cornerturn-measure", "before"} | ({"cutensor"} if options.cutensor else set())
    present, absent = {}, {}
    for name in options.peers.split(","):
        if name not in makers:
            raise SystemExit(f"--peers: {name} is none of {', '.join(makers)}")
        try:
            present[name] = makers[name]()
        except (OSError, RuntimeError, AttributeError, ImportError) as problem:
            if name in needed:
                raise SystemExit(f"arena: the peer {name} does not load: {problem}") from None
            absent[name] = str(problem)[:120]
    return present, absent


def bytes_moved(x):
    return 2 * math.prod(x.shape) * x.element_size()
