"""The settings of a run in words, and the commands that repeat and use it."""

import shlex
from typing import Any

from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.export.names import safe_name
from dsgec.report.format import format_number
from dsgec.run.record import RunRecord
from dsgec.search.settings import OPTIONS, SETTINGS, Settings
from dsgec.setting import Setting, settings_of

_DEFAULTS = Settings().as_json()
_REPRESENTATION = SETTINGS[0]


def commands(record: RunRecord) -> list[tuple[str, str]]:
    """Return descriptions and commands; RUN is the folder that the page is in."""
    name = safe_name(record.model.name)
    return [
        ("the same run again, with the same bytes", evolve_command(record)),
        ("the network as code", "dsgec export RUN --to c,python,js -o exported"),
        ("a prediction for each row of a table", "dsgec predict RUN TABLE -o predictions.csv"),
        (
            "the exported module, from Python",
            f'PYTHONPATH=RUN python -c "import {name}; help({name})"',
        ),
        ("this page again", "dsgec report RUN"),
    ]


def evolve_command(record: RunRecord) -> str:
    """Return the command line that makes this run, without options that are the default."""
    settings, options = record.settings, record.data.options
    words = ["dsgec", "evolve", record.grammar.name, record.data.name]
    learns = settings.get("variation") == "trees"
    if not learns:
        words += OPTIONS.given("preset", "paper")
    for one in SETTINGS:
        value = settings.get(one.key, one.default)
        if one.name == "test" and (settings.get("folds") or options.get("test_sha256")):
            value = one.default if settings.get("folds") else "TEST_TABLE"
        if value != _default(one, learns) and one.name != "fold":
            words += OPTIONS.given(one.name, value)
    return shlex.join([*words, *_data_words(record, learns)])


def _data_words(record: RunRecord, learns: bool) -> list[str]:
    """Return the options by which the table of a run is read and preprocessed."""
    words, options = [], dict(record.data.options)
    if record.data.target:
        words += OPTIONS.given("target", record.data.target)
    has_numbers = any(type(label) is int for label in record.model.classes)
    if has_numbers or record.data.task == "regression":  # otherwise it can only be classes
        options["task"] = record.data.task
    found = options.get("reading")
    reading = found if isinstance(found, dict) else {}
    for given, settings_there in (
        (options, settings_of(Preprocessing)),
        (reading, settings_of(ReadingOptions)),
    ):
        for one in settings_there:
            value = given.get(one.name, one.default)
            if value not in (None, "", (), _default(one, learns)):
                words += OPTIONS.given(one.name, value)
    return words


def _default(one: Setting, learns: bool) -> Any:
    """Return the default of a preset; None for generations that depend on the table."""
    if learns and one.learned is not None:
        return None if one.name == "generations" else one.learned
    return _DEFAULTS.get(one.key, one.default)


def facts(record: RunRecord) -> list[tuple[str, str]]:
    """Return the most important settings of a run, as names and values."""
    settings, data, result = record.settings, record.data, record.result
    asked = settings.get("generations")
    reached = result.generations
    stopped = f" of {asked} (it was stopped)" if reached != asked else ""
    rows = f"{data.train_rows:,} for training, {data.test_rows:,} for testing"
    if data.train_groups is not None:
        rows += f", of {data.train_groups:,} and {data.test_groups or 0:,} groups"
    pairs = [
        ("grammar", f"{record.grammar.name} (SHA-256 {record.grammar.sha256[:16]}…)"),
        ("table", f"{data.name} (SHA-256 {data.sha256[:16]}…)"),
        ("target", f"{data.target}, {data.task}"),
        ("rows", rows),
        ("seed", str(settings.get("seed"))),
        ("representation", str(settings.get(_REPRESENTATION.key)).upper()),
        ("objective", result.objective),
        ("generations", f"{reached:,}{stopped}"),
        ("evaluations", f"{result.evaluations:,}"),
        ("dsgec", record.dsgec),
        ("model id", record.model.id),
    ]
    threshold = record.model.description.get("threshold")
    if threshold is not None:  # it is not 0.5
        label = record.model.classes[1]
        pairs.insert(
            7, ("threshold", f"{label} is predicted at {format_number(threshold)} or more")
        )
    if unknown := result.unknown:
        limit = f"below a probability of {format_number(unknown.limit)}"
        shares = [unknown.train.unknown, unknown.test.unknown]
        shown = " and ".join(f"{one:.1%}" for one in shares if one is not None)
        pairs.insert(7, ("unknown", f"{limit}: {shown} of the training and test rows"))
    if found := result.smoothing:
        both = {f"{found.votes} votes": found.smoothed, "windows alone": found.alone}
        for name, part in both.items():
            delay = "" if part.delay is None else f"; right after {part.delay:.1f} windows"
            right = f"{part.windows:.4f} of windows, {part.events:.4f} of {found.events} events"
            pairs.insert(7, (name, f"accuracy {right}{delay}"))
    if weights := data.options.get("weights_sha256"):
        pairs.insert(4, ("row weights", f"given (SHA-256 {str(weights)[:16]}…)"))
    if settings.get("folds"):
        pairs.insert(4, ("fold", f"{settings.get('fold', 0) + 1} of {settings['folds']}"))
    return pairs


def other_settings(record: RunRecord) -> list[tuple[str, str]]:
    """Return all settings of a run, as names and values."""
    pairs = []
    representation = record.settings.get(_REPRESENTATION.key)
    known = {one.key: one for one in SETTINGS}
    for name, value in record.settings.items():
        one = known.get(name)
        if one and one.representations and representation not in one.representations:
            continue
        if isinstance(value, dict):
            value = ", ".join(f"{key} {depth}" for key, depth in value.items()) or "the grammar's"
        elif name == "objective":
            value = value or "the default for the task"
        elif isinstance(value, float):
            value = format_number(value)
        pairs.append(((one.name if one else name).replace("_", " "), str(value)))
    pairs += [
        (one.name, str(record.data.options[one.name]))
        for one in settings_of(Preprocessing)
        if one.choices and one.name != "task" and record.data.options.get(one.name)
    ]
    return pairs
