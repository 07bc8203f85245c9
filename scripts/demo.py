"""Permutes a batch of photographs from NHWC to NCHW with cornerturn, NumPy and others, in memory and in a file, and verifies and times
them beside a copy. Climbs the ladder of the GPU or, without one, of the CPU, and writes the page of `explain`.

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

PHOTOGRAPHS, SIDE = 256, 224  # 38 MB, more than most caches hold
PORTRAIT = 80, 140  # the row and column of the sample photograph where the face begins
AXES = (0, 3, 1, 2)
OWN, OTHER = "#1a7f5a", "#a3aab2"  # the colours of cornerturn and of others, as in bench/arena_report.py and bench/plot_hero.py
ROUNDS = 9
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


def cpu_ways(batch, planes):
    """Functions that permute `batch` to `planes` on the CPU, by name, and two copies."""
    again = np.empty_like(batch)
    ways = {"NumPy (one thread)": lambda: np.copyto(planes, batch.transpose(AXES)),
            "cornerturn": lambda: cornerturn.permute(batch, AXES, out=planes)}
    if importlib.util.find_spec("torch"):
        import torch

        source, result = torch.from_numpy(batch).permute(AXES), torch.from_numpy(planes)
        ways["torch"] = lambda: result.copy_(source)
    if importlib.util.find_spec("cv2"):
        import cv2

        ways["OpenCV"] = lambda: [cv2.split(image, list(channels)) for image, channels in zip(batch, planes)]
    return ways, {"NumPy's": lambda: np.copyto(again, batch), "cornerturn's": lambda: cornerturn.copy(batch, again)}


def timed(ways):
    """The median milliseconds of each function, after one run of each, by turns."""
    times = {name: [] for name in ways}
    for number in range(ROUNDS + 1):
        for name, work in ways.items():
            start = time.perf_counter()
            work()
            if number:
                times[name].append(1e3 * (time.perf_counter() - start))
    return {name: statistics.median(each) for name, each in times.items()}


def cpu_times(batch):
    """Milliseconds on the CPU, by name, after a check of every result; the last one is the faster copy's."""
    planes, wanted = np.empty_like(batch.transpose(AXES), order="C"), np.ascontiguousarray(batch.transpose(AXES))
    ways, copies = cpu_ways(batch, planes)
    for name, work in ways.items():
        planes[:] = 0
        work()
        if not np.array_equal(planes, wanted):
            sys.exit(f"demo: {name} has a wrong result")
    times = timed(ways | copies)
    return {name: times[name] for name in sorted(ways, key=times.get, reverse=True)} | {"a copy": min(map(times.get, copies))}


def gpu_times(batch):
    """The same on a GPU, with torch; empty if torch or a GPU is missing."""
    if not importlib.util.find_spec("torch"):
        return {}
    import torch

    if not torch.cuda.is_available():
        return {}
    source = torch.from_numpy(batch).cuda()
    planes, again = torch.empty_like(source.permute(AXES), memory_format=torch.contiguous_format), torch.empty_like(source)
    ways = {"torch": lambda: planes.copy_(source.permute(AXES)), "cornerturn": lambda: cornerturn.permute(source, AXES, out=planes),
            "a copy": lambda: again.copy_(source)}

    def waited(work):
        for _ in range(LAUNCHES):
            work()
        torch.cuda.synchronize()

    times = {name: each / LAUNCHES for name, each in timed({name: lambda work=work: waited(work) for name, work in ways.items()}).items()}
    if not np.array_equal(cornerturn.permute(source, AXES).cpu().numpy(), batch.transpose(AXES)):
        sys.exit("demo: the GPU has a wrong result")
    return times


def report(places):
    """Prints the table of all places, each with its times by name."""
    print(f"{PHOTOGRAPHS} photographs of {SIDE} x {SIDE} x 3 bytes from NHWC to NCHW, in memory:\n")
    for place, times in places.items():
        print("  ", place)
        for name, each in times.items():
            print(f"      {name:<20}{each:>10.3g} ms {times['a copy'] / each:>8.2f} of the speed of a copy")
        print()


def draw_bars(axes, ratios, title, colours, two_copies):
    """Draws one bar for each speed, by name, as a ratio to that of a copy, on a CPU of the faster of two."""
    axes.bar_label(axes.barh(list(ratios), list(ratios.values()), color=colours), fmt="%.2f", padding=3)
    axes.invert_yaxis()
    axes.set(title=title, xlabel="speed as a ratio to the faster of two copies" if two_copies else "speed as a ratio to a copy")
    axes.margins(x=0.15)
    axes.spines[["top", "right"]].set_visible(False)


def draw(places, path):
    """Draws the speeds of all places beside each other."""
    figure, panels = plt.subplots(1, len(places), figsize=(4.8 * len(places), 2.6), layout="constrained", squeeze=False)
    for axes, (place, times) in zip(panels.flat, places.items()):
        draw_bars(axes, {name: times["a copy"] / each for name, each in times.items()}, place,
                  [OWN if name == "cornerturn" else OTHER for name in times], place.startswith("CPU"))
    figure.savefig(path, dpi=120)


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
    # on the CPU to the faster of memcpy and a copy past the caches, as in speed.png
    ratios = {rung["name"]: min(rung["ratio"], rung["nt_ratio"] or rung["ratio"]) for rung in ladder["rungs"] if rung["ratio"]}
    figure, axes = plt.subplots(figsize=(8, 0.6 + 0.25 * len(ratios)), layout="constrained")
    copies = ("memcpy", "nt-copy", "copy", "copy-tma", "cublas-geam")
    draw_bars(axes, ratios, f"The ladder: {ladder['rows']} x {ladder['cols']} {ladder['type']}",
              [OTHER if name in copies else OWN for name in ratios], not on_gpu)
    figure.savefig(out / "ladder.png", dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program cornerturn")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder to write to")
    options = parser.parse_args()
    program, out = options.program.resolve(), options.out
    out.mkdir(parents=True, exist_ok=True)

    batch = photographs()
    places = {f"CPU, {cornerturn.num_threads()} threads": cpu_times(batch), "GPU": gpu_times(batch)}
    places = {place: times for place, times in places.items() if times}
    transpose_file(program, batch, out)
    climb(program, has_gpu(program), out)
    run(program, "explain", "--html", "explain.html", cwd=out)
    draw(places, out / "speed.png")
    report(places)
    if has_gpu(program) and "GPU" not in places:
        print("There are no bars of the GPU, because this Python has no PyTorch: make demo DEMO_PYTHON=a Python that has it")
    print(f"Pictures in {out}: {', '.join(sorted(path.name for path in out.glob('*.png')))}\n"
          f"Every memory request of the GPU's kernels, to open in a browser:\n{out / 'explain.html'}\n"
          f"The program, for this shell:\nPATH={pathlib.Path('$PWD') / options.program.parent}:$PATH")


if __name__ == "__main__":
    main()
