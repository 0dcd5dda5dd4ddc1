"""A record to what was run, in words: settings, files, and the commands that do it again."""

import shlex
from typing import Any

from dsgec.codegen.names import safe_name
from dsgec.drawing.scales import short
from dsgec.evolution.settings import Settings

_OPTIONS = (
    "engine",
    "population",
    "generations",
    "seed",
    "connect",
    "objective",
    "split_seed",
    "codons",
    "wraps",
    "islands",
    "stop_at",
    "patience",
)
_WITHOUT_OPTION = ("tournament", "crossover", "mutation", "elites", "max_size")
_ENGINE_ONLY = {"codons": "ge", "wraps": "ge", "connect": "dsge"}


def commands(record: dict[str, Any]) -> list[tuple[str, str]]:
    """What each command does, and the command; RUN is the folder that the page is in."""
    name = safe_name(str(record["model"].get("name")))  # of a stranger's file, perhaps
    usual = Settings().as_json()
    own = [name for name in _WITHOUT_OPTION if record["settings"].get(name) != usual[name]]
    again = "the same run again, with the same bytes"
    if own:
        again = f"such a run, but for what dsgec.evolve alone can be told: {', '.join(own)}"
    return [
        (again, evolve_command(record)),
        ("the network as code", "dsgec export RUN --to c,python,js -o exported"),
        ("a prediction for each row of a table", "dsgec predict RUN TABLE -o predictions.csv"),
        (
            "the exported module, from Python",
            f'PYTHONPATH=RUN python -c "import {name}; help({name})"',
        ),
        ("this page again", "dsgec report RUN"),
    ]


def evolve_command(record: dict[str, Any]) -> str:
    """The command line that makes this run; what is as usual is left out."""
    settings, data = record["settings"], record["data"]
    usual = Settings().as_json()
    words = ["dsgec", "evolve", str(record["grammar"]["name"]), str(data["name"])]
    for name in _OPTIONS:
        if settings.get(name, usual.get(name)) != usual.get(name):
            words += [f"--{name.replace('_', '-')}", str(settings[name])]
    if settings.get("islands"):
        words += ["--migrate", f"{settings.get('migrate_every')}:{settings.get('migrants')}"]
    depths = settings.get("max_depth")
    for symbol, depth in depths.items() if isinstance(depths, dict) else ():
        words += ["--max-depth", f"{symbol}={depth}"]
    if settings.get("folds"):
        words += ["--cv", str(settings["folds"])]
    elif data.get("test_sha256"):
        words += ["--test", "TEST_TABLE"]
    elif settings.get("test", usual["test"]) != usual["test"]:
        words += ["--test", str(settings["test"])]
    if data.get("target"):
        words += ["--target", str(data["target"])]
    numbers = any(isinstance(label, int) for label in record["model"].get("classes", ()))
    if data.get("task") and (numbers or data["task"] == "regression"):  # might be either
        words += ["--task", str(data["task"])]
    for column in data.get("ignore") or ():
        words += ["--ignore", str(column)]
    for name in ("missing", "scale", "constant"):
        if data.get(name):
            words += [f"--{name}", str(data[name])]
    return shlex.join(words)


def facts(record: dict[str, Any]) -> list[tuple[str, str]]:
    """What was run, as names and values."""
    settings, data, result = record["settings"], record["data"], record["result"]
    asked = settings.get("generations")
    reached = result["generations"]
    stopped = f" of {asked} (it was stopped)" if reached != asked else ""
    rows = f"{data['train_rows']:,} for training, {data['test_rows']:,} for testing"
    told = [
        ("grammar", f"{record['grammar']['name']} (SHA-256 {record['grammar']['sha256'][:16]}…)"),
        ("table", f"{data['name']} (SHA-256 {data['sha256'][:16]}…)"),
        ("target", f"{data.get('target')}, {data.get('task')}"),
        ("rows", rows),
        ("seed", str(settings.get("seed"))),
        ("engine", str(settings.get("engine")).upper()),
        ("objective", str(result["objective"])),
        ("generations", f"{reached:,}{stopped}"),
        ("evaluations", f"{result['evaluations']:,}"),
        ("dsgec", str(record["dsgec"])),
        ("model id", str(record["model"].get("id"))),
    ]
    if settings.get("folds"):
        told.insert(4, ("fold", f"{settings.get('fold', 0) + 1} of {settings['folds']}"))
    return told


def other_settings(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Every number that the run depended on."""
    told = []
    engine = record["settings"].get("engine")
    for name, value in record["settings"].items():
        if _ENGINE_ONLY.get(name, engine) != engine:
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {depth}" for key, depth in value.items()) or "the grammar's"
        elif name == "objective":
            value = value or "the task's usual"
        elif isinstance(value, float):
            value = short(value)
        told.append((name.replace("_", " "), str(value)))
    for name in ("missing", "scale", "constant"):
        if record["data"].get(name):
            told.append((name, str(record["data"][name])))
    return told
