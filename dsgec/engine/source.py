"""Print the C source of the engine that evolves a grammar.

The engine is the same for all grammars of a kind; the grammar is a second file, of constants.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dsgec.arithmetic.functions import DERIVATIVES, FUNCTIONS
from dsgec.arithmetic.source import arithmetic_header
from dsgec.engine.grammar_tables import emit_grammar, emit_variant
from dsgec.engine.library import resolve_includes, without_directives
from dsgec.grammar.genome.rule_tables import RuleTables
from dsgec.network.syntax import ALIASES, WORDS
from dsgec.rendering import render
from dsgec.resources import TEMPLATES


@dataclass(frozen=True, slots=True)
class _Alias:
    key: int
    function: str


@dataclass(frozen=True, slots=True)
class EngineSource:
    """The two C files of an engine, with their includes resolved.

    `constants` is `grammar` without what `engine` also includes; `generated` holds the files that
    `templates/engine` includes and that are made for this engine.
    """

    engine: str
    grammar: str
    constants: str
    generated: Mapping[str, str]

    @property
    def whole(self) -> str:
        """Both files as one translation unit."""
        return f"{self.engine}\n{self.constants}"


def emit_engine(
    tables: RuleTables,
    representation: str,
    layered: bool,
    output: str,
    objective: str,
    *,
    learning: bool = False,
    trees: bool = False,
    weighted: bool = False,
    minimises: bool = False,
    external: bool = False,
) -> EngineSource:
    """Print the engine for a grammar and a representation.

    With `learning`, individuals learn their weights by the gradient of the loss; with `trees`,
    which is for DSGE, derivation trees are varied instead of lists; with `weighted`, rows have
    weights; with `minimises`, the cost of a network is a second objective; with `external`,
    phenotypes are any text, and the caller scores them.
    """
    flags = (learning, trees, weighted, minimises, external)
    variant = (tables, representation, layered, output, *flags)
    generated = {
        "arithmetic.h": _arithmetic(learning),
        "functions.h": _function_tables(),
        "grammar.c": emit_grammar(tables, representation, output, trees, external),
        "objective.h": f'#include "printed/objectives/{objective.replace("-", "_")}.c"\n',
        "representation.h": f'#include "{representation}.c"\n',
        "variant.h": emit_variant(*variant),
    }

    def read(name: str) -> str:
        return generated[name] if name in generated else _read(name)

    done: set[str] = set()
    return EngineSource(
        engine=resolve_includes("engine.c", read, done),
        grammar=resolve_includes("grammar.c", read, set()),
        constants=resolve_includes("grammar.c", read, done),
        generated=generated,
    )


def engine_header() -> str:
    """Return the declarations of every engine, as cffi reads them."""
    return without_directives(_read("engine.h"))


def _read(name: str) -> str:
    return TEMPLATES.joinpath(f"engine/{name}").read_text(encoding="utf-8")


def _arithmetic(learning: bool) -> str:
    functions = [function.symbol for function in FUNCTIONS.values() if function.arity]
    derivatives = [d for name in FUNCTIONS for d in DERIVATIVES.get(name, ())] if learning else []
    return arithmetic_header([*functions, *derivatives, "exp_down"])


def _function_tables() -> str:
    """Return the header with the functions of networks and their other names."""
    unary, binary, ternary = (
        [(f.name, f.symbol, int(f.is_activation)) for f in FUNCTIONS.values() if f.arity == arity]
        for arity in (1, 2, 3)
    )
    return render(
        "engine/functions.h.j2",
        unary=unary,
        binary=binary,
        ternary=ternary,
        words={name: WORDS.get(name, 0) for name, _, _ in binary},
        aliases=[_Alias(_name_word(name), function) for name, function in sorted(ALIASES.items())],
    )


def _name_word(name: str) -> int:
    """Return a name of at most 8 letters as one integer, by which the engine compares names."""
    return int.from_bytes(name.encode("ascii"), "little")
