"""The hall of fame: the best network of each size, and the ones that are picked from it."""

import csv
import re
import shutil

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from dsgec.data.dataset import split
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact, with_smaller_layout
from dsgec.folder import open_folder
from dsgec.network.cost.work import model_cost
from dsgec.network.evaluate import evaluate
from dsgec.network.ranges import choose_ranges
from dsgec.network.structure import measure_size
from dsgec.pipeline import prepare, run
from dsgec.run import pick as picking
from dsgec.run.folder import read_hall, read_model, read_picked, read_record
from dsgec.search.choose import choose_evolver
from dsgec.search.settings import Settings
from tests.support.command_line import dsgec
from tests.support.runs import model_of
from tests.support.runs import picked as pick


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    settings = Settings(population=40, generations=40, seed=2)
    job = prepare("multi_layer", "wdbc", settings, out=tmp_path_factory.mktemp("hall"))
    return run(job, choose_evolver(job.problem, settings, "auto"), lambda _: None).folder


def rows(folder):
    return list(csv.DictReader((folder / "hall_of_fame.csv").read_text().splitlines()))


def test_there_is_one_row_for_each_size_and_the_best_is_among_them(folder):
    sizes = [int(row["connections"]) for row in rows(folder)]
    assert sizes == sorted(set(sizes))
    assert len(sizes) > 10
    best, _ = model_of(folder)
    own = next(
        r for r in rows(folder) if int(r["connections"]) == measure_size(best.network).connections
    )
    assert float(own["fitness"]) == min(float(row["fitness"]) for row in rows(folder))


def test_what_a_row_tells_is_so(folder):
    dataset = make_dataset(read_table("wdbc"), None)
    parts = split(dataset, 0.3, 1)
    for row in rows(folder)[::7]:
        model, name = pick(folder, "size", row["connections"])
        assert measure_size(model.network).connections == int(row["connections"])
        assert name == f"wdbc_{row['connections']}"
        for part, numbers in (("train", parts.train), ("test", parts.test)):
            predicted = evaluate(model.network, dataset.x[numbers])[:, 0] >= 0.5
            expected = accuracy_score(dataset.y[numbers] == 1, predicted)
            assert float(row[f"{part}_accuracy"]) == pytest.approx(expected, abs=1e-12)


def test_the_smallest_within_a_share_of_the_best(folder):
    scores = {int(row["connections"]): float(row["score"]) for row in rows(folder)}
    best = min(scores.values())
    for share in (0.0, 1.0, 5.0, 20.0, 400.0):
        expected = min(c for c, score in scores.items() if score <= best * (1 + share / 100))
        for text in (f"{share}", f"{share}%"):
            model, _ = pick(folder, "smallest-within", text)
            assert measure_size(model.network).connections == expected
    assert expected == min(scores)


def test_a_score_that_is_to_rise(tmp_path):
    settings = Settings(population=30, generations=20, seed=2, objective="accuracy")
    job = prepare("one_layer", "wdbc", settings, out=tmp_path)
    made = run(job, choose_evolver(job.problem, settings, "auto"), lambda _: None).folder
    scores = {int(row["connections"]): float(row["score"]) for row in rows(made)}
    for most in (min(scores), 6, 10**6):
        model, _ = pick(made, "at-most", str(most))
        best = max(score for c, score in scores.items() if c <= most)
        assert scores[measure_size(model.network).connections] == best
    within = min(c for c, score in scores.items() if score >= 0.98 * max(scores.values()))
    assert measure_size(pick(made, "smallest-within", "2%")[0].network).connections == within


def test_the_best_of_at_most_a_size(folder):
    scores = {int(row["connections"]): float(row["score"]) for row in rows(folder)}
    for most in (min(scores), 9, 17, 10**6):
        small = {c: s for c, s in scores.items() if c <= most}
        model, _ = pick(folder, "at-most", str(most))
        assert scores[measure_size(model.network).connections] == min(small.values())


@pytest.fixture(scope="module")
def few(folder, tmp_path_factory):
    """The same run with few networks in its hall of fame: the cost of each is estimated."""
    copy = tmp_path_factory.mktemp("few") / "run"
    shutil.copytree(folder, copy)
    head, *lines = (folder / "hall_of_fame.csv").read_text().splitlines(keepends=True)
    (copy / "hall_of_fame.csv").write_text("".join([head, *lines[:20:4]]))
    return copy


@pytest.mark.parametrize("of", ["flash", "cycles"])
def test_the_best_that_a_chip_has_room_for(few, of):
    scores = {int(row["connections"]): float(row["score"]) for row in rows(few)}
    taken = {
        c: getattr(model_cost(pick(few, "size", str(c))[0], "avr", "float"), of) for c in scores
    }
    for most in (min(taken.values()), sorted(taken.values())[2], 10**8):
        within = {c: scores[c] for c in scores if taken[c] <= most}
        with open_folder(few) as opened:
            model, _ = read_picked(opened, of, str(most), "avr", "float")
        connections = measure_size(model.network).connections
        assert taken[connections] <= most
        assert scores[connections] == min(within.values())


def test_amounts_have_units(few):
    taken = model_cost(pick(few, "flash", "1MB")[0])
    assert taken == model_cost(pick(few, "flash", "1024 KiB")[0])
    assert taken == model_cost(pick(few, "flash", str(1 << 20))[0])
    within = model_cost(pick(few, "flash", "9.5KB")[0])
    assert within.flash <= 9728
    assert model_cost(pick(few, "cycles", "60k")[0]) == model_cost(pick(few, "cycles", "60000")[0])


