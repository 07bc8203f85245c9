"""What the program draws: the page of `explain` for all rungs, and text, picture and page of layouts."""

import json
import shlex
import subprocess

LADDER = "ladder.html"


def explain(program, folder):
    """Writes the page of all rungs, and returns their explanations for 4-byte elements by name."""
    command = [program, "explain", "--html", folder / LADDER, "--json", "/dev/stderr"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {each["rung"]: each for each in json.loads(done.stderr)}


def view_of(explanations):
    """The part of the page's address that opens one explanation, or two side by side, on the costliest request of the first one."""
    wasted = lambda each: each["wavefronts"] - each["ideal_wavefronts"] + each["sectors"] - each["ideal_sectors"]
    costliest = max(explanations[0]["instructions"], key=wasted)
    alike = lambda each: (each["space"], each["store"]) == (costliest["space"], costliest["store"])
    places = [next((at for at, each in enumerate(one["instructions"]) if alike(each)), 0) for one in explanations]
    return "&".join(f"rung{suffix}={one['rung']}&type{suffix}=f32&at{suffix}={at}"
                    for suffix, one, at in zip(("", "2"), explanations, places))


def layout(program, name, arguments, folder):
    """Writes NAME.svg and NAME.html for the arguments of `cornerturn layout`, and returns its report."""
    command = [program, "layout", *shlex.split(arguments), "--html", folder / f"{name}.html"]
    done = subprocess.run([*command, "--svg", folder / f"{name}.svg"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"site: the layout {name}: {done.stderr}")
    return "\n".join(line for line in done.stdout.splitlines() if not line.endswith(": written")).rstrip()
