"""The tables of runs with cornerturn.torch.enable."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import torch_tables


def rows_of(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_models_that_gain_least_come_first_with_their_interval():
    model = lambda batch, ratio, copies: {
        "input": [batch, 3], "ms": {"off": [20, 19, 21], "on": [18, 17, 19]}, "ratio": ratio, "copies_us": copies, "taken": 7}
    run = {"models": {"gains": model(8, [0.9, 0.89, 0.91], {"off": 400, "on": 100}) | {"gpu_ms": {"off": 19, "on": 17}},
                      "has no copies": model(2, [1, 0.99, 1.02], {"off": 0, "on": 0})}}
    assert rows_of(torch_tables.models([], run)) == [["has no copies", "2", "20.0", "–", "1.000 (0.990–1.020)", "–", "7"],
                                                     ["gains", "8", "20.0", "0.95", "0.900 (0.890–0.910)", "0.25", "7"]]


def test_the_dearest_call_comes_first():
    call = lambda both, taken: {"without": 3, "wrapping": [0.5, 0.4, 0.6], "deciding": [0.1, 0, 0.2], "both": both, "taken": taken}
    run = {"calls": {"square": call([-1, -1.5, -0.5], True), "rows": call([0.6, 0.5, 0.7], False)}}
    assert rows_of(torch_tables.call_cost([], run)) == [
        ["rows", "3.00", "0.50 (0.40–0.60)", "0.10 (0.00–0.20)", "0.60 (0.50–0.70)", "no"],
        ["square", "3.00", "0.50 (0.40–0.60)", "0.10 (0.00–0.20)", "-1.00 (-1.50–-0.50)", "yes"]]


def test_a_rule_is_wrong_about_what_it_takes_to_lose_and_leaves_to_gain():
    case = lambda verdict, ratio, threads=1: {"case": "heads", "threads": threads, "verdict": verdict, "ratio": ratio}
    run = {"device": "2 cores", "cases": [case("taken", 1.5), case("taken", 0.9), case("taken", 0.96), case("rows", 0.5),
                                          case("small", 1.06), case("rows", 2, threads=2)]}
    assert rows_of(torch_tables.rule([], run)) == [["2 cores, 1", "heads", "3", "1", "0.900", "2", "1", "1.060"],
                                                   ["2 cores, 2", "heads", "0", "0", "–", "1", "1", "2.000"]]
