"""Runs with a budget: what fits, what is refused, and what a chip takes."""

import csv
import shutil
import subprocess

import numpy as np
import pytest

import dsgec
from dsgec.errors import DsgecError
from dsgec.export.targets.c.image import COMPILERS
from dsgec.network.cost.chips import Cost
from dsgec.search.budget import make_budget, parse_amount
from dsgec.search.settings import Settings
from tests.support.command_line import dsgec as command
from tests.support.command_line import read_json

QUICK = {"walk": 200, "seed": 1, "test": 0.3}


@pytest.fixture(scope="module")
def three_classes():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(150, 4))
    y = np.digitize(x[:, 0] * x[:, 1] + x[:, 2], [-0.5, 0.5])
    return x, np.array(["a", "b", "c"])[y]


@pytest.mark.parametrize(
    ("text", "of", "amount"),
    [
        *(("512", "flash", 512), ("1KB", "flash", 1024), ("1.5 kB", "ram", 1536)),
        *(("2k", "cycles", 2000), ("1KB", "cycles", None), ("much", "flash", None)),
    ],
)
def test_amounts(text, of, amount):
    assert parse_amount(text, of) == amount


def test_a_budget_needs_an_amount():
    assert make_budget(Settings()) is None
    with pytest.raises(DsgecError, match="flash is `lots`, not a number of bytes"):
        Settings(flash="lots")
    budget = make_budget(Settings(flash="1KB", cycles="300", chip="avr", dtype="q7"))
    assert budget.allows(Cost(1024, 99_999, 300))
    assert not budget.allows(Cost(1025, 0, 300))
    assert not budget.allows(Cost(1024, 0, 301))


@pytest.mark.needs_cc
@pytest.mark.usefixtures("fast_compiler")
def test_the_network_of_a_budget_fits_and_is_the_best_that_does(three_classes):
    free = dsgec.evolve(*three_classes, **QUICK)
    most = free.record["result"]["cost"]["flash"] - 1
    least = dsgec.evolve(*three_classes, flash=str(most), **QUICK)
    cost = least.record["result"]["cost"]
    assert (cost["dtype"], cost["chip"]) == ("q7", "cortex-m0plus")
    assert cost["flash"] <= most
    front = least.record["result"]["front"]
    (chosen,) = [one for one in front if one["recommended"]]
    assert chosen["flash"] == cost["flash"]
    better = [one for one in front if one["validation"] < chosen["validation"] - chosen["error"]]
    assert all(one["flash"] > most for one in better)
    bytes_ = [one["flash"] for one in front]
    assert bytes_ == sorted(bytes_)
    with pytest.raises(DsgecError, match=r"the smallest takes [0-9]+ bytes of flash"):
        dsgec.evolve(*three_classes, flash="20", **QUICK)


@pytest.mark.needs_cc
def test_the_command_exports_what_fits_and_says_what_it_takes(tmp_path, three_classes):
    x, y = three_classes
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["p", "q", "r", "s", "t"], *zip(*x.T, y, strict=True)])
    answer = command(
        *("evolve", "t.csv", "--flash", "600", "--chip", "avr", "--walk", "200", "--name", "own"),
        cwd=tmp_path,
    )
    assert "recommended" in answer.stdout
    (line,) = [one for one in answer.stdout.splitlines() if one.startswith("exported to")]
    folder = tmp_path / "build" / "own-firmware"
    assert (folder / "t.c").exists()
    command("verify", folder, cwd=tmp_path)
    command("verify", tmp_path / "build" / "own", cwd=tmp_path)
    settings = read_json(tmp_path / "build" / "own", "run.json")["settings"]
    assert (settings["flash"], settings["chip"], settings["dtype"]) == ("600", "avr", "q7")
    if COMPILERS["avr"].path is None:
        assert "(estimated)" in line
        return
    # An oracle of its own: compile and link by hand, and read the sizes.
    source = [folder / "t.c", "-DT_NO_BATCH", "-DT_NO_NAMES", "-I", folder]
    flags = ["-Os", "-std=c99", "-mmcu=atmega328p", "-nostartfiles", "-ffunction-sections"]
    link = ["-fdata-sections", "-Wl,--gc-sections", "-Wl,-u,t_predict", "-Wl,-e,t_predict"]
    subprocess.run(["avr-gcc", *flags, *link, *source, "-o", tmp_path / "own.elf"], check=True)
    tool = shutil.which("avr-size")
    text = subprocess.run([tool, tmp_path / "own.elf"], capture_output=True, text=True, check=True)
    flash, data = map(int, text.stdout.splitlines()[1].split()[:2])
    assert f"{flash + data:,} bytes of flash" in line


