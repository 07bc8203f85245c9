"""What the program says of arguments that it does not know, and of threads. CORNERTURN names the program."""

import json
import os
import re
import subprocess

import numpy as np
import pytest

from terminal import open_terminal, read_terminal, resize

PROGRAM = os.environ["CORNERTURN"]


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **options)


@pytest.mark.parametrize("arguments, message", [
    ([], "a command is required; see cornerturn --help"),
    (["turn", "a.npy"], "unknown command 'turn'; see cornerturn --help"),
    (["trnaspose", "a.npy"], "unknown command 'trnaspose'; did you mean transpose?"),
    (["verison"], "unknown command 'verison'; did you mean --version?"),
    (["halp"], "unknown command 'halp'; did you mean --help?"),
    (["smem-padded"], "unknown command 'smem-padded'; did you mean explain smem-padded?"),
    (["naive"], "unknown command 'naive'; did you mean explain naive-read?"),
    (["expl", "copy"], "unknown command 'expl'; did you mean explain?"),
    (["--versoin"], "unknown option '--versoin'; did you mean --version?"),
    (["transpose", "a.npy", "b.npy", "--axis", "1,0"], "unknown option '--axis' of transpose; did you mean --axes?"),
    (["transpose", "a.npy", "b.npy", "--mem=2G"], "unknown option '--mem=2G' of transpose; did you mean --memory?"),
    (["explain", "--Rows", "64"], "unknown option '--Rows' of explain; did you mean --rows?"),
    (["--fast", "info"], "unknown option '--fast' of info; see cornerturn info --help"),
    (["transpose", "a.npy", "b.npy", "--fast"], "unknown option '--fast' of transpose; see cornerturn transpose --help"),
    (["transpose", "a.npy", "--fast"], "unknown option '--fast' of transpose; see cornerturn transpose --help"),
    (["--axes", "1,0", "transpose", "a.npy", "b.npy"], "option '--axes' stands before transpose; give it after transpose"),
    (["--axes=1,0", "plan", "3x4"], "option '--axes' stands before plan; give it after plan"),
    (["ladder", "8192"], "unknown argument '8192' of ladder; see cornerturn ladder --help"),
    (["permute", "a.npy"], "unknown command 'permute'; did you mean transpose?"),
    (["explain", "--html"], "--html needs a FILE; see cornerturn explain --help"),
    (["explain", "--rows"], "--rows needs an INT; see cornerturn explain --help"),
    (["plan", "3x4", "--device", "cuda"], "--device is 'cuda'; it must be auto, cpu, gpu or h200; did you mean gpu?"),
    (["plan", "3x4", "--device", "h20"], "--device is 'h20'; it must be auto, cpu, gpu or h200; did you mean h200?"),
    (["tune", "3x4", "--device", "h200"], "--device is 'h200'; it must be auto, cpu or gpu"),
    (["plan", "3x4", "--axes", "1", "0"], "unknown argument '0' of plan; axes have commas between them, e.g. 2,0,1"),
    (["transpose", "a.npy", "-b.npy"], "unknown option '-b.npy' of transpose; ./-b.npy names a file"),
    (["layout", "8", "--threads", "(8,x)"], "--threads '(8,x)' is wrong at character 4, 'x': an unknown word; Swizzle, Sw, S, Int, C, Layout, "
     "Shape, Stride, composition and o are known"),
    (["transpose", "a.npy", "b.npy", "--memory", ""],
     "--memory is ''; it must be a number of bytes above 0, e.g. 2GiB, 1.5G, 500MB or 1000000"),
    (["plan", "3x-1"], "SHAPE is '3x-1'; it must be of extents of 0 or more"),
    (["explain", "--plan", "3,-1"], "--plan is '3,-1'; it must be of extents of 0 or more"),
    (["tune", "64x64", "--cases", "x.json"], "tune takes either a SHAPE or --cases FILE, not both"),
    (["plan", "3x4", "--threads", "-1"], "--threads is -1; it must be 0 or more"),
    (["tune", "3x4", "--threads", "all"], "--threads is 'all'; it must be a whole number, at most 2147483647"),
])
def test_bad_usage(arguments, message):
    done = run(*arguments)
    assert done.returncode == 2 and done.stdout == "" and done.stderr == f"cornerturn: {message}\n", done