def test_a_network_for_a_chip_is_exported(few, tmp_path):
    room = ("--pick", "flash", "1KB", "--chip", "cortex-m4f", "--dtype", "float")
    told = dsgec("export", few, *room, "--to", "c", "-o", tmp_path)
    with open_folder(few) as opened:
        model, name = read_picked(opened, "flash", "1024", "cortex-m4f", "float")

    assert (tmp_path / f"{name}.c").exists()
    assert str(tmp_path / f"{name}.c") in told.stdout
    assert model_cost(model, "cortex-m4f", "float").flash <= 1024
    error = dsgec("export", few, "--pick", "flash", "1KB", "--chip", "avr", code=1).stderr
    assert "there is no estimate for double on avr" in error
    with pytest.raises(DsgecError, match=r"the cheapest network of the run takes .* of flash"):
        pick(few, "flash", "1B")


@pytest.mark.parametrize("of", ["flash", "cycles"])
def test_the_best_in_fixed_point_that_a_chip_has_room_for(few, of):
    scores = {int(row["connections"]): float(row["score"]) for row in rows(few)}
    with open_folder(few) as opened:
        recorded = read_record(opened).ranges
    taken = {}
    for connections in scores:
        model, _ = pick(few, "size", str(connections))
        ranges = choose_ranges(model.columns, recorded, {})
        artefact = Artefact(model, "net", "q15", ranges=ranges)
        own = with_smaller_layout(artefact, "avr").cost("avr")
        taken[connections] = getattr(own, of)
    for most in (min(taken.values()), sorted(taken.values())[2], 10**8):
        within = {c: scores[c] for c in scores if taken[c] <= most}
        with open_folder(few) as opened:
            model, _ = read_picked(opened, of, str(most), "avr", "q15")
        assert scores[measure_size(model.network).connections] == min(within.values())


def test_a_network_in_fixed_point_is_picked_for_the_ranges_that_are_given(few, tmp_path):
    picked = ("--pick", "flash", "2KB", "--dtype", "q7", "--to", "c", "-o", tmp_path)
    dsgec("export", few, *picked, "--range", "*=-8:7")

    (header,) = tmp_path.glob("*.h")
    assert re.search(r"_FRACTION_\d+ 4\b", header.read_text())  # 127 / 8 has room for 4 digits
    error = dsgec("export", few, *picked, "--range", "no such=0:9", code=1).stderr
    assert "names `no such`, which is not a column" in error


def test_networks_that_have_no_fixed_point_are_not_picked(few):
    with open_folder(few) as opened:
        record = read_record(opened)
        best, _ = read_model(opened)
        everything = read_hall(opened)
    nothing = (None,) * len(best.columns)
    hall = picking.Hall(everything, record, best, "hall", "avr", "q15", nothing)
    with pytest.raises(DsgecError, match="fixed point needs the range of"):
        picking.pick(hall, "flash", "1MB")


def test_what_cannot_be_picked_is_told(folder, tmp_path):
    least = min(int(row["connections"]) for row in rows(folder))
    for way, value, told in (
        ("size", "many", "a number of connections"),
        ("at-most", "many", "a number of connections"),
        ("size", str(least - 1), f"no network of {least - 1} connection"),
        ("at-most", str(least - 1), f"has {least} connections"),
        ("smallest-within", "much", "takes a share"),
        ("smallest-within", "-1%", "takes a share"),
        ("smallest-within", "nan", "takes a share"),
        ("flash", "much", "a number of bytes"),
        ("flash", "-1KB", "a number of bytes"),
        ("cycles", "2KB", "a number of cycles"),
        ("cycles", "nan", "a number of cycles"),
    ):
        with pytest.raises(DsgecError, match=told):
            pick(folder, way, value)
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    text = (other / "hall_of_fame.csv").read_text()
    (other / "hall_of_fame.csv").write_text(text.replace("0.", "1."))
    with pytest.raises(DsgecError, match="does not match its model_id"):
        pick(other, "at-most", "1000")
    without = "\n".join([text.splitlines()[0], *("1,1,1,1,1,nan,nan" for _ in range(3))])
    for damaged in (without, "", "connections,score\n1,2\n", text.replace("\n", "\n?")):
        (other / "hall_of_fame.csv").write_text(damaged)
        with pytest.raises(DsgecError):
            pick(other, "at-most", "1000")
    (other / "hall_of_fame.csv").unlink()
    with pytest.raises(DsgecError, match=r"has no hall_of_fame\.csv"):
        pick(other, "at-most", "1000")


def test_a_picked_network_is_exported_under_its_own_name(folder, tmp_path):
    told = dsgec("export", folder, "--pick", "at-most", "12", "--to", "python", "-o", tmp_path)
    model, name = pick(folder, "at-most", "12")
    assert told.stdout.split() == [str(tmp_path / f"{name}.py")]
    namespace = {}
    exec((tmp_path / f"{name}.py").read_text(), namespace)  # our own export
    row = np.linspace(0.1, 3.0, 30).tolist()
    expected = evaluate(model.network, np.array([row]))[0, 0]
    assert namespace["predict_proba"](row)[0][1] == expected
