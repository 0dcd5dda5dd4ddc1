"""Tables of a grammar to the C source of the engine that evolves it.

The engine is the same for all grammars of a kind; the grammar is a second file, of constants.
"""

from dataclasses import dataclass

from dsgec.arithmetic.source import c_source
from dsgec.arithmetic.table import FUNCTIONS, SLOPES
from dsgec.engine.grammar_tables import emit_grammar, emit_variant
from dsgec.grammar.genome.tables import Tables
from dsgec.network.tokens import ALIASES
from dsgec.rendering import render
from dsgec.resources import TEMPLATES

_HEADER = "engine.h"
_BEFORE_GRAMMAR = ("memory.h", _HEADER, "clock.h")
_MAPPING = (
    "random.h",
    "digits.h",
    "layered.c",
    "connections.c",
    "genome.c",
    "growth.c",
    "express.c",
)
_TREES = ("lists.c", "dsge.c", "tree.c", "neurons.c", "edit.c", "merge.c")
_OPERATORS = {"sge": ("choices.c", "sge.c"), "ge": ("ge.c",)}
_NETWORKS = (
    "number.c",
    "nodes.c",
    "operands.c",
    "parse.c",
    "kernels.c",
    "tape.c",
    "kept.c",
    "run.c",
)
_BACKWARD = ("slopes.c", "backward.c")
_LEARNING = ("learn.c", "tune.c")
_REST = (
    "texts.c",
    "simplify.c",
    "describe.c",
    "work.c",
    "tally.c",
    "hall.c",
    "threads.c",
    "front.c",
    "individual.c",
    "cost.c",
)
_END = ("generation.c", "state.c", "restore.c", "engine.c")


@dataclass(frozen=True, slots=True)
class _Alias:
    key: int
    function: str


@dataclass(frozen=True, slots=True)
class EngineSource:
    """The two files of an engine: `grammar` begins with the `declarations` that `engine` has, too.

    `whole` is both as one translation unit.
    """

    engine: str
    declarations: str
    constants: str

    @property
    def grammar(self) -> str:
        return f"{self.declarations}\n{self.constants}"

    @property
    def whole(self) -> str:
        return f"{self.engine}\n{self.constants}"


def emit_engine(
    tables: Tables,
    representation: str,
    layered: bool,
    output: str,
    objective: str,
    *,
    learning: bool = False,
    trees: bool = False,
    weighted: bool = False,
    minimises: bool = False,
) -> EngineSource:
    """Print the engine for a grammar and a representation.

    With `learning`, the numbers of individuals are learned, by the slopes of the loss; with
    `trees`, which is for DSGE, their derivation trees are varied in place of their lists;
    `weighted`: rows have weights; `minimises`: the cost of a network is a second objective.
    """
    functions = [function.symbol for function in FUNCTIONS.values() if function.arity]
    slopes = [slope for name in FUNCTIONS for slope in SLOPES.get(name, ())] if learning else []
    networks = (*_NETWORKS, *(_BACKWARD if learning else ()), "errors.c")
    variant = (tables, representation, layered, output, learning, trees, weighted, minimises)
    declarations = "\n".join([emit_variant(*variant), _read("grammar.h")])
    engine = "\n".join(
        [
            *map(_read, _BEFORE_GRAMMAR),
            c_source([*functions, *slopes, "exp_down"], hosted=True),
            declarations,
            _functions(learning),
            *map(_read, (*_MAPPING, *_operators(representation, trees), *networks)),
            _read(f"objectives/{objective.replace('-', '_')}.c"),
            *map(
                _read, ("sums.c", "linear.c", "fitness.c", *(_LEARNING if learning else ()), *_REST)
            ),
            *map(_read, ("map_trees.c", "breed_trees.c") if trees else ("breed_lists.c",)),
            _read("steps.c" if learning else "score.c"),
            *map(_read, _END),
            _read("learning.c" if learning else "no_learning.c"),
            _read("prune.c" if trees else "no_trees.c"),
        ]
    )
    constants = emit_grammar(tables, representation, output, trees)
    return EngineSource(engine, declarations, constants)


def _operators(representation: str, trees: bool) -> tuple[str, ...]:
    """Growth, mutation and crossover."""
    if trees:
        return _TREES
    return _OPERATORS.get(representation, ("choices.c", "lists.c", f"{representation}.c"))


def engine_header() -> str:
    """What every engine declares, in C that cffi reads as well."""
    return _read(_HEADER)


def _read(name: str) -> str:
    return TEMPLATES.joinpath(f"engine/{name}").read_text(encoding="utf-8")


def _functions(learning: bool) -> str:
    unary, binary = (
        [(f.name, f.symbol, int(f.is_activation)) for f in FUNCTIONS.values() if f.arity == arity]
        for arity in (1, 2)
    )
    return render(
        "engine/functions.h.j2",
        unary=unary,
        binary=binary,
        slopes=_slopes() if learning else None,
        aliases=[_Alias(_key(name), function) for name, function in sorted(ALIASES.items())],
    )


def _slopes() -> dict[str, list[tuple[str, ...]]]:
    """What the derivatives of functions of one and of two numbers are called."""
    names = {name: SLOPES[name] for name, function in FUNCTIONS.items() if function.arity}
    return {
        kind: [(name, *slopes) for name, slopes in names.items() if len(slopes) == arity]
        for arity, kind in enumerate(("unary", "binary"), 1)
    }


def _key(name: str) -> int:
    return int.from_bytes(name.encode("ascii"), "little")
