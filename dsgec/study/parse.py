"""Parse a study file (TOML); all its errors are reported at once."""

import re
from collections.abc import Callable, Collection, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.errors import DsgecError, Fault
from dsgec.grammar.genome.genotype import REPRESENTATIONS
from dsgec.problems import NAMES as PROBLEMS
from dsgec.resources import STUDIES, beside, find
from dsgec.search.presets import Preset, make_settings
from dsgec.search.settings import MOST_GENERATIONS, Settings
from dsgec.search.text_settings import TEXT_SETTINGS, TextSettings, make_text_settings
from dsgec.setting import make, names_of, settings_of
from dsgec.study.definition import (
    Data,
    PrintedFigure,
    Quick,
    Row,
    Study,
    StudyGrammar,
    StudyPart,
    TablePlan,
)
from dsgec.study.printed import parse_printed
from dsgec.study.problem_file import FUNCTION, ProblemFile
from dsgec.study.toml_reader import STUDY, TomlReader
from dsgec.toml import read_toml

OWN_GRAMMAR = "own"
"""The name of the grammar of parts whose problems have grammars of their own."""

_MOST_RUNS = 100_000
_MOST_CELLS = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_. -]{0,59}")
# What stands elsewhere in a study.
_NOT_SETTINGS = {"representation", "engine", "seed", "generations"}
_AS_IN_COMMANDS: Mapping[str, str] = {}
_RENAMED = {"label": "window_label"}
"""Settings of a table whose name is taken: `label` is what a study calls the table."""

T = TypeVar("T")


def load_study(name: str) -> Study:
    """Return the study in the file `name`, or the shipped study of that name."""
    path = find(name, STUDIES, ".toml", "study")
    source = read_toml(path, name)
    return _parse(source, name, path)


def _parse(source: dict[str, Any], shown: str, path: Path | Traversable) -> Study:
    faults: list[Fault] = []
    top = TomlReader(source, shown, faults)
    folder = path.parent if isinstance(path, Path) else None
    name = top.take("name", str, path.name.removesuffix(".toml"))
    if not _NAME.fullmatch(name):
        top.fault("name", f"is `{name[:60]}`", "It names a folder: letters, digits, `_`, `-`, `.`.")
    runs = top.whole("runs", 1, _MOST_RUNS, 30)
    seed = top.whole("seed", 0, 2**63, 1)
    generations = top.whole("generations", 0, MOST_GENERATIONS, Settings().generations)
    settings = top.take("settings", dict, {})
    quick = _read_quick(TomlReader(top.take("quick", dict, {}), f"{shown}, [quick]", faults))
    data = _declared_data(top.take("data", dict, {}), shown, folder, faults)
    parts = []
    for number, table in enumerate(_tables(top, "part"), 1):
        reader = TomlReader(table, f"{shown}, part {number}", faults)
        parts.append(_part(reader, number, settings, generations, data, folder))
    if not parts:
        top.fault("part", "is missing", "A study has at least one [[part]]: what is to be run.")
    if len({part.name for part in parts}) < len(parts):
        top.fault("part", "has two of one name", "Give each [[part]] a `name` of its own.")
    every = {data for part in parts for data in part.data}
    if len({data.name for data in every}) < len(every):
        advice = "Give each a name of its own: [data.NAME]."
        top.fault("part", "has two different tables that would be called the same", advice)
    kinds = sum(len(p.representations) * len(p.grammars) * len(p.data) for p in parts)
    if runs * kinds > _MOST_CELLS:
        top.fault("runs", "makes more than a million runs", "Make it several studies.")
    plans = []
    for number, table in enumerate(_tables(top, "table"), 1):
        reader = TomlReader(table, f"{shown}, table {number}", faults)
        plans.append(_plan(reader, number, parts))
    if len({plan.name for plan in plans}) < len(plans):
        top.fault("table", "has two of one name", "Give each [[table]] a `name` of its own.")
    printed = _read_printed(top, path)
    top.close()
    if faults:
        raise DsgecError(faults)
    return Study(name, runs, seed, quick, tuple(parts), tuple(plans), printed)


def _tables(top: TomlReader, key: str) -> list[dict[str, Any]]:
    value = top.take(key, list, [])
    if not all(isinstance(item, dict) for item in value):
        top.fault(key, "is a list of something else than tables", f"Write it as [[{key}]].")
        return []
    return list(value)


def _read_quick(reader: TomlReader) -> Quick:
    default = Quick()
    runs = reader.whole("runs", 1, _MOST_RUNS, default.runs)
    generations = reader.whole("generations", 0, MOST_GENERATIONS, default.generations)
    reader.close()
    return Quick(runs, generations)


