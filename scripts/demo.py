"""Permutes photographs, a matrix, attention heads and a volume with cornerturn, NumPy and, if it is there, PyTorch, verifies each
result, and times them by turns beside a copy. Permutes a file, climbs the ladder of the GPU or, without one, of the CPU, and writes
the page of `explain`.

All files go to the folder --out.
"""

import argparse
import importlib.util
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

import cornerturn
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

PHOTOGRAPHS, SIDE = 256, 224
PORTRAIT = 80, 140  # the row and column of the sample photograph where the face begins
AXES = (0, 3, 1, 2)
OWN, OTHER = "#1a7f5a", "#a3aab2"  # the colours of cornerturn and of others, as in bench/arena_report.py and bench/plot_hero.py
NAMES = {"numpy": "NumPy", "torch": "PyTorch", "copy": "a copy", "cornerturn": "cornerturn"}
ROUNDS = 15
SAMPLE_BYTES = 1 << 22  # a sample is as many calls as move this, so that the clock does not measure itself
LAUNCHES = 50  # calls on a GPU between two waits


def run(program, *arguments, cwd):
    """Runs a command of the program and prints it with its output."""
    print("$ cornerturn", *arguments, flush=True)
    if code := subprocess.run([program, *arguments], cwd=cwd).returncode:
        sys.exit(f"demo: cornerturn {arguments[0]} ended with exit code {code}")
    print(flush=True)


