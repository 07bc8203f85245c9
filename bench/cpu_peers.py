"""The peers of the CPU arena. A peer makes a function for a case that permutes x to out, or None if it does not support it."""

import ctypes as c
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import arena_peers
import provenance

CPU, MEASURE, COLUMN_MAJOR, TRANSPOSED, CONJUGATE_TRANSPOSED = 1, 1, 102, 112, 113
OMATCOPY = {"f4": "somatcopy", "f8": "domatcopy", "c8": "comatcopy", "c16": "zomatcopy"}  # of a BLAS, by the kind of elements
CEILINGS = ("nt-copy", "memcpy")
LABELS = {"numpy": "numpy, one thread"}  # numpy has no setting for threads
SEARCHED_AXES, SEARCH_SECONDS, SEARCH_BYTES = 8, 60, 16 << 30  # HPTT's search for plans of more axes is tried first, within these limits


def required(library, option):
    if not library:
        raise OSError(f"{option} names no library")
    return library


def pointer(array):
    return c.c_void_p(array.ctypes.data)


def omatcopy_of(x, axes):
    """The function of a BLAS that transposes x by these axes; None if there is none."""
    return OMATCOPY.get(x.dtype.str[1:]) if x.ndim == 2 and tuple(axes) == (1, 0) and x.flags.c_contiguous else None


class Copy:
    """A ceiling of bench/ceilings.cpp."""

    permutes = False

    def __init__(self, options, name):
        self.copy, self.threads = getattr(c.CDLL(options.ceilings), name), options.threads

    def make(self, x, axes, out):
        return lambda: self.copy(pointer(out), pointer(x), c.c_int64(x.nbytes), self.threads)


