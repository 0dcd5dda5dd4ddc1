"""Model to the source files of a target."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsgec import __version__
from dsgec.arithmetic.source import c_source, python_source
from dsgec.codegen.environment import Code, render
from dsgec.codegen.names import check_name
from dsgec.codegen.statements import (
    C_COLUMNS,
    PYTHON,
    C,
    Language,
    Program,
    functions_used,
    program,
)
from dsgec.network.description import identity
from dsgec.network.ir import Network
from dsgec.network.model import Model, composed

_VERSION = Code(__version__)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file's name and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """What the templates see of a model."""

    prefix: str
    inputs: int
    outputs: int
    program: Program
    model_id: str = ""
    features: tuple[str, ...] = ()
    classes: tuple[str | int, ...] = ()
    version: Code = _VERSION

    @property
    def macro(self) -> str:
        return self.prefix.upper()

    @property
    def generator(self) -> str:
        return f"dsgec {self.version}"

    @property
    def class_count(self) -> int:
        return len(self.classes)

    @property
    def class_names(self) -> tuple[str, ...]:
        return tuple(map(str, self.classes))

    @property
    def feature_slots(self) -> int:
        """C has no arrays of no elements."""
        return max(len(self.features), 1)


def model_id(model: Model) -> str:
    """A digest of what the model computes, the same in every target."""
    return hashlib.sha256(identity(model).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def emit_c(model: Model, name: str) -> tuple[SourceFile, ...]:
    """`name.h` and `name.c`: C99 that needs nothing else."""
    network = composed(model)
    view = _view(model, name, program(network, C))
    arithmetic = Code(c_source(functions_used(network, C)))
    return (
        SourceFile(f"{name}.h", render("c/module.h.j2", m=view)),
        SourceFile(f"{name}.c", render("c/module.c.j2", m=view, arithmetic=arithmetic)),
    )


def emit_numpy(model: Model, name: str) -> tuple[SourceFile, ...]:
    """`name.py`: a module that needs numpy."""
    network = composed(model)
    view = _view(model, name, program(network, PYTHON))
    arithmetic = Code(_numpy_source(functions_used(network, PYTHON)))
    text = render("numpy/module.py.j2", m=view, arithmetic=arithmetic)
    return (SourceFile(f"{name}.py", text),)


TARGETS: dict[str, Callable[[Model, str], tuple[SourceFile, ...]]] = {
    "c": emit_c,
    "numpy": emit_numpy,
}


def emit_c_batch(networks: Sequence[Network]) -> str:
    """Many networks as one C file: `netI_evaluate_batch` is what an export of each would hold."""
    return _batch("c/batch.c.j2", networks, C, c_source)


def emit_numpy_batch(networks: Sequence[Network]) -> str:
    """Many networks as one numpy module: `_netI_outputs` is what an export of each would hold."""
    return _batch("numpy/batch.py.j2", networks, PYTHON, _numpy_source)


def emit_limit(networks: Sequence[Network]) -> str:
    """Networks as loops over columns that do their arithmetic and nothing else: to measure by."""
    return _batch("c/limit.c.j2", networks, C_COLUMNS, c_source)


def _batch(
    template: str,
    networks: Sequence[Network],
    language: Language,
    arithmetic: Callable[[set[str]], str],
) -> str:
    views = [
        View(f"net{number}", network.inputs, len(network.outputs), program(network, language))
        for number, network in enumerate(networks)
    ]
    used = set().union(*(functions_used(network, language) for network in networks))
    return render(template, networks=views, arithmetic=Code(arithmetic(used)))


def _numpy_source(functions: set[str]) -> str:
    return python_source("vector", functions, imports=False)


def _view(model: Model, name: str, statements: Program) -> View:
    return View(
        prefix=check_name(name),
        inputs=len(model.columns),
        outputs=len(model.network.outputs),
        program=statements,
        model_id=model_id(model),
        features=tuple(column.name for column in model.columns),
        classes=model.classes,
    )
