"""Transposes a photograph with the program, compares every result with NumPy, runs the ladder and prints a summary.

All files go to the folder --out: the arrays, pictures, the ladder's figures.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

BATCH = 32  # photographs; more bytes than the caches hold


def run(program, *arguments, cwd):
    """Runs a command of the program, prints it with its output, and returns the output."""
    print("$ cornerturn", *arguments, flush=True)
    done = subprocess.run([program, *arguments], cwd=cwd, stdout=subprocess.PIPE, text=True)
    print(done.stdout, flush=True)
    if done.returncode:
        sys.exit(f"demo: cornerturn {arguments[0]} ended with exit code {done.returncode}")
    return done.stdout


def transpose(program, out, source, result, axes):
    """Transposes an array with the program, verifies the result and returns a row of the summary."""
    said = run(program, "transpose", source, result, "--axes", ",".join(map(str, axes)), cwd=out)
    before, after = np.load(out / source), np.load(out / result)
    if not np.array_equal(after, before.transpose(axes)):
        sys.exit(f"demo: {result} differs from what NumPy makes of {source}")
    speed, processor = re.search(r"moved in memory(?: at ([\d.]+) GB/s)? on the (\w+)", said).groups()
    return before.shape, axes, float(speed) if speed else None, processor, copy_speed(before)


def copy_speed(array, rounds=5):
    """The speed of NumPy's copy in GB/s, read plus written: the ceiling on this CPU."""
    into = array.copy()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        np.copyto(into, array)
        seconds.append(time.perf_counter() - start)
    return 2e-9 * array.nbytes / statistics.median(seconds)


def photographs():
    """The photograph, and a batch of increasingly dark copies, so that all images differ."""
    photo = plt.imread(pathlib.Path(matplotlib.get_data_path()) / "sample_data" / "grace_hopper.jpg")
    return photo, np.stack([photo // (i + 1) for i in range(BATCH)])


def draw_ladder(rungs, device, path):
    names = [rung["name"] for rung in rungs]
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    bars = axes.barh(names, [rung["ratio"] for rung in rungs])
    axes.bar_label(bars, fmt="%.2f", padding=3)
    axes.invert_yaxis()
    axes.set(xlabel="speed as a ratio to cudaMemcpy", title=device, xlim=(0, 1.1))
    figure.savefig(path, dpi=120)


def sum_up_ladder(ladder, out):
    """Compares the fastest transpose with the copy, and draws the ladder if it was timed."""
    size = f"{ladder['rows']} x {ladder['cols']} {ladder['type']}"
    timed = [rung for rung in ladder["rungs"] if rung["ratio"]]
    if not timed:
        right = sum(rung["result"] == "right" for rung in ladder["rungs"])
        return [f"{right} of {len(ladder['rungs'])} rungs right at {size}, run on the host, because there is no GPU."]
    draw_ladder(timed, ladder["device"], out / "ladder.png")
    best = max((rung for rung in timed if rung["name"] not in ("memcpy", "copy", "copy-tma")), key=lambda rung: rung["gbs"])
    return [f"{ladder['device']}, {size}: the fastest transpose is {best['name']},",
            f"{best['gbs']:.0f} GB/s, {best['ratio']:.3f} of the ceiling, memcpy's {ladder['memcpy_gbs']:.0f} GB/s."]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the program cornerturn")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder to write to")
    options = parser.parse_args()
    program, out = options.program.resolve(), options.out
    out.mkdir(parents=True, exist_ok=True)

    photo, batch = photographs()
    np.save(out / "photo.npy", photo)
    np.save(out / "nhwc.npy", batch)

    steps = {
        "NHWC to NCHW": transpose(program, out, "nhwc.npy", "nchw.npy", (0, 3, 1, 2)),
        "and back": transpose(program, out, "nchw.npy", "back.npy", (0, 2, 3, 1)),
        "height and width": transpose(program, out, "photo.npy", "turned.npy", (1, 0, 2)),
    }
    if not np.array_equal(np.load(out / "back.npy"), batch):
        sys.exit("demo: the batch differs after both transposes")
    run(program, "ladder", "--json", "ladder.json", cwd=out)
    [ladder] = json.loads((out / "ladder.json").read_text())

    plt.imsave(out / "photo.png", photo)
    plt.imsave(out / "turned.png", np.load(out / "turned.npy"))
    plt.imsave(out / "channels.png", np.hstack(np.load(out / "nchw.npy")[0]), cmap="gray")

    print("Summary: every result equals NumPy's. GB/s read plus written; a copy: NumPy's.\n")
    print(f"{'':<18}{'shape':<20}{'axes':<14}{'GB/s':>7}{'a copy':>8}{'ratio':>7}  on")
    for name, (shape, axes, speed, processor, copy) in steps.items():
        told, ratio = ("–", "–") if speed is None else (f"{speed:.2f}", f"{speed / copy:.2f}")  # too small to time
        print(f"{name:<18}{str(shape):<20}{str(axes):<14}{told:>7}{copy:>8.2f}{ratio:>7}  {processor}")
    print("\nLadder:", *sum_up_ladder(ladder, out), sep="\n  ")
    print(f"\nPictures: {', '.join(sorted(path.name for path in out.glob('*.png')))} in {out}")


if __name__ == "__main__":
    main()
