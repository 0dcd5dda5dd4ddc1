"""Find a user's problem in a file or a module: its fitness, and perhaps a grammar and settings."""

import hashlib
import importlib
import importlib.util
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from dsgec.errors import DsgecError
from dsgec.grammar.load import GrammarFile, parse_grammar
from dsgec.search.fitness import Function
from dsgec.search.operators import Operators, make_operators

FUNCTION = "fitness"
"""The name of the function, if a user gives none."""

SHIPPED = "dsgec.problems"
"""The package whose problems are known by their names alone."""


@dataclass(frozen=True, slots=True, eq=False)
class ProblemFile:
    """A module with a fitness function; `place` is what the user calls the module."""

    place: str
    function: str
    module: ModuleType

    @classmethod
    def load(cls, given: str) -> "ProblemFile":
        """Import the module of `problem.py:fitness`, or raise a DsgecError."""
        place, colon, function = given.rpartition(":")
        if not (colon and function.isidentifier()):
            place, function = given, FUNCTION
        return cls(place, function, _load_module(place))

    @property
    def fitness(self) -> Function:
        """Return the fitness function, or raise a DsgecError if there is none of that name."""
        found = getattr(self.module, self.function, None)
        if not callable(found):
            raise DsgecError(
                f"{self.place} has no function `{self.function}`",
                f"Define `def {self.function}(phenotype): ...`, or name another:"
                f" {self.place}:FUNCTION.",
            )
        fitness: Function = found
        return fitness

    @property
    def short_name(self) -> str:
        """Return the name of the module without its folders and packages."""
        is_file = self.place.endswith(".py")
        return Path(self.place).stem if is_file else self.place.rpartition(".")[2]

    @property
    def name(self) -> str:
        """Return the names of module and function, as the record has them."""
        return f"{self.short_name}:{self.function}"

    @property
    def digest(self) -> str:
        """Return a digest of the source of the module; empty if it has none."""
        try:
            source = Path(getattr(self.module, "__file__", None) or "").read_bytes()
        except OSError:
            return ""
        return hashlib.sha256(source).hexdigest()

    @property
    def settings(self) -> dict[str, Any]:
        """Return the default settings that the module defines."""
        own = getattr(self.module, "settings", {})
        return dict(own) if isinstance(own, dict) else {}

    @property
    def operators(self) -> Operators:
        """Return the operators that the module defines."""
        return make_operators(getattr(self.module, "operators", {}))

    def grammar(self, advice: str = "") -> GrammarFile:
        """Return the grammar that the module defines, or raise a DsgecError with this advice."""
        text = getattr(self.module, "grammar", None)
        if not isinstance(text, str):
            raise DsgecError(f"{self.place} has no `grammar`", advice)
        return parse_grammar(text, self.short_name, any_text=True)


def _load_module(place: str) -> ModuleType:
    """Import a user's file, a module, or a shipped problem, by its name."""
    try:
        if place.endswith(".py"):
            return _load_file(Path(place).absolute())
        if "." not in place and importlib.util.find_spec(f"{SHIPPED}.{place}"):
            return importlib.import_module(f"{SHIPPED}.{place}")
        if str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))
        return importlib.import_module(place)
    except DsgecError:
        raise
    except FileNotFoundError as error:
        raise DsgecError(f"there is no file {place}") from error
    except Exception as error:
        raise DsgecError(
            f"{place} cannot be imported: {type(error).__name__}: {error}",
            "Give the fitness after the grammar: dsgec search GRAMMAR FITNESS.py."
            if place.endswith((".bnf", ".pybnf"))
            else "It is a Python file, the name of a module, or a problem that comes with dsgec.",
        ) from error


@cache
def _load_file(path: Path) -> ModuleType:
    """Import a file as `python FILE` does, with its folder first on the path."""
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module
