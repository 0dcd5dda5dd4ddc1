"""The arguments of `dsgec.evolve` to a grammar, which may be left out, rows and targets."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from dsgec.data.source import is_shipped
from dsgec.errors import DsgecError
from dsgec.grammar.load import GrammarFile
from dsgec.resources import GRAMMARS, shipped_names

_TABLES = (".csv", ".tsv", ".tab", ".dat", ".data", ".arff", ".parquet")
_NO_GRAMMARS = (  # of which none is read, and each is told what to do instead
    *(".xlsx", ".xls", ".xlsm", ".ods", ".json", ".jsonl", ".ndjson", ".zip", ".db", ".sqlite"),
    *(".h5", ".hdf5", ".hdf", ".pkl", ".pickle", ".npy", ".npz", ".feather", ".mat"),
)
_ORDER = "Call dsgec.evolve(X, y), or dsgec.evolve(grammar, X, y) with a grammar."

_F = TypeVar("_F", bound=Callable[..., Any])


def takes_grammar_by_name(function: _F) -> _F:
    """Let the first argument, a grammar, also be given by name after others that have a place."""

    @wraps(function)
    def call(*places: Any, **names: Any) -> Any:
        if places and "grammar" in names:
            places = (names.pop("grammar"), *places)
        return function(*places, **names)

    return cast("_F", call)


def sort_arguments(first: Any, second: Any, third: Any, target: Any) -> tuple[Any, Any, Any, Any]:
    """The grammar or None, X, y and the target, of the three arguments that have a place.

    Data that comes first is X, and then what follows it is y. A string in the place of y is the
    name of the target.
    """
    if is_table(first):
        if second is not None and third is not None:
            raise DsgecError("the first of three arguments is the grammar, not a table", _ORDER)
        if isinstance(second, GrammarFile) or _is_shipped_grammar(second):
            raise DsgecError("the grammar comes before the table", _ORDER)
        first, second, third = None, first, third if second is None else second
    if second is None:
        raise DsgecError("X is missing", _ORDER)
    for given in (third, target):
        _refuse_several(second, given)
    if isinstance(third, str):
        if target is not None:
            raise DsgecError("y and target both name a column", "Give one of them.")
        third, target = None, third
    return first, second, third, target


def _refuse_several(rows: Any, given: Any) -> None:
    """Refuse a list of columns, or a table of targets, in the place of one target."""
    shape: tuple[int, ...] = getattr(given, "shape", ())
    if not (_is_list_of_columns(rows, given) or (len(shape) == 2 and shape[1] > 1)):
        return
    if len(given) == 1:
        raise DsgecError("the target is a list", f"Name the column alone: {next(iter(given))!r}.")
    raise DsgecError(
        "several targets are not supported",
        "Name one column, and evolve a network for each; `ignore` leaves the other ones out.",
    )


def _is_list_of_columns(rows: Any, given: Any) -> bool:
    if not isinstance(given, list | tuple | set | frozenset) or not given:
        return False
    columns = getattr(rows, "columns", rows if isinstance(rows, dict) else ())
    return all(isinstance(name, str) for name in given) and {*given} <= {*map(str, columns)}


def is_table(given: Any) -> bool:
    """Whether it is a table, not a grammar: data, the file of a table, or the name of one."""
    if given is None or isinstance(given, GrammarFile):
        return False
    if not isinstance(given, str | Path):
        return True
    name = str(given)
    if _is_shipped_grammar(name):
        return False
    return name == "-" or is_shipped(name) or _suffix(name) in (*_TABLES, *_NO_GRAMMARS)


def _is_shipped_grammar(given: Any) -> bool:
    return isinstance(given, str) and given in shipped_names(GRAMMARS, ".bnf")


def _suffix(name: str) -> str:
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
