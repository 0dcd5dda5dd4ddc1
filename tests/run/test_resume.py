"""Runs that are killed, interrupted or out of room end as if nothing had happened."""

import csv
import hashlib
import random
import shutil
from dataclasses import replace

import pytest

from dsgec.errors import DsgecError
from dsgec.folder import open_folder, open_locked
from dsgec.pipeline import finished_run, refuse_other
from dsgec.run import checkpoint as checkpoints
from dsgec.run.checkpoint import NAME, pack_rows, write_checkpoint
from dsgec.run.history import history_row
from dsgec.run.session import Session
from dsgec.search.choose import choose_evolver
from dsgec.search.evolver import Generation, with_winner
from dsgec.search.individual import Champion
from tests.support.command_line import dsgec, read_json
from tests.support.runs import begun, checkpoint_of, go, made, quick_job, stop_after

BACKENDS = ["engine", "numpy", "reference"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The folder of a run that nothing interrupted."""
    return made(go(quick_job(tmp_path_factory.mktemp("whole"))).folder)


def stopped_job(out, generation=9, backend="reference"):
    """A job that was interrupted; the loop stops after exactly this generation."""
    job = quick_job(out)
    stop, look = stop_after(generation)
    ended = go(job, backend, stop=stop, on_generation=look)
    assert ended.ended == "interrupted"
    assert ended.record.result.generations == generation
    return job


@pytest.mark.parametrize(
    ("first", "then"), [("numpy", "engine"), ("reference", "numpy"), ("numpy", "reference")]
)
def test_an_interrupted_run_goes_on_to_the_same_bytes(tmp_path, whole, first, then):
    job = stopped_job(tmp_path, 9, first)
    assert len((job.folder / "history.csv").read_text().splitlines()) == 1 + 10
    assert begun(job.folder)
    assert finished_run(job) is None
    seen = []
    ended = go(job, then, on_generation=lambda state: seen.append(state.generation))
    assert seen == list(range(10, 31))
    assert ended.ended == "generations"
    assert made(job.folder) == whole
    assert finished_run(job).record == ended.record


def test_a_run_that_is_saved_all_the_time_gives_the_same_bytes(tmp_path, whole, monkeypatch):
    monkeypatch.setattr("dsgec.search.evolver.SLICE", 0.0)  # or the engine is too fast
    for backend in BACKENDS[:2]:
        job = quick_job(tmp_path / backend)
        saved = []

        def look(_, job=job, saved=saved):
            saved.append(begun(job.folder))

        go(job, backend, Session(save_every=0.0), on_generation=look)
        assert saved.count(True) > 20
        assert made(job.folder) == whole


def test_a_run_can_end_between_its_last_generation_and_its_files(tmp_path, whole):
    """A run resumes from the checkpoint of its last generation and only writes its files."""
    job = stopped_job(tmp_path, 29)
    checkpoint = checkpoint_of(job.folder)
    evolver = choose_evolver(job.problem, job.settings, "numpy")
    evolver.restore(checkpoint.state)
    (last,) = evolver.advance(1, float("inf"))
    row = history_row(last)
    changed = replace(
        checkpoint, rows=checkpoint.rows + pack_rows([row], b""), state=evolver.save()
    )
    with open_folder(job.folder) as folder:
        write_checkpoint(folder, changed)
    seen = []
    go(job, on_generation=seen.append)
    assert seen == []
    assert made(job.folder) == whole


def test_time_adds_up_and_runs_out(tmp_path):
    job = quick_job(tmp_path)
    first = go(job, "reference", Session(max_seconds=0.0))
    assert first.ended == "max-seconds"
    assert first.record.result.generations == 0
    second = go(job, "reference", Session(max_seconds=0.0))
    assert second.record.result.generations == 1
    assert second.timing["evolve_seconds"] > first.timing["evolve_seconds"]


@pytest.mark.parametrize("backend", BACKENDS[:2])
def test_a_run_ends_at_a_score(tmp_path, whole, backend):
    history = list(csv.DictReader(whole["history.csv"].decode().splitlines()))
    goal = float(history[20]["best"]) + 1e-9
    expected = next(row for row in history if float(row["best"]) <= goal)
    ended = go(quick_job(tmp_path, stop_at=goal), backend)
    assert ended.ended == "stop-at"
    assert ended.record.result.generations == int(expected["generation"]) < 30
    assert ended.record.result.evaluations == int(expected["evaluations"])
    assert not begun(ended.folder)


def test_a_score_that_is_to_rise_ends_a_run_when_it_is_reached(tmp_path):
    ended = go(quick_job(tmp_path, objective="accuracy", stop_at=0.7))
    *before, last = csv.DictReader((ended.folder / "history.csv").read_text().splitlines())
    assert ended.ended == "stop-at"
    assert 1.0 - float(last["best"]) >= 0.7
    assert all(1.0 - float(row["best"]) < 0.7 for row in before)


@pytest.mark.parametrize("backend", ["engine", pytest.param("numpy", marks=pytest.mark.campaign)])
def test_patience_ends_a_run_and_is_not_lost_by_an_interruption(tmp_path, whole, backend):
    history = [
        float(row["best"]) for row in csv.DictReader(whole["history.csv"].decode().splitlines())
    ]
    since = 0
    for last, best in enumerate(history):
        since = last if last == 0 or best < history[last - 1] else since
        if last - since >= 2:
            break
    assert last < 30  # or this run would show nothing
    job = quick_job(tmp_path / "once", patience=2)
    once = go(job, backend)
    assert (once.ended, once.record.result.generations) == ("patience", last)
    job = quick_job(tmp_path / "twice", patience=2)
    stop, look = stop_after(last - 1)
    go(job, backend, stop=stop, on_generation=look)
    go(job, backend)
    assert made(job.folder) == made(once.folder)


def test_what_is_no_checkpoint_of_this_run_is_told_and_kept(tmp_path):
    job = stopped_job(tmp_path)
    path = job.folder / NAME
    good = path.read_bytes()
    for bad, told in (
        (good[:-1], "is damaged"),
        (good[: len(good) // 2], "is damaged"),
        (good[:-9] + bytes([good[-9] ^ 1]) + good[-8:], "is damaged"),
        (b"", "is not a checkpoint"),
        (b"something else", "is not a checkpoint"),
    ):
        path.write_bytes(bad)
        for ask in (lambda: refuse_other(job), lambda: go(job)):
            with pytest.raises(DsgecError, match=told):
                ask()
        assert path.read_bytes() == bad
    path.write_bytes(good)
    with pytest.raises(DsgecError, match="another run, which has not ended"):
        refuse_other(quick_job(tmp_path, generations=31))
    with pytest.raises(DsgecError, match="another run, which has not ended"):
        go(quick_job(tmp_path, generations=31))
    assert path.read_bytes() == good


def test_the_checkpoint_of_another_version_is_told(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(checkpoints, "__version__", "0.0.7")
        job = stopped_job(tmp_path)
    with pytest.raises(DsgecError, match=r"made by dsgec 0\.0\.7"):
        refuse_other(job)
    answer = dsgec("resume", job.folder, code=1)
    assert "made by dsgec 0.0.7" in answer.stderr
    assert begun(job.folder)


def test_damaged_checkpoints_with_a_right_digest_are_refused(tmp_path):
    """Damage checkpoints with a valid digest, which is no protection against an attacker."""
    job = stopped_job(tmp_path)
    path = job.folder / NAME
    start = len(b"dsgec checkpoint 1\n") + 32
    body = path.read_bytes()[start:]
    rng = random.Random(5)
    refused = 0
    for _ in range(30):
        damaged = bytearray(body)
        at = rng.choice([rng.randrange(24), rng.randrange(24, 1200), rng.randrange(len(body))])
        damaged[at] ^= 1 << rng.randrange(8)
        path.write_bytes(b"dsgec checkpoint 1\n" + hashlib.sha256(damaged).digest() + damaged)
        try:
            go(job, "reference", Session(max_seconds=0.0))
        except DsgecError:
            refused += 1
    assert refused > 15


def test_islands_are_interrupted_and_go_on(tmp_path):
    islands = {"islands": 3, "migrate_every": 4, "migrants": 2, "population": 9}
    expected = made(go(quick_job(tmp_path / "whole", **islands)).folder)
    assert b"--islands 3 --migrate-every 4" in expected["report.html"]
    for generation in (3, 4):  # before and after an exchange
        job = quick_job(tmp_path / str(generation), **islands)
        stop, look = stop_after(generation)
        ended = go(job, "reference", stop=stop, on_generation=look)
        assert ended.record.result.generations == generation
        go(job, "engine")
        assert made(job.folder) == expected


def test_a_run_that_came_between_is_not_written_over(tmp_path):
    first, second = quick_job(tmp_path), quick_job(tmp_path, generations=31)
    refuse_other(second)
    go(first)
    with pytest.raises(DsgecError, match="holds another run"):
        go(second)


def test_a_foreign_checkpoint_does_not_take_a_result_away(tmp_path):
    first = go(quick_job(tmp_path / "first", seed=8)).folder
    second = quick_job(tmp_path / "second", seed=9)
    go(second, "numpy", Session(max_seconds=0.0))
    shutil.copy(second.folder / NAME, first)
    before = made(first)
    with pytest.raises(DsgecError, match="holds another run"):
        go(replace(second, named=first))
    assert made(first) == before
    # But what was told to write over it goes on.
    (first / NAME).unlink()
    over = replace(second, named=first)
    go(over, "numpy", Session(max_seconds=0.0, overwrite=True, arguments={"overwrites": True}))
    go(over)
    assert read_json(first, "run.json")["settings"]["seed"] == 9


def test_another_reading_of_a_table_is_another_run(tmp_path):
    table = tmp_path / "t.csv"
    rows = "".join(f"{i};{'ué'[i % 2]}\n" for i in range(40))
    table.write_text("a;kind\n" + rows, encoding="utf-8")
    grammar = tmp_path / "g.bnf"
    grammar.write_text("<s> ::= <s> + <s> | x_1 | 0.5 * x_1\n%output sigmoid\n")
    asked = ["evolve", grammar, table, "--generations", "2", "--out", tmp_path]
    dsgec(*asked, "--backend", "reference")
    answer = dsgec(*asked, "--backend", "reference", "--encoding", "latin-1", code=1)
    assert "holds another run" in answer.stderr


def test_no_room_for_the_last_checkpoint_leaves_the_network(tmp_path, monkeypatch):
    def full(folder, checkpoint):
        raise DsgecError("cannot write: no space left on the device")

    monkeypatch.setattr(checkpoints, "write_checkpoint", full)
    with pytest.raises(DsgecError, match="no space left"):
        go(quick_job(tmp_path), "numpy", Session(max_seconds=0.0))
    folder = tmp_path / "wdbc-one_layer-seed3"
    assert read_json(folder, "run.json")["result"]["ended"] == "max-seconds"
    assert (folder / "wdbc.c").exists()


def test_a_history_that_is_not_the_states_is_refused(tmp_path):
    job = stopped_job(tmp_path)
    good = checkpoint_of(job.folder)
    with open_folder(job.folder) as folder:
        write_checkpoint(folder, replace(good, rows=good.rows[: len(good.rows) // 10 * 9]))
    with pytest.raises(DsgecError, match="not that of the last generation"):
        go(job)


def test_a_page_that_cannot_be_made_does_not_keep_a_run_from_ending(tmp_path, monkeypatch):
    monkeypatch.setattr("dsgec.run.hall.MOST_BYTES", 10)  # of one field
    ended = go(quick_job(tmp_path))
    assert not (ended.folder / "report.html").exists()
    assert not begun(ended.folder)
    monkeypatch.undo()
    assert finished_run(quick_job(tmp_path)) is not None
    assert (ended.folder / "report.html").exists()


def test_without_an_elite_the_best_champion_is_what_a_run_leaves(tmp_path):
    champions = [Champion(2, 1.9, "a"), Champion(3, 1.5, "b"), Champion(4, 1.6, "c")]
    infinite = float("inf")
    lost = Generation(7, infinite, infinite, 9, 40, 2, 0, "?")
    job = quick_job(tmp_path)
    evolver = choose_evolver(job.problem, job.settings, "reference")
    best = with_winner(lost, evolver.winner(champions, lost))
    assert (best.best, best.phenotype, best.size) == (1.5, "b", 3)
    assert (best.generation, best.invalid, best.evaluations, best.reused) == (7, 9, 40, 2)
    fine = replace(lost, best=1.7, phenotype="x")
    assert with_winner(fine, evolver.winner(champions, fine)) is fine


@pytest.mark.parametrize("option", ["--max-seconds", "--save-every"])
def test_what_is_not_a_number_is_refused(option):
    answer = dsgec("evolve", "one_layer", "wdbc", option, "nan", code=1)
    assert f"{option} is nan" in answer.stderr


def test_overwriting_starts_anew(tmp_path, whole):
    job = stopped_job(tmp_path)
    seen = []
    go(
        job,
        session=Session(overwrite=True),
        on_generation=lambda state: seen.append(state.generation),
    )
    assert seen == list(range(31))
    assert made(job.folder) == whole


def test_two_processes_do_not_work_on_one_run(tmp_path, whole):
    job = quick_job(tmp_path)
    with (
        open_locked(job.folder, "run"),
        pytest.raises(DsgecError, match="another process is at work"),
    ):
        go(job)
    assert made(go(job).folder) == whole


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(tmp_path, whole, monkeypatch):
    real, troubles = checkpoints.write_checkpoint, []

    def full(folder, checkpoint):
        if len(checkpoint.history) < 12:
            raise DsgecError("cannot write: no space left on the device")
        real(folder, checkpoint)

    monkeypatch.setattr(checkpoints, "write_checkpoint", full)
    job = quick_job(tmp_path)
    go(job, "numpy", Session(save_every=0.0, on_trouble=troubles.append))
    assert len(troubles) == 11
    assert "no space left" in troubles[0]
    assert made(job.folder) == whole