def _declared_data(
    tables: dict[str, Any], shown: str, folder: Path | None, faults: list[Fault]
) -> dict[str, Data]:
    """Return the data sets that the study names itself, under [data]."""
    found = {}
    for name, table in tables.items():
        place = f"{shown}, [data.{name}]"
        if not isinstance(table, dict):
            faults.append(Fault(f"{place} is not a table", "Write it like [data.mine]."))
            continue
        reader = TomlReader(table, place, faults)
        file = reader.take("file", str, name)
        target = reader.take("target", str)
        label = reader.take("label", str, name)
        fitness = reader.take("fitness", str, "")
        reading = _make(ReadingOptions, reader)
        preprocessing = _make(Preprocessing, reader, _RENAMED)
        reader.close()
        place, _, function = fitness.partition(":")
        own = f"{beside(place, folder)}:{function or FUNCTION}" if fitness else ""
        found[name] = Data(name, beside(file, folder), target, label, reading, preprocessing, own)
    return found


def _make(kind: type[T], reader: TomlReader, renamed: Mapping[str, str] = _AS_IN_COMMANDS) -> T:
    """Return a dataclass of settings from the keys of a table; keep the faults of wrong values.

    `renamed` has the keys of settings that are not called as they are in commands.
    """
    given = _take_settings(kind, reader, but=renamed)
    reader.asked += sorted(renamed.values())
    given |= {one: reader.table[key] for one, key in renamed.items() if key in reader.table}
    return _keep_faults(reader, lambda: make(kind, given), kind())


def _take_settings(kind: type, reader: TomlReader, but: Collection[str] = ()) -> dict[str, Any]:
    known = names_of(settings_of(kind)) - {*but}
    reader.asked += sorted(known)
    return {key: value for key, value in reader.table.items() if key in known}


def _keep_faults(reader: TomlReader, build: Callable[[], T], otherwise: T) -> T:
    try:
        return build()
    except DsgecError as error:
        reader.faults += [fault.at(reader.place, STUDY) for fault in error.faults]
        return otherwise


def _part(
    reader: TomlReader,
    number: int,
    shared: dict[str, Any],
    generations: int,
    declared: dict[str, Data],
    folder: Path | None,
) -> StudyPart:
    name = reader.take("name", str, f"part {number}")
    representations = reader.texts("representations", needed="such as dsge", among=REPRESENTATIONS)
    names = reader.texts("data", needed="table files, names of tables, or names under [data]")
    data = tuple(declared.get(name) or _undeclared_data(name, folder) for name in names)
    is_text = any(one.fitness for one in data)
    if is_text and "grammars" not in reader.table:
        reader.asked.append("grammars")
        grammars: tuple[StudyGrammar, ...] = (StudyGrammar(OWN_GRAMMAR, ""),)
    else:
        files = reader.texts("grammars", needed="grammar files or names of shipped grammars")
        grammars = tuple(StudyGrammar(_stem(file), beside(file, folder)) for file in files)
    for key, values in (("grammars", grammars), ("data", data)):
        if len({value.name for value in values}) < len(values):
            advice = "Give the files different names, or tables names of their own: [data.NAME]."
            reader.fault(key, "has two files that would be called the same", advice)
    each = _generations(reader, generations, data)
    own = reader.take("settings", dict, {})
    inner = TomlReader(shared | own, f"{reader.place}, [settings]", reader.faults)
    if is_text and not all(one.fitness for one in data):
        reader.fault("data", "has tables and problems with a fitness", "Make it two parts.")
    if is_text:
        settings = tuple(_text_settings(inner, representations, one) for one in data)
    else:
        settings = (_settings(inner, representations),) * len(data)
    inner.close()
    reader.close()
    return StudyPart(name, representations, grammars, data, each, settings)


def _settings(reader: TomlReader, representations: tuple[str, ...]) -> tuple[Settings, ...]:
    """Return the settings of each representation; the default preset of a study is the paper's."""
    paper = Preset(preset="paper")
    named = _take_settings(Preset, reader)
    preset = _keep_faults(reader, lambda: make(Preset, named) if named else paper, paper)
    given = _take_settings(Settings, reader, but=_NOT_SETTINGS)
    return _keep_faults(
        reader,
        lambda: tuple(
            make_settings({**given, "representation": one}, preset) for one in representations
        ),
        (Settings(),) * len(representations),
    )


