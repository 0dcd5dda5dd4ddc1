"""What `dsgec.evolve` and the estimators take by keyword, by the tables of settings."""

import difflib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast, get_args, get_type_hints

from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.errors import wrong
from dsgec.search.defaults import with_defaults
from dsgec.search.settings import Execution, Preset, Settings, make_settings
from dsgec.setting import Setting, make, names_of, settings_of

# An argument of `evolve` that takes more than a share, and what the command line alone has.
_NOT_KEYWORDS = {"test", "folds", "fold"}
# scikit-learn splits and draws seeds; texts and missing values are for its transformers; and what
# balances classes is called class_weight.
_NOT_PARAMETERS = {
    *("seed", "split_seed", "ignore", "group", "index", "task", "missing", "constant", "balance"),
    "compare",
}
_OF_CLASSES = {"threshold"}

_CALLED_ELSEWHERE = {
    "random_state": "seed",
    "n_jobs": "threads",
    "max_iter": "generations",
    "n_generations": "generations",
    "population_size": "population",
    "class_weight": "balance",
}
_CALLED_IN_EVOLVE = {
    **_CALLED_ELSEWHERE,
    "seed": "random_state",
    "balance": "class_weight",
}

KEYWORDS = tuple(
    one
    for kind in (Preset, Settings, Preprocessing, Execution)
    for one in settings_of(kind)
    if one.name not in _NOT_KEYWORDS
)
"""Of `dsgec.evolve`."""
CLASSIFIER_PARAMETERS = tuple(one for one in KEYWORDS if one.name not in _NOT_PARAMETERS)
"""Of the classifier."""
PARAMETERS = tuple(one for one in CLASSIFIER_PARAMETERS if one.name not in _OF_CLASSES)
"""Of both estimators."""

Documented = TypeVar("Documented", bound=Callable[..., Any] | type)


@dataclass(frozen=True, slots=True)
class Given:
    """What was given by keyword, and what that makes of the settings."""

    keywords: Mapping[str, Any]
    preset: Preset
    settings: Settings
    preprocessing: Preprocessing
    execution: Execution

    def settings_for(self, dataset: Dataset) -> Settings:
        """With the generations that suit a data set, unless they were given."""
        return with_defaults(self.settings, self.keywords, self.preset, dataset)


def read_keywords(given: Mapping[str, Any], **more: Any) -> Given:
    """What was given by keyword, checked; an unknown one is what it is for any function."""
    refuse_unknown("evolve", given, names_of(KEYWORDS), _CALLED_ELSEWHERE)
    everything = {**given, **more}
    preset = make(Preset, everything)
    return Given(
        everything,
        preset,
        make_settings(everything, preset),
        make(Preprocessing, everything, learned=preset.learns),
        make(Execution, everything),
    )


def refuse_unknown(
    function: str, given: Iterable[str], known: Collection[str], elsewhere: Mapping[str, str]
) -> None:
    """Raise what Python raises for an unknown keyword, with the name that was probably meant.

    `elsewhere` has names that other functions and libraries use.
    """
    for name in given:
        if name not in known:
            near = [elsewhere[name]] if name in elsewhere else []
            near += difflib.get_close_matches(name, known, 1)
            hint = f". Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")


def suggests_parameters(estimator: Documented) -> Documented:
    """Let an estimator suggest its own parameter where an unknown one is given."""
    kind = cast("Any", estimator)
    made = kind.__init__
    known = [*inspect.signature(made).parameters][1:]

    @wraps(made)
    def __init__(self: Any, *places: Any, **names: Any) -> None:
        refuse_unknown(kind.__name__, names, known, _CALLED_IN_EVOLVE)
        made(self, *places, **names)

    kind.__init__ = __init__
    return estimator


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """Refuse what is not among a few choices."""
    Setting(default=None, help="", name=name, choices=allowed).check(value)


def is_text(name: str, value: Any) -> None:
    """Refuse what is not a string."""
    if not isinstance(value, str):
        raise wrong(name, f"is {value!r}", "It must be a string.")


def python_default(one: Setting) -> Any:
    """The default as a program sees it: None for a setting that need not have a value, and for one
    whose default is the preset's."""
    has_one = not one.is_optional and one.kind is not dict and one.learned is None
    return one.default if has_one else None


def documented(
    settings: tuple[Setting, ...], default: Callable[[Setting], Any]
) -> Callable[[Documented], Documented]:
    """Add the settings to the docstring of what takes them, and to a function's signature."""

    def add(what: Documented) -> Documented:
        if what.__doc__:  # there is none with `python -OO`
            fields = (_field(one, default(one)) for one in settings)
            what.__doc__ = "\n".join([inspect.cleandoc(what.__doc__), *fields])
        if inspect.isfunction(what):
            own = inspect.signature(what)
            *named, keywords = own.parameters.values()
            hints = get_type_hints(*get_args(keywords.annotation))
            keys = [
                keywords.replace(
                    name=one.name,
                    kind=inspect.Parameter.KEYWORD_ONLY,
                    default=default(one),
                    annotation=hints[one.name],
                )
                for one in settings
            ]
            what.__dict__["__signature__"] = own.replace(parameters=[*named, *keys])
        return what

    return add


def _field(one: Setting, default: Any) -> str:
    only = f" ({', '.join(one.representations)} only)" if one.representations else ""
    choices = f" One of {', '.join(map(repr, one.choices))}." if one.choices else ""
    said = "" if default is None else f" Default: {default!r}."
    if one.learned is not None:
        said = f" Default: {one.default_text(repr)}."
    return f":param {one.name}: {one.help.removesuffix('.')}{only}.{choices}{said}"
