# Each target installs and builds what it needs, from system packages to the build.

SHELL := bash
# what `make demo`, `make install` and `make test` build without PRESET: where no GPU is, no kernel can run, and nvcc takes most of the build time;
# nvidia-smi prints its complaints about a missing driver where it prints GPUs
here := $(or $(PRESET),$(if $(shell nvidia-smi -L 2>/dev/null | grep '^GPU '),gpu,cpu))
PRESET ?= gpu
PREFIX ?= /usr/local
# seconds of each fuzzing test of `make check`; the test of random permutations runs eight times as long
FUZZ_SECONDS ?= 1
# setup installs missing tools there
venv := PATH="$(CURDIR)/build/venv/bin:$$PATH"

.PHONY: help setup build install test test-frameworks test-mpi check demo site wheel bundle fit clean

help:
	@echo 'make setup    install what the build needs: system packages (apt), wheels (build/venv)'
	@echo 'make build    build the library, the program and the tests into build/$$PRESET (gpu, sweeps, cpu, asan, tsan, neon)'
	@echo 'make install  build, then install the program, library, headers and licences into $$PREFIX (/usr/local); preset as for test'
	@echo 'make test     build and test, without a GPU in the preset cpu; PRESET=gpu compiles the kernels for a GPU anyway'
	@echo 'make check    test under sanitizers, for Arm and in a browser, fuzz, run the slow tests, build the wheel and the bundle'
	@echo 'make test-frameworks  test the Python package with PyTorch and JAX, in a separate environment (5 GB)'
	@echo 'make test-mpi  test permutations over ranks with MPICH and Open MPI, in separate environments'
	@echo 'make demo     permute photographs, a matrix, heads and a volume beside NumPy and a copy, climb the ladder; into build/demo'
	@echo 'make site     build the site of all documents, charts, explain pages and references into docs/site'
	@echo 'make wheel    build the wheel of the Python package and test it in a clean environment'
	@echo 'make bundle   collect in build/bundle what runs on a machine with only a driver'
	@echo 'make fit      fit the rates of an H200 to the committed times of candidates'
	@echo 'make clean    remove build/'

setup:
	@scripts/setup

build/%/build.ninja: CMakePresets.json | setup
	$(venv) cmake --preset $*

.PRECIOUS: build/%/build.ninja

build: build/$(PRESET)/build.ninja | setup
	$(venv) cmake --build --preset $(PRESET)

install:
	$(MAKE) build PRESET=$(here)
	$(venv) cmake --install build/$(here) --prefix $(PREFIX)

test:
	$(MAKE) build PRESET=$(here)
	$(venv) ctest --preset $(here)

test-frameworks: build
	scripts/test-frameworks $(PRESET)

test-mpi: build
	scripts/test-mpi $(PRESET)

check: setup
	@scripts/setup check
	$(MAKE) test PRESET=asan CORNERTURN_FUZZ_SECONDS=$(FUZZ_SECONDS)
	$(MAKE) test PRESET=tsan
	$(MAKE) test PRESET=neon
	$(MAKE) site PRESET=sweeps
	$(MAKE) test PRESET=sweeps
	scripts/fuzz $(FUZZ_SECONDS)
	$(venv) scripts/wheel gpu 90
	scripts/release --dry-run
	$(venv) scripts/bundle

# with a Python that has PyTorch, the demo also measures PyTorch, on the GPU too; it needs nanobind-backend and matplotlib as well
DEMO_PYTHON ?= build/venv/bin/python
demo: setup
	$(MAKE) build/$(here)/build.ninja
	$(venv) cmake --build --preset $(here) --target cornerturn_program _cornerturn
	PYTHONPATH=build/$(here)/python $(DEMO_PYTHON) scripts/demo.py --program build/$(here)/bin/cornerturn --out build/demo

site: build/$(PRESET)/build.ninja
	@scripts/setup site
	$(venv) cmake --build --preset $(PRESET) --target cornerturn_program cornerturn_stubs
	scripts/site $(PRESET)

wheel: setup
	$(venv) scripts/wheel $(PRESET)

# the rates of an H200 anew from the committed times of candidates
fit:
	bench/fit_gpu.py bench/results/h200-fit-between.json.gz bench/results/h200-fit-rows.json.gz --write

bundle:
	$(MAKE) build PRESET=sweeps
	$(venv) scripts/bundle

clean:
	rm -rf build
