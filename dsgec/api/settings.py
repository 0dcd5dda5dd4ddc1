"""The keyword arguments of `dsgec.evolve` and the estimators, from the tables of settings."""

import difflib
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar, cast, get_args, get_type_hints

from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.errors import DsgecError, setting_error
from dsgec.grammar.ir import Grammar
from dsgec.search.defaults import with_defaults
from dsgec.search.presets import Execution, Preset, make_settings
from dsgec.search.settings import Settings
from dsgec.setting import Setting, make, names_of, settings_of

# `test` is an argument that takes more than a share; the others are for the command line.
_NOT_KEYWORDS = {"test", "folds", "fold"}
# scikit-learn splits the rows and draws the seeds, and its transformers are for texts and missing
# values; balanced classes are called class_weight.
_NOT_PARAMETERS = {
    *("seed", "split_seed", "ignore", "group", "index", "task", "missing", "constant", "balance"),
    *("compare", "window", "step", "label", "rate"),
}
_FOR_CLASSES = {"threshold"}

# Names in other libraries, and what they are called here.
_EVOLVE_SYNONYMS = {
    "random_state": "seed",
    "n_jobs": "threads",
    "max_iter": "generations",
    "n_generations": "generations",
    "population_size": "population",
    "class_weight": "balance",
}
_ESTIMATOR_SYNONYMS = {**_EVOLVE_SYNONYMS, "seed": "random_state", "balance": "class_weight"}

KEYWORDS = tuple(
    one
    for kind in (Preset, Settings, Preprocessing, Execution)
    for one in settings_of(kind)
    if one.name not in _NOT_KEYWORDS
)
"""The settings that `dsgec.evolve` takes."""
CLASSIFIER_PARAMETERS = tuple(one for one in KEYWORDS if one.name not in _NOT_PARAMETERS)
PARAMETERS = tuple(one for one in CLASSIFIER_PARAMETERS if one.name not in _FOR_CLASSES)
"""The settings that both estimators take."""

Documented = TypeVar("Documented", bound=Callable[..., Any] | type)
_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class KeywordSettings:
    """The settings that keyword arguments give."""

    keywords: Mapping[str, Any]
    preset: Preset
    settings: Settings
    preprocessing: Preprocessing
    execution: Execution

    def settings_for(
        self, dataset: Dataset, grammar: Grammar, *, is_default: bool = False
    ) -> Settings:
        """Return the settings; those not given are chosen for the data set and the grammar.

        :param is_default: Whether the grammar is that of the task, which nobody asked for.
        """
        return with_defaults(
            *(self.settings, self.keywords, self.preset, dataset, grammar), is_default=is_default
        )


def read_keywords(keywords: Mapping[str, Any], **more: Any) -> KeywordSettings:
    """Check keyword arguments and return their settings; raise TypeError for an unknown one."""
    refuse_unknown("evolve", keywords, names_of(KEYWORDS), _EVOLVE_SYNONYMS)
    values = {**keywords, **more}
    preset = make(Preset, values)
    return KeywordSettings(
        values,
        preset,
        make_settings(values, preset),
        make(Preprocessing, values, learned=preset.learns),
        make(Execution, values),
    )


