"""Runs that tests make, and what they leave."""

import json
import threading
from contextlib import closing

from dsgec.folder import open_folder
from dsgec.pipeline import prepare, run
from dsgec.run.checkpoint import NAME, read_checkpoint
from dsgec.run.folder import read_model, read_picked, read_timing
from dsgec.run.session import Session
from dsgec.search.choose import choose_evolver
from dsgec.search.settings import Settings
from dsgec.study.many import run_many
from dsgec.study.processes import Processes

RUN = "wdbc-one_layer-seed1"


def made(folder):
    """Return the bytes of a run's files by name, without timing.json, which always differs."""
    files = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
    assert "timing.json" in files
    del files["timing.json"]
    return files


def begun(folder):
    """Return whether a run's folder has a checkpoint."""
    return (folder / NAME).exists()


def checkpoint_of(folder):
    with open_folder(folder) as opened:
        return read_checkpoint(opened)


def model_of(folder):
    """The model of a run's folder, and its name."""
    with open_folder(folder) as opened:
        return read_model(opened)


def timing_of(folder):
    with open_folder(folder) as opened:
        return read_timing(opened)


def picked(folder, way, value):
    """The network of a run's hall of fame that a user asks for."""
    with open_folder(folder) as opened:
        return read_picked(opened, way, value)


def quick_job(out, generations=30, **settings):
    settings = {"population": 8, "seed": 3, **settings}
    chosen = Settings(generations=generations, **settings)
    return prepare("one_layer", "wdbc", chosen, out=out)


def go(job, backend="engine", session=None, stop=None, on_generation=lambda _: None):
    evolver = choose_evolver(job.problem, job.settings, backend)
    return run(job, evolver, on_generation, session or Session(), stop)


def over(processes, each, *arguments, **options):
    """Several runs over so many processes."""
    with closing(Processes(processes)) as crew:
        return run_many(each, crew, *arguments, **options)


def stop_after(generation):
    """An event, and what sets it."""
    stop = threading.Event()

    def look(state):
        if state.generation >= generation:
            stop.set()

    return stop, look


def record_of(folder):
    return json.loads((folder / "run.json").read_text())