@pytest.fixture(scope="module")
def bands():
    """Two classes in bands of a column, which trees tell apart and small networks do not."""
    x = np.random.default_rng(3).uniform(0, 8, (400, 2))
    return x, np.array(["no", "yes"])[x[:, 0].astype(int) % 2]


BRIEF = {"walk": 60, "tuning": 5}


def cost_of(run):
    return run.record["result"]["cost"]["flash"]


@pytest.mark.needs_cc
@pytest.mark.usefixtures("fast_compiler")
def test_a_tree_is_chosen_where_no_network_fits(bands):
    budget = {"flash": "2500", "dtype": "float"}
    run = dsgec.evolve(*bands, **budget, **BRIEF)
    assert "if(" in run.record["result"]["phenotype"]
    assert cost_of(run) <= 2500
    with pytest.raises(DsgecError, match=r"the smallest takes [0-9,]+ bytes") as error:
        dsgec.evolve(*bands, **{**budget, "flash": "25"}, **BRIEF)
    smallest = int(str(error.value).split("the smallest takes ")[1].split()[0].replace(",", ""))
    assert 25 < smallest <= cost_of(run)


@pytest.mark.needs_cc
@pytest.mark.usefixtures("fast_compiler")
def test_a_run_ends_if_the_best_tree_or_the_mean_of_an_ensemble_does_not_fit(bands):
    best = dsgec.evolve(*bands, flash="1KB", threshold=0.4, **BRIEF)
    assert "if(" in best.record["result"]["phenotype"]
    most = cost_of(best) - 1
    run = dsgec.evolve(*bands, flash=str(most), threshold=0.4, **BRIEF)
    assert cost_of(run) <= most
    own = {"generations": 5, "tuning": 5, "dtype": "float"}
    free = dsgec.evolve("network", *bands, ensemble=2, flash="1MB", **own)
    run = dsgec.evolve("network", *bands, ensemble=2, flash=str(cost_of(free) - 1), **own)
    assert cost_of(run) < cost_of(free)


@pytest.mark.needs_cc
@pytest.mark.usefixtures("fast_compiler")
@pytest.mark.parametrize("calls", [1, 2])
def test_a_run_that_is_stopped_before_or_in_its_walk_chooses_what_fits(bands, calls):
    seen = []

    def stop(progress):
        seen.append(progress)
        return len(seen) == calls

    own = {"walk": 30_000, "tuning": 5, "flash": "200"}
    run = dsgec.evolve("shared", *bands, **own, callback=stop)
    assert run.ended == "stopped"
    assert len(seen) == calls
    assert cost_of(run) <= 200
    validation = run.record["result"]["validation"]
    assert validation["measure"] == "log-loss", "no walk without a fold is over"


@pytest.mark.needs_cc
@pytest.mark.usefixtures("fast_compiler")
def test_the_baseline_of_balanced_classes_is_that_of_a_coin():
    x = np.random.default_rng(5).normal(size=(200, 2))
    y = np.array(["rare", "frequent"])[(x[:, 0] > -1.0).astype(int)]
    run = dsgec.evolve("shared", x, y, flash="1KB", balance=True, walk=60, tuning=5)
    assert run.record["result"]["validation"]["baseline"] == pytest.approx(0.5)