def _text_settings(
    reader: TomlReader, representations: tuple[str, ...], data: Data
) -> tuple[Settings, ...]:
    """Return the settings of each representation for a problem with a fitness.

    Its own `settings` are defaults, except that a study says how long its runs are.
    """
    known = names_of(TEXT_SETTINGS) - _NOT_SETTINGS
    reader.asked += sorted(known)
    given = {key: value for key, value in reader.table.items() if key in known}

    def build() -> tuple[Settings, ...]:
        own = ProblemFile.load(data.fitness).settings
        shared = {key: own[key] for key in known & {*own}} | given
        return tuple(
            make_text_settings(
                {**shared, "representation": one}
                | ({} if one == "dsge" or "variation" not in shared else {"variation": "lists"})
            )
            for one in representations
        )

    return _keep_faults(reader, build, (TextSettings(),) * len(representations))


def _undeclared_data(name: str, folder: Path | None) -> Data:
    """Return the data of a name that is not under [data]: a shipped problem or a table."""
    file = beside(name, folder)
    if name in PROBLEMS and not Path(file).exists():
        return Data(name, name, None, name.replace("_", " "), fitness=f"{name}:{FUNCTION}")
    return Data(_stem(name), file, None, _stem(name))


def _generations(reader: TomlReader, default: int, data: tuple[Data, ...]) -> tuple[int, ...]:
    """Return the generations for each data set: one number for all, or numbers by name."""
    if not isinstance(reader.table.get("generations"), dict):
        return (reader.whole("generations", 0, MOST_GENERATIONS, default),) * len(data)
    table = reader.take("generations", dict)
    inner = TomlReader(table, f"{reader.place}, generations", reader.faults)
    found = tuple(inner.whole(d.name, 0, MOST_GENERATIONS, default) for d in data)
    inner.close()
    return found


def _plan(reader: TomlReader, number: int, parts: list[StudyPart]) -> TablePlan:
    name = reader.take("name", str, f"table{number}")
    if not _NAME.fullmatch(name):
        reader.fault("name", f"is `{name[:60]}`", "It names files: letters, digits, `_`, `-`, `.`.")
    title = reader.take("title", str, name)
    rows: list[Row] = []
    for position, table in enumerate(_tables(reader, "rows"), 1):
        inner = TomlReader(table, f"{reader.place}, row {position}", reader.faults)
        row = _row(inner, parts, [row.label for row in rows])
        if row:
            rows.append(row)
    if not reader.table.get("rows"):
        advice = 'Write it like [{ label = "DSGE", part = "one", representation = "dsge" }].'
        reader.fault("rows", "is missing or empty", advice)
    used = [part for part in parts if any(row.part == part.name for row in rows)]
    data = tuple(dict.fromkeys(d for part in used for d in part.data))
    names = [d.name for d in data]
    figures = reader.texts("figures", among=names) if "figures" in reader.table else tuple(names)
    reader.close()
    return TablePlan(name, title, tuple(rows), data, figures)


def _row(reader: TomlReader, parts: list[StudyPart], above: list[str]) -> Row | None:
    """Return a row of a table; a key for which its part leaves one choice can be left out."""
    label = reader.take("label", str, needed="what the row is called")
    by_name = {part.name: part for part in parts}
    name = reader.take("part", str, parts[0].name if len(parts) == 1 else "")
    against = reader.take("against", str, "")
    layers = reader.whole("layers", 0, 1000, 0)
    reader.asked += ["representation", "grammar"]
    reader.close()
    if label is None or not by_name or not reader.is_among("part", name, list(by_name)):
        return None
    part = by_name[name]
    representation = _only_choice(reader, "representation", part.representations)
    grammar = _only_choice(reader, "grammar", tuple(g.name for g in part.grammars))
    if label in above:
        reader.fault("label", f"is `{label}` a second time", "Give each row a label of its own.")
    if against and not reader.is_among("against", against, above or ["no row above this one"]):
        return None
    if not representation or not grammar:
        return None
    return Row(label, name, representation, grammar, layers, against)


def _only_choice(reader: TomlReader, key: str, choices: tuple[str, ...]) -> str:
    """Return the value of a key, by default the only choice, or "" if it is a mistake."""
    value: str = reader.take(key, str, choices[0] if len(choices) == 1 else "")
    if not choices:
        return ""
    return value if reader.is_among(key, value, list(choices)) else ""


def _read_printed(top: TomlReader, path: Path | Traversable) -> tuple[PrintedFigure, ...]:
    name = top.take("printed", str)
    if not name:
        return ()
    near = path.parent / name if isinstance(path, Path) else STUDIES.joinpath(name)
    return parse_printed(read_toml(near, name), name, top.faults)


def _stem(file: str) -> str:
    return Path(file).name.split(".")[0] or file