def refuse_unknown(
    function: str, names: Iterable[str], known: Collection[str], synonyms: Mapping[str, str]
) -> None:
    """Raise the TypeError of an unknown keyword, with the name that was probably meant."""
    for name in names:
        if name not in known:
            near = [synonyms[name]] if name in synonyms else []
            near += difflib.get_close_matches(name, known, 1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def suggest_parameters(estimator: Documented) -> Documented:
    """Let an estimator suggest one of its parameters when it gets an unknown one."""
    kind = cast("Any", estimator)
    original = kind.__init__
    known = [*inspect.signature(original).parameters][1:]

    @wraps(original)
    def __init__(self: Any, *arguments: Any, **keywords: Any) -> None:
        refuse_unknown(kind.__name__, keywords, known, _ESTIMATOR_SYNONYMS)
        original(self, *arguments, **keywords)

    kind.__init__ = __init__
    return estimator


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise an error unless an argument is one of a few choices."""
    Setting(default=None, help="", name=name, choices=choices).check(value)


def check_string(name: str, value: Any) -> None:
    """Raise an error unless an argument is a string."""
    if not isinstance(value, str):
        raise setting_error(name, f"is {value!r}", "It must be a string.")


def python_default(one: Setting) -> Any:
    """Return the default in a signature: None if it is optional, or depends on the preset."""
    has_one = not one.is_optional and one.kind is not dict and one.learned is None
    return one.default if has_one else None


def document_settings(settings: tuple[Setting, ...]) -> Callable[[Documented], Documented]:
    """Return a decorator that adds settings to a docstring, and to a function's signature."""

    def add(target: Documented) -> Documented:
        if target.__doc__:  # there is none with `python -OO`
            target.__doc__ = "\n".join([inspect.cleandoc(target.__doc__), *map(_field, settings)])
        if inspect.isfunction(target):
            own = inspect.signature(target)
            *named, keywords = own.parameters.values()
            hints = get_type_hints(*get_args(keywords.annotation))
            keys = [
                keywords.replace(
                    name=one.name,
                    kind=inspect.Parameter.KEYWORD_ONLY,
                    default=python_default(one),
                    annotation=hints[one.name],
                )
                for one in settings
            ]
            target.__dict__["__signature__"] = own.replace(parameters=[*named, *keys])
        return target

    return add


def _field(one: Setting) -> str:
    """Return the field of a setting in a docstring."""
    only = f" ({', '.join(one.representations)} only)" if one.representations else ""
    choices = f" One of {', '.join(map(repr, one.choices))}." if one.choices else ""
    default = python_default(one)
    shown = "" if default is None else f" Default: {default!r}."
    if one.learned is not None:
        shown = f" Default: {options_to_keywords(one.default_text(repr))}."
    return f":param {one.name}: {one.help.removesuffix('.')}{only}.{choices}{shown}"


_RANGE = re.compile(r"--range (?:'([^'=]*)=LO:HI'|COLUMN=LO:HI)")
_PICK = re.compile(r"--pick ([a-z]+(?:-[a-z]+)?)(?: (\d+(?:\.\d+)?[\w%]*))?")
_OPTION = re.compile(r"--([a-z][a-z0-9-]*)(?: ([a-z0-9_.]+))?")
_BY_OPTION = {one.name.replace("_", "-"): one for one in KEYWORDS}
_OTHER_KEYWORDS = {"chip", "dtype", "layout"}


def options_to_keywords(text: str) -> str:
    """Return a message with Python's keywords in the place of options."""
    text = _RANGE.sub(_range_keyword, text)
    text = _PICK.sub(_pick_call, text)
    return _OPTION.sub(_keyword, text)


def raise_with_keywords(function: _F) -> _F:
    """Let the errors of a function name Python's keywords instead of options."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return function(*arguments, **keywords)
        except DsgecError as error:
            write = options_to_keywords
            faults = [
                replace(one, message=write(one.message), advice=write(one.advice))
                for one in error.faults
            ]
            raise DsgecError(faults) from error

    return cast("_F", call)


def _range_keyword(match: re.Match[str]) -> str:
    column = f'"{match[1]}"' if match[1] else "column"
    return f"range={{{column}: (low, high)}}"


def _pick_call(match: re.Match[str]) -> str:
    value = "" if match[2] is None else f", {_literal(match[2])}"
    return f'pick("{match[1]}"{value})'


def _keyword(match: re.Match[str]) -> str:
    option, word = match[1], match[2]
    one = _BY_OPTION.get(option)
    rest = "" if word is None else f" {word}"
    if one is None:
        return option + rest if option in _OTHER_KEYWORDS else match[0]
    if one.kind is bool:
        return f"{one.name}=True{rest}"
    if word is not None and (word in one.choices or word.replace(".", "", 1).isdecimal()):
        return f"{one.name}={_literal(word)}"
    return one.name + rest


def _literal(word: str) -> str:
    return word if word.replace(".", "", 1).isdecimal() else f'"{word}"'