class Cornerturn:
    """This project, through its C interface."""

    permutes = True

    def __init__(self, options, library):
        self.lib = c.CDLL(library)
        self.lib.cornerturn_last_error.restype = self.lib.cornerturn_version.restype = c.c_char_p
        self.lib.cornerturn_set_num_threads(options.threads)

    def version(self):
        return self.lib.cornerturn_version().decode()

    def check(self, status):
        if status:
            raise RuntimeError(self.lib.cornerturn_last_error().decode())

    def make(self, x, axes, out):
        ints, elements = c.c_int64 * x.ndim, arena_peers.Elements(x.itemsize)
        if not x.flags.c_contiguous:
            strides = lambda array: ints(*(stride // array.itemsize for stride in array.strides))
            shape, from_, to = ints(*out.shape), strides(x.transpose(axes)), strides(out)
            return lambda: self.check(self.lib.cornerturn_strided_copy(pointer(x), from_, pointer(out), to, x.ndim, shape, elements, None, None))
        shape, order = ints(*x.shape), ints(*axes)
        return lambda: self.check(self.lib.cornerturn_permute(pointer(x), pointer(out), x.ndim, shape, order, elements, None, None))


class Measured(Cornerturn):
    """Plans made with planning_effort::measure; one-shot calls do not see their choices."""

    class Options(c.Structure):
        """cornerturn_options of cornerturn.h."""

        _fields_ = [("size", c.c_size_t)] + [(name, c.c_int32) for name in
                                             ("processor", "effort", "source_alignment", "destination_alignment", "device",
                                              "threads")]

    def __init__(self, options):
        super().__init__(options, options.library)
        self.choices = tempfile.TemporaryDirectory()

    def make(self, x, axes, out):
        ints = c.c_int64 * x.ndim
        strides = lambda array, order: ints(*(array.strides[axis] // array.itemsize for axis in order))
        options, plan = self.Options(c.sizeof(self.Options), CPU, MEASURE, 1, 1, -1, 0), c.c_void_p()
        with arena_peers.choices_in(self.choices.name):
            self.check(self.lib.cornerturn_plan_create(c.byref(plan), x.ndim, ints(*out.shape), strides(x, axes),
                                                       strides(out, range(x.ndim)), arena_peers.Elements(x.itemsize), c.byref(options)))
        return lambda: self.check(self.lib.cornerturn_plan_run(plan, pointer(x), pointer(out), None))


class Python:
    """The one-shot call of this project's Python package."""

    permutes = True

    def __init__(self, options):
        import cornerturn

        cornerturn.set_num_threads(options.threads)
        self.permute, self.version = cornerturn.permute, lambda: cornerturn.__version__

    def make(self, x, axes, out):
        return lambda: self.permute(x, axes, out=out)


class NumPy:
    permutes = True

    def version(self):
        import numpy

        return numpy.__version__

    def make(self, x, axes, out):
        import numpy

        return lambda: numpy.copyto(out, x.transpose(axes))


class Torch:
    permutes = True

    def __init__(self, options):
        import torch

        torch.set_num_threads(options.threads)
        self.version = lambda: torch.__version__
        self.of = lambda array: torch.from_numpy(array.view({2: "i2"}.get(array.itemsize, array.dtype)))

    def make(self, x, axes, out):
        source, result = self.of(x).permute(axes), self.of(out)
        return lambda: result.copy_(source)


class OpenBlas:
    """The omatcopy of OpenBLAS, for matrices. A matrix in C order is its transpose in Fortran order."""

    permutes = True

    def __init__(self, options):
        self.lib = c.CDLL(options.openblas)
        self.function("openblas_set_num_threads")(options.threads)
        self.config = self.function("openblas_get_config")
        self.config.restype = c.c_char_p

    def function(self, name):
        """A function by its name in OpenBLAS, or in the OpenBLAS of NumPy's wheel, whose integers have 64 bits."""
        return getattr(self.lib, name if hasattr(self.lib, name) else f"scipy_{name}64_")

    def version(self):
        return self.config().decode()

    def make(self, x, axes, out, alpha=1, conj=False):
        name = omatcopy_of(x, axes)
        if not name:
            return None
        # An argument of 64 bits is also right where the function reads 32 bits.
        function, (rows, columns) = self.function("cblas_" + name), map(c.c_int64, x.shape)
        factor = {"s": c.c_float(alpha), "d": c.c_double(alpha), "c": (c.c_float * 2)(alpha, 0), "z": (c.c_double * 2)(alpha, 0)}[name[0]]
        transposed = CONJUGATE_TRANSPOSED if conj else TRANSPOSED
        return lambda: function(COLUMN_MAJOR, transposed, columns, rows, factor, pointer(x), columns, pointer(out), rows)


class Mkl:
    """The omatcopy of MKL, for matrices, by the functions of C in libmkl_rt.so. A complex factor is a struct."""

    permutes = True

    class Complex64(c.Structure):
        _fields_ = [("real", c.c_float), ("imag", c.c_float)]

    class Complex128(c.Structure):
        _fields_ = [("real", c.c_double), ("imag", c.c_double)]

    FACTORS = {"s": c.c_float, "d": c.c_double, "c": Complex64, "z": Complex128}

    def __init__(self, options):
        self.lib = c.CDLL(required(options.mkl, "--mkl"))
        self.lib.MKL_Set_Num_Threads(options.threads)

    def version(self):
        text = c.create_string_buffer(200)
        self.lib.MKL_Get_Version_String(text, len(text))
        return text.value.decode().strip()

    def make(self, x, axes, out, alpha=1, conj=False):
        name = omatcopy_of(x, axes)
        if not name:
            return None
        function, (rows, columns) = getattr(self.lib, f"MKL_{name.capitalize()}"), map(c.c_size_t, x.shape)
        row_major, transposed, factor = c.c_char(b"R"), c.c_char(b"C" if conj else b"T"), self.FACTORS[name[0]](alpha)
        return lambda: function(row_major, transposed, rows, columns, factor, pointer(x), columns, pointer(out), rows)


class Hptt:
    """HPTT, with the faster one of an estimated and a measured plan, among those with the right result.

    Its C interface only estimates, in each call. So this class calls the C++ functions by their mangled names for GCC and Clang on
    x86-64. A plan is a std::shared_ptr, returned through a hidden first argument.
    """

    permutes = True
    KINDS = {4: ("f", c.c_float), 8: ("d", c.c_double)}
    METHODS = {"estimate": 0, "measure": 1}

    def __init__(self, options, library):
        self.lib, self.threads = c.CDLL(library), options.threads
        self.version = lambda: provenance.of_library(library)

    def plan(self, x, axes, out, method, alpha, beta):
        code, scalar = self.KINDS[x.itemsize]
        ints = c.c_int * x.ndim
        create = getattr(self.lib, f"_ZN4hptt11create_planEPKii{code}PK{code}S1_S1_{code}P{code}S1_NS_15SelectionMethodEiS1_b")
        execute = getattr(self.lib, f"_ZN4hptt9TransposeI{code}E7executeEv")
        plan = (c.c_void_p * 2)()
        create(plan, ints(*axes), x.ndim, scalar(alpha), pointer(x), ints(*x.shape), None, scalar(beta), pointer(out), None,
               self.METHODS[method], self.threads, None, c.c_bool(True))
        return lambda: execute(c.c_void_p(plan[0]))

    def finds_plans(self, x, axes):
        """False if a process of its own cannot find the plans. The search tries all orders of the axes, and fails by an abort."""
        call = f"import cpu_peers; cpu_peers.search({self.lib._name!r}, {self.threads}, {x.shape}, {tuple(axes)}, {x.dtype.str!r})"
        try:
            return not subprocess.run([sys.executable, "-c", call], cwd=pathlib.Path(__file__).parent, timeout=SEARCH_SECONDS,
                                      stderr=subprocess.DEVNULL).returncode
        except subprocess.TimeoutExpired:
            return False

    def make(self, x, axes, out, alpha=1, beta=0):
        import numpy

        if x.itemsize not in self.KINDS or not x.flags.c_contiguous:
            return None
        if x.ndim > SEARCHED_AXES and not self.finds_plans(x, axes):
            return None
        wanted, found = numpy.ascontiguousarray(x.transpose(axes) * x.dtype.type(alpha)).view("u1"), []
        for method in self.METHODS:
            work, times = self.plan(x, axes, out, method, alpha, beta), []
            for _ in range(3):
                begin = time.perf_counter()
                work()
                times.append(time.perf_counter() - begin)
            out.view("u1")[:] = 0
            work()
            if numpy.array_equal(out.view("u1"), wanted):
                found.append((min(times), work))
        return min(found, key=lambda each: each[0])[1] if found else None


class HpttCalls(Hptt):
    """This project through the calls of HPTT, with estimated plans like those of the peer cornerturn."""

    METHODS = {"estimate": 0}

    def finds_plans(self, x, axes):
        return True


def search(library, threads, shape, axes, dtype):
    """Makes HPTT's plans and runs none; a process that does it may run out of memory."""
    import types

    import numpy

    resource.setrlimit(resource.RLIMIT_AS, (SEARCH_BYTES, SEARCH_BYTES))
    x = numpy.zeros(shape, dtype)
    peer = Hptt(types.SimpleNamespace(threads=threads), library)
    for method in Hptt.METHODS:
        peer.plan(x, axes, numpy.empty(x.size, dtype), method, 1, 0)


MAKERS = {
    "nt-copy": lambda options: Copy(options, "streaming_copy"),
    "memcpy": lambda options: Copy(options, "plain_copy"),
    "cornerturn": lambda options: Cornerturn(options, options.library),
    "before": lambda options: Cornerturn(options, required(options.before, "--before")),
    "numpy": lambda options: NumPy(),
    "torch": Torch,
    "openblas": OpenBlas,
    "mkl": Mkl,
    "hptt": lambda options: Hptt(options, required(options.hptt, "--hptt")),
    "hptt-calls": lambda options: HpttCalls(options, str(pathlib.Path(options.library).with_name("libcornerturn_hptt.so"))),
    "python": Python,
    "measured": Measured,
}


def gather(options):
    """The ceilings and the requested peers, by name."""
    asked = options.peers.split(",")
    for name in asked:
        if name not in MAKERS:
            raise SystemExit(f"--peers: {name} is none of {', '.join(MAKERS)}")
    peers = {}
    for name, maker in MAKERS.items():
        if name in CEILINGS or name in asked:
            try:
                peers[name] = maker(options)
            except (OSError, ImportError, AttributeError) as problem:
                raise SystemExit(f"--peers: no {name}: {problem}") from None
    return peers
