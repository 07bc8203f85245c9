"""What must hold of an installed wheel, in an environment that has nothing else but NumPy."""

import importlib.metadata
import pathlib
import subprocess
import sys

MOST_MODULES = 8  # that the import adds to those of NumPy
COUNTED_IMPORT = """
import sys, numpy
before = set(sys.modules)
import cornerturn
print(*sorted(sys.modules.keys() - before))
assert not {"torch", "cupy", "jax"} & sys.modules.keys()
"""


def run(*arguments, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, **options)


def main():
    installed = {distribution.name for distribution in importlib.metadata.distributions()}
    assert installed <= {"cornerturn", "numpy", "nanobind-backend", "pip", "setuptools"}, installed

    modules = run("-c", COUNTED_IMPORT, check=True).stdout.split()
    assert len(modules) <= MOST_MODULES, f"import cornerturn imports {modules} after NumPy"

    import cornerturn
    import numpy as np
    assert cornerturn.__version__ == importlib.metadata.version("cornerturn")
    x = np.arange(8 * 30 * 40 * 3, dtype=np.float32).reshape(8, 30, 40, 3)
    assert np.array_equal(cornerturn.permute(x, (0, 3, 1, 2)), x.transpose(0, 3, 1, 2))
    package = pathlib.Path(cornerturn.__file__).parent
    assert (package / "_cornerturn_jax.so").exists()
    assert (package / "py.typed").exists() and "def permute(" in (package / "_cornerturn.pyi").read_text()

    told = run("-m", "cornerturn", "info")
    assert told.returncode == 0 and told.stdout.startswith(f"cornerturn    {cornerturn.__version__}\n"), told
    refused = run("-m", "cornerturn", "plan", "2y3")
    assert refused.returncode == 2 and refused.stderr.startswith("cornerturn: SHAPE is '2y3'"), refused

    command = pathlib.Path(sys.prefix) / "bin/cornerturn"
    told = subprocess.run([command, "info"], capture_output=True, text=True)
    assert told.returncode == 0 and told.stdout.startswith(f"cornerturn    {cornerturn.__version__}\n"), told

    run("-c", "import importlib.metadata as m, sys; [e] = m.entry_points(group='torch.backends'); e.load()(); "
        "assert not {'cornerturn', 'torch'} & sys.modules.keys()", check=True)

    metadata = importlib.metadata.metadata("cornerturn")
    assert metadata["Summary"] == "Permute the axes of any array, on GPU or CPU, at the speed of a copy"
    licences = {path.name: path.locate().stat().st_size for path in importlib.metadata.files("cornerturn")
                if ".dist-info/licenses/" in str(path)}
    wanted = {"LICENSE"} | {f"{name}.txt" for name in ("CLI11", "cuda", "cutlass", "fmt", "highway", "nanobind", "nlohmann-json", "xla")}
    assert licences.keys() == wanted and min(licences.values()) > 100, licences

    for binary in [*package.glob("*.so"), package / "bin/cornerturn", *package.glob("lib/*")]:
        needed = subprocess.run(["ldd", binary], capture_output=True, text=True, check=True).stdout
        for name in ("libfmt", "libhwy", "libcornerturn"):
            assert all(str(package) in line for line in needed.splitlines() if name in line), needed
    print(f"import cornerturn imports {len(modules)} modules after NumPy")


main()