def has_gpu(program):
    said = subprocess.run([program, "info"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"^GPU \d", said, re.MULTILINE)


def photographs():
    """A batch as for training: random crops of matplotlib's sample photograph, half of them mirrored. The first one is a portrait."""
    photo = plt.imread(pathlib.Path(matplotlib.get_data_path()) / "sample_data" / "grace_hopper.jpg")
    random = np.random.default_rng(0)
    places = [random.integers(0, extent - SIDE, PHOTOGRAPHS) for extent in photo.shape[:2]]
    for place, first in zip(places, PORTRAIT):
        place[0] = first
    crops = [photo[y : y + SIDE, x : x + SIDE] for y, x in zip(*places)]
    return np.stack([crop[:, ::-1] if number % 2 else crop for number, crop in enumerate(crops)])


def arrays(batch):
    """What is permuted, by name: an array and its axes. All exceed most caches but the last one, which a call hardly pays for."""
    random = np.random.default_rng(0)
    heads = random.random((8, 2048, 16, 64), np.float32).astype(np.float16)
    return {"photographs": (batch, AXES),
            "matrix": (random.random((4000, 3000)), (1, 0)),
            "Fortran volume": (np.asfortranarray(random.random((200, 240, 280), np.float32)), (0, 1, 2)),
            "attention heads": (heads, (0, 2, 1, 3)),
            "heads of 16 tokens": (heads[:1, :16].copy(), (0, 2, 1, 3))}


def shape_of(array, axes):
    """Says what becomes of an array, such as "float64, 4000 x 3000, axes (1, 0)"."""
    order = "Fortran to C order" if axes == tuple(range(array.ndim)) else f"axes {axes}"
    return f"{array.dtype}, {' x '.join(map(str, array.shape))}, {order}"


def timed(ways, calls):
    """The median milliseconds of a call of each function, after one sample of each, by turns."""
    times = {name: [] for name in ways}
    for number in range(ROUNDS + 1):
        for name, work in ways.items():
            start = time.perf_counter()
            for _ in range(calls):
                work()
            if number:
                times[name].append(1e3 * (time.perf_counter() - start) / calls)
    return {name: statistics.median(each) for name, each in times.items()}


def cpu_times(array, axes):
    """Milliseconds on the CPU, by the keys of NAMES, after a check of every result. The copy is the faster of two."""
    wanted, again = np.ascontiguousarray(array.transpose(axes)), np.empty_like(array)
    result = np.empty_like(wanted)
    ways = {"numpy": lambda: np.copyto(result, array.transpose(axes)), "cornerturn": lambda: cornerturn.permute(array, axes, out=result)}
    if importlib.util.find_spec("torch"):
        import torch

        source, tensor = torch.from_numpy(array).permute(axes), torch.from_numpy(result)
        ways["torch"] = lambda: tensor.copy_(source)
    for name, work in ways.items():
        result[:] = 0
        work()
        if not np.array_equal(result, wanted):
            sys.exit(f"demo: {NAMES[name]} has a wrong result")
    copies = {"NumPy's copy": lambda: np.copyto(again, array), "cornerturn's copy": lambda: cornerturn.copy(array, again)}
    times = timed(ways | copies, max(1, SAMPLE_BYTES // array.nbytes))
    return times | {"copy": min(times.pop(name) for name in copies)}


def gpu_times(array, axes):
    """The same on a GPU, without NumPy."""
    import torch

    source = torch.from_numpy(array).cuda()
    result = torch.empty_like(source.permute(axes), memory_format=torch.contiguous_format)
    again = torch.empty_like(source)
    ways = {"torch": lambda: result.copy_(source.permute(axes)), "cornerturn": lambda: cornerturn.permute(source, axes, out=result),
            "copy": lambda: again.copy_(source)}

    def waited(work):
        for _ in range(LAUNCHES):
            work()
        torch.cuda.synchronize()

    times = timed({name: lambda work=work: waited(work) for name, work in ways.items()}, 1)
    if not np.array_equal(cornerturn.permute(source, axes).cpu().numpy(), array.transpose(axes)):
        sys.exit("demo: the GPU has a wrong result")
    return {name: each / LAUNCHES for name, each in times.items()}


def torch_has_gpu():
    if not importlib.util.find_spec("torch"):
        return False
    import torch

    return torch.cuda.is_available()


def baseline(times):
    """The key of what cornerturn is compared with: NumPy on the CPU, PyTorch on a GPU."""
    return "numpy" if "numpy" in times else "torch"


def compared(times):
    """Says how fast cornerturn is beside the baseline: "12 times as fast", or what it costs where it is slower."""
    ratio = times[baseline(times)] / times["cornerturn"]
    if 0.95 <= ratio <= 1.05:
        return "as fast"
    times_as = max(ratio, 1 / ratio)
    return f"{times_as:.{0 if times_as >= 9.95 else 1}f} times as {'fast' if ratio > 1 else 'long'}"


def fastest_first(cases):
    """The cases in the order of cornerturn's speed beside the baseline. The worst case is the last one."""
    return dict(sorted(cases.items(), key=lambda case: case[1]["cornerturn"] / case[1][baseline(case[1])]))


def milliseconds(time):
    return f"{time:.0f}" if time >= 99.5 else f"{time:.{3 if time >= 1 else 2}g}"


def table(place, cases):
    """The lines that tell the times of all cases at a place, and the best and the worst case in words. They fit 80 columns."""
    cases = fastest_first(cases)
    first = next(iter(cases.values()))
    columns, whom = [name for name in NAMES if name in first], NAMES[baseline(first)]
    row = lambda name, cells, words: f"{name:<20}" + "".join(f"{cell:>{12 if column == 'cornerturn' else 9}}"
                                                             for column, cell in zip(columns, cells)) + f"   {words}"
    lines = [f"{place}, milliseconds, medians of {ROUNDS} by turns:", "", row("", [NAMES[each] for each in columns], f"beside {whom}")]
    lines += [row(name, [milliseconds(times[each]) for each in columns], compared(times)) for name, times in cases.items()]
    (best, at_best), *_, (worst, at_worst) = cases.items()
    return [*lines, "", f"Best case: {best}, {compared(at_best)} as {whom}.", f"Worst case: {worst}, {compared(at_worst)} as {whom}."]


def draw_cases(axes, place, cases, shapes):
    """Draws the times of all cases as shares of the baseline's, each case under its name and shape."""
    ticks, y = {}, 0
    for case, times in fastest_first(cases).items():
        whom = baseline(times)
        name = axes.text(0, y, case, fontweight="bold", va="center")
        axes.annotate(f"  {shapes[case]}", (1, 0.5), xycoords=name, va="center", color="#59636e")
        for name in [each for each in NAMES if each in times]:
            y += 1
            own, share = name == "cornerturn", times[name] / times[whom]
            axes.barh(y, share, height=0.8, color="none" if name == "copy" else OWN if own else OTHER, edgecolor=OWN if own else OTHER)
            words = f" ms: {compared(times)} as {NAMES[whom]}" if own else " ms"
            axes.text(share + 0.01, y, milliseconds(times[name]) + words, va="center", color=OWN if own else "black",
                      fontweight="bold" if own else "normal")
            ticks[y] = NAMES[name]
        y += 1.5
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.set(title=place, xlabel=f"time as a share of {NAMES[whom]}'s; shorter is faster", ylim=(y - 0.9, -0.8))
    axes.set_xlim(0, 1.75 * max(time / times[baseline(times)] for times in cases.values() for time in times.values()))
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)


def draw(places, shapes, path):
    """Draws the cases of all places beside each other."""
    lines = max(sum(len(times) + 1.5 for times in cases.values()) for cases in places.values())
    figure, panels = plt.subplots(1, len(places), figsize=(8 * len(places), 1 + 0.23 * lines), layout="constrained", squeeze=False)
    for axes, (place, cases) in zip(panels.flat, places.items()):
        draw_cases(axes, place, cases, shapes)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.12)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def transpose_file(program, batch, out):
    """Permutes a file and compares the result with NumPy's."""
    np.save(out / "nhwc.npy", batch)
    run(program, "transpose", "nhwc.npy", "nchw.npy", "--axes", ",".join(map(str, AXES)), cwd=out)
    planes = np.load(out / "nchw.npy")
    if not np.array_equal(planes, batch.transpose(AXES)):
        sys.exit("demo: nchw.npy differs from what NumPy makes of nhwc.npy")
    plt.imsave(out / "photograph.png", batch[0])
    tinted = np.zeros((3, SIDE, SIDE, 3), np.uint8)  # the planes beside each other, each in its colour
    for channel in range(3):
        tinted[channel, :, :, channel] = planes[0, channel]
    plt.imsave(out / "channels.png", np.hstack(tinted))


def climb(program, on_gpu, out):
    """Runs the GPU's ladder or, with fewer rounds, the CPU's; draws it."""
    options = [] if on_gpu else ["--device", "cpu", "--rows", "4096", "--cols", "4096", "--repeats", "5"]
    run(program, "ladder", *options, "--json", "ladder.json", cwd=out)
    [ladder] = json.loads((out / "ladder.json").read_text())
    # on the CPU to the faster of memcpy and a copy with non-temporal stores
    ratios = {rung["name"]: min(rung["ratio"], rung["nt_ratio"] or rung["ratio"]) for rung in ladder["rungs"] if rung["ratio"]}
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.25 * len(ratios)), layout="constrained")
    copies = ("memcpy", "nt-copy", "copy", "copy-tma", "cublas-geam")
    bars = axes.barh(list(ratios), list(ratios.values()), color=[OTHER if name in copies else OWN for name in ratios])
    axes.bar_label(bars, fmt="%.2f", padding=3)
    axes.invert_yaxis()
    axes.set(title=f"The ladder: {ladder['rows']} x {ladder['cols']} {ladder['type']}",
             xlabel=f"speed as a ratio to {'a copy' if on_gpu else 'the faster of two copies'}")
    axes.margins(x=0.15)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "ladder.png", dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program cornerturn")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder to write to")
    options = parser.parse_args()
    program, out = options.program.resolve(), options.out
    out.mkdir(parents=True, exist_ok=True)

    batch = photographs()
    transpose_file(program, batch, out)
    climb(program, has_gpu(program), out)
    run(program, "explain", "--html", "explain.html", cwd=out)
    cases = arrays(batch)
    places = {f"CPU, {cornerturn.num_threads()} threads, NumPy with one": {name: cpu_times(*case) for name, case in cases.items()}}
    if torch_has_gpu():
        places["GPU"] = {name: gpu_times(*case) for name, case in cases.items()}
    shapes = {name: shape_of(*case) for name, case in cases.items()}
    draw(places, shapes, out / "speed.png")
    print("\n".join(f"{name}: {shape}" for name, shape in shapes.items()), end="\n\n")
    for place, times in places.items():
        print("\n".join(table(place, times)), end="\n\n")
    if has_gpu(program) and "GPU" not in places:
        print("There are no bars of the GPU, because this Python has no PyTorch: make demo DEMO_PYTHON=a Python that has it")
    print(f"Pictures in {out}: {', '.join(sorted(path.name for path in out.glob('*.png')))}\n"
          f"Every memory request of the GPU's kernels, to open in a browser:\n{out / 'explain.html'}\n"
          f"The program, for this shell:\nPATH={pathlib.Path('$PWD') / options.program.parent}:$PATH")


if __name__ == "__main__":
    main()