COMMANDS = re.findall(r"^  ([a-z]+) ", run("--help").stdout.partition("Commands:")[2].partition("\n\n")[0], re.MULTILINE)


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)], ids=str)
def test_every_help_fits_the_terminal(command):
    assert len(COMMANDS) == 7
    done = run(*command, "--help")
    assert done.returncode == 0 and max(len(line) for line in done.stdout.splitlines()) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_help_does_not_list_what_an_option_excludes_or_needs(command):
    said = run(command, "--help").stdout
    assert "Excludes" not in said and "Needs" not in said and "\n\n\n" not in said


def test_help_has_three_examples_that_run(tmp_path):
    np.save(tmp_path / "images.npy", np.zeros((2, 3, 4, 3), "u1"))
    examples = re.findall("^  (cornerturn .*)$", run("--help").stdout, re.MULTILINE)
    assert len(examples) == 3
    for each in examples:
        assert run(*each.split()[1:], cwd=tmp_path).returncode == 0, each


def test_help_is_a_command_too():
    assert run("help").stdout == run("--help").stdout
    assert run("help", "tune").stdout == run("tune", "--help").stdout
    assert run("help", "tun").stderr == "cornerturn: unknown command 'tun'; did you mean tune?\n"


def test_messages_name_options_as_they_are_written():
    for arguments, option in ((["explain", "--rows", 0], "--rows"), (["explain", "--align", 3], "--align"),
                              (["plan", "3x4", "--source-align", 3], "--source-align"), (["plan", "3y4"], "SHAPE"),
                              (["explain", "--plan", "3y4"], "--plan"), (["plan", "3x4", "--axes", "0,0"], "--axes"),
                              (["explain", "none"], "RUNG"), (["ladder", "--kernels", "none"], "--kernels"),
                              (["layout", "64", "--load-threads", "3x"], "--load-threads")):
        said = run(*arguments).stderr
        assert re.match(rf"cornerturn: {option} (is )?['(\d]", said), said


def test_help_calls_files_files_and_hides_defaults_that_mean_nothing():
    for command in COMMANDS:
        said = run(command, "--help").stdout
        assert " TEXT" not in said and "INT=0" not in said
        assert all("FILE" in line for line in said.splitlines() if re.match(" *--(json|csv|svg|html) ", line))


def test_info_as_json(tmp_path):
    assert run("info", "--json", tmp_path / "info.json").stdout == f"{tmp_path / 'info.json'}: written\n"
    told, printed = json.loads((tmp_path / "info.json").read_text()), run("info").stdout
    assert told["version"] in printed and told["cpu"]["instructions"] in printed and (told["gpu_problem"] or "GPU") in printed


def test_a_report_replaces_a_file_and_keeps_its_permissions(tmp_path):
    """Nobody can know the name of the temporary file and make it a link to another file before."""
    report, other = tmp_path / "report", tmp_path / "other"
    report.write_text("older")
    report.chmod(0o640)
    other.write_text("kept")
    linked = f"ln -s other report.$$.partial; exec '{PROGRAM}' info --json report"
    done = subprocess.run(["bash", "-c", linked], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and other.read_text() == "kept", done
    assert json.loads(report.read_text())["version"] and not report.is_symlink() and report.stat().st_mode & 0o777 == 0o640
    assert sum(each.name[:7] != "report." for each in tmp_path.iterdir()) == 2


@pytest.mark.parametrize("arguments", ["--help", "info", "transpose in.npy out.npy", "explain --rows 64 --cols 64", "plan 3x4"])
def test_what_cannot_be_printed_is_said(tmp_path, arguments):
    np.save(tmp_path / "in.npy", np.zeros((3, 4)))
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, *arguments.split()], stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr == "cornerturn: standard output cannot be written\n", done


