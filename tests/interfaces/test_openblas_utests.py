"""OpenBLAS's own tests of these functions, from its sources in the folder that OPENBLAS_SOURCES names."""

import os
import pathlib
import re
import subprocess

import pytest

from blas_calls import LIBRARY

SOURCES = os.environ.get("OPENBLAS_SOURCES")

# What the tests take from OpenBLAS's build, for 32-bit integers.
HEADER = """
#pragma once
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int blasint;
typedef uint16_t bfloat16;
typedef float _Complex openblas_complex_float, openblas_complex_xdouble;
typedef double _Complex openblas_complex_double;
#define OPENBLAS_CONST const
#define BLASFUNC(name) name##_
#define BUILD_SINGLE 1
#define BUILD_DOUBLE 1
#define BUILD_COMPLEX 1
#define BUILD_COMPLEX16 1
#include "cblas.h"
float snrm2_(blasint*, float*, blasint*);
double dnrm2_(blasint*, double*, blasint*);
"""

# The functions of BLAS that the tests compare with.
REFERENCE = """
#include <math.h>
#include "common.h"

#define NRM2(name, T)                                            \\
  T name(blasint* n, T* x, blasint* inc) {                       \\
    double sum = 0;                                              \\
    for (int i = 0; i < *n; ++i) sum += (double)x[i * *inc] * x[i * *inc]; \\
    return sqrt(sum);                                            \\
  }
#define AXPBY(name, T)                                                                          \\
  void name(blasint* n, T* alpha, T* x, blasint* incx, T* beta, T* y, blasint* incy) {          \\
    for (int i = 0; i < *n; ++i) y[i * *incy] = *alpha * x[i * *incx] + *beta * y[i * *incy];   \\
  }
NRM2(snrm2_, float)
NRM2(dnrm2_, double)
AXPBY(saxpby_, float)
AXPBY(daxpby_, double)
AXPBY(caxpby_, float _Complex)
AXPBY(zaxpby_, double _Complex)
"""


@pytest.mark.skipif(not SOURCES, reason="OPENBLAS_SOURCES names no folder")
@pytest.mark.parametrize("name, least", [("matcopy", 240), ("geadd", 116)])
def test_of_openblas(name, least, tmp_path):
    for each in ("cblas.h", "utest"):  # cblas.h includes the common.h beside it
        (tmp_path / each).symlink_to(pathlib.Path(SOURCES).resolve() / each)
    (tmp_path / "common.h").write_text(HEADER)
    (tmp_path / "reference.c").write_text(REFERENCE)
    tests = tmp_path / "utest/test_extensions"
    program = tmp_path / "utests"
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-w", "-O1", f"-I{tmp_path}", tmp_path / "utest/utest_main.c",
                    *sorted(tests.glob(f"test_*{name}.c")), tests / "common.c", tests / "xerbla.c",
                    tmp_path / "reference.c", "-o", program, f"-L{LIBRARY.parent}", "-lcornerturn_blas", f"-Wl,-rpath,{LIBRARY.parent}",
                    "-lm"], check=True)
    said = subprocess.run([program], capture_output=True, text=True).stdout
    counts = re.search(r"(\d+) tests \((\d+) ok, (\d+) failed.*", said)
    print(name, counts.group())
    count, passed, failed = map(int, counts.groups())
    assert count >= least and (passed, failed) == (count, 0), said
