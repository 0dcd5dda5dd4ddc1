"""config.toml: the settings of a run, with which `dsgec evolve --config` repeats it."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dsgec import __version__
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.manifest import CONFIG
from dsgec.plain_data import as_plain, from_plain
from dsgec.search.presets import Preset
from dsgec.search.settings import SETTINGS, Settings
from dsgec.setting import Setting, settings_of
from dsgec.toml import to_toml

_HEAD = """\
# Made by dsgec {version}. `dsgec evolve --config {name}` repeats this run.
# A file is looked for beside this one, then from the folder where the command runs. Of one that
# was given by an absolute path, only the name is here.
"""
_NOTHING: tuple[Any, ...] = (None, "", (), {})


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files that a user named, and the preset; `test` is a table of test rows."""

    grammar: str
    data: str
    test: str | None = None
    preset: str = Preset().preset

    @classmethod
    def read(cls, given: Any) -> "Inputs | None":
        """Return the inputs in an untrusted checkpoint, or None if it has none."""
        try:
            return from_plain(cls, given)
        except ValueError:
            return None

    def as_json(self) -> dict[str, Any]:
        """Return the inputs as a checkpoint keeps them."""
        found: dict[str, Any] = as_plain(self)
        return found


def config_text(inputs: Inputs, settings: Settings, dataset: Dataset) -> str:
    """Return the text of config.toml: every setting of the run, also those at the default.

    Of an absolute path it has only the file's name.
    """
    named = {"grammar": _name(inputs.grammar), "data": _name(inputs.data), "preset": inputs.preset}
    sections: dict[str, list[str]] = {}
    for one, value in _values(inputs, settings, dataset):
        sections.setdefault(one.group, []).append(_line(one.word, value))
    if dataset.target:
        sections.setdefault("data", []).insert(0, _line("target", dataset.target))
    texts = [_HEAD.format(version=__version__, name=CONFIG)]
    texts.append("".join(_line(key, value) for key, value in named.items()))
    texts += [f"# {group}\n{''.join(lines)}" for group, lines in sections.items()]
    return "\n".join(texts)


def _line(key: str, value: Any) -> str:
    return f"{key} = {to_toml(value)}\n"


def _values(inputs: Inputs, settings: Settings, dataset: Dataset) -> Iterator[tuple[Setting, Any]]:
    """Yield the settings that are written, with their values."""
    for one in SETTINGS:
        value = dict(settings.max_depth) if one.kind is dict else getattr(settings, one.name)
        if one.name == "test" and inputs.test is not None:
            value = _name(inputs.test)
        if _is_written(one, value, settings):
            yield one, value
    reading = dict(dataset.reading)
    for kind, given in ((Preprocessing, asdict(dataset.preprocessing)), (ReadingOptions, reading)):
        for one in settings_of(kind):
            if given.get(one.name) not in _NOTHING:
                yield one, given[one.name]


def _is_written(one: Setting, value: Any, settings: Settings) -> bool:
    """Return whether a setting has a value, and has an effect or is not the default."""
    if one.name == "fold" or value in _NOTHING:
        return False
    if one.name in ("test", "folds"):
        return bool(settings.folds) == (one.name == "folds")
    is_used = not one.representations or settings.representation in one.representations
    return is_used or value != one.default


def _name(given: str) -> str:
    return Path(given).name if Path(given).is_absolute() else given