@pytest.mark.parametrize("closing", ["2>&-", "2>/dev/full", "0<&- 2>&-", "0<&- 1>&- 2>&-"])
def test_a_message_that_cannot_be_printed(tmp_path, closing):
    np.save(tmp_path / "in.npy", np.arange(12).reshape(3, 4))
    environment = os.environ | {"CORNERTURN_LOG": "plan"}  # a message of a call that succeeds

    def status(*arguments):
        return subprocess.run(["bash", "-c", f'exec "$@" {closing}', "", PROGRAM, *arguments], stdout=subprocess.PIPE,
                              cwd=tmp_path, env=environment).returncode

    assert status("transpose", "missing.npy", "out.npy") == status("no-such-command") == 2
    assert status("transpose", "in.npy", "out.npy") == (2 if "1>&-" in closing else 0)
    for number in range(3):  # a closed stream takes no report
        assert f"{number}>&-" not in closing.replace("<", ">") or status("info", "--json", f"/dev/fd/{number}") == 2
    assert np.array_equal(np.load(tmp_path / "out.npy"), np.arange(12).reshape(3, 4).T)


def test_threads(tmp_path):
    here = {"env": os.environ | {"CORNERTURN_CACHE_DIR": str(tmp_path)}}
    assert " 3 threads)" in " ".join(run("plan", "300x400", "--device", "cpu", "--threads", 3, **here).stdout.split())
    assert run("tune", "300x400", "--device", "cpu", "--threads", 3, **here).returncode == 0
    assert ", 3 threads\t" in next(tmp_path.glob("*.txt")).read_text()
    run("ladder", "--device", "cpu", "--threads", 3, "--rows", 2000, "--cols", 2000, "--repeats", 1,
        "--json", tmp_path / "run.json")
    rungs = json.loads((tmp_path / "run.json").read_text())[0]["rungs"]
    assert {rung["name"]: rung["threads"] for rung in rungs}["threads"] == 3


def test_threads_of_a_file(tmp_path):
    array = np.arange(3_000_000, dtype="<i4").reshape(1500, 2000)
    np.save(tmp_path / "in.npy", array)
    done = run("transpose", tmp_path / "in.npy", tmp_path / "out.npy", "--threads", 3, "--device", "cpu")
    assert done.returncode == 0 and np.array_equal(np.load(tmp_path / "out.npy"), array.T), done


@pytest.mark.parametrize("command, automatic", [("plan", "the GPU if there is one, else the CPU; h200: an H200, which need not be there"), ("ladder", "the GPU; without one, its rungs are verified on the host"),
                                                ("tune", "the GPU if there is one, else the CPU"),
                                                ("transpose", "the GPU if there is one with enough memory")])
def test_help_says_which_processor_auto_is(command, automatic):
    described = " ".join(run(command, "--help").stdout.split("--device")[1].split("--threads")[0].split())
    names = "auto, cpu, gpu or h200" if command == "plan" else "auto, cpu or gpu"
    assert described == f"NAME {names}; auto: {automatic}"


@pytest.mark.parametrize("columns", [20, 80])
@pytest.mark.parametrize("command", [["ladder", "--device", "cpu", "--rows", "300", "--cols", "300", "--repeats", "2"],
                                     ["tune", "30x40x50x60", "--axes", "3,1,2,0", "--device", "cpu"]], ids=lambda words: words[0])
def test_a_status_line_fits_the_terminal(tmp_path, command, columns):
    terminal, theirs = open_terminal()
    resize(terminal, columns)
    process = subprocess.Popen([PROGRAM, *command], stdout=subprocess.DEVNULL, stderr=theirs,
                               env=os.environ | {"CORNERTURN_CACHE_DIR": str(tmp_path)})
    os.close(theirs)
    lines = [line.removesuffix("\x1b[K") for line in read_terminal(terminal).decode().split("\r")]
    assert process.wait() == 0 and lines[-1] == ""
    assert 5 < max(map(len, lines)) < columns, lines
