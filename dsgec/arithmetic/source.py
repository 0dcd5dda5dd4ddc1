"""Copy the source text of functions, and of all that they call, out of the printed files."""

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from dsgec.program.ir import Real
from dsgec.resources import TEMPLATES

Module = Literal["vector", "scalar", "vector_integer", "integer"]

_C_FILES = {"double": "c/printed/arithmetic.c", "float": "c/printed/arithmetic_float.c"}
_PYTHON_FILES = {
    "scalar": TEMPLATES.joinpath("python/printed/arithmetic.py"),
    "vector": files("dsgec.arithmetic").joinpath("printed/vector.py"),
    "vector_integer": files("dsgec.arithmetic").joinpath("printed/vector_integer.py"),
    "integer": files("dsgec.arithmetic").joinpath("integer.py"),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A function of Python, or a section of C or JavaScript, that can be copied on its own."""

    text: str
    needs: frozenset[str]  # the names of other pieces
    imports: frozenset[str]


def python_source(module: Module, names: Iterable[str], *, imports: bool = True) -> str:
    """Return Python functions and all that they need: imports first, then in the file's order.

    The signatures have no annotations, because their types are those of this package.
    """
    pieces = _python_pieces(module)
    chosen = [pieces[name] for name in _closure(pieces, names)]
    imported = sorted(frozenset[str]().union(*(piece.imports for piece in chosen)))
    parts = ["\n".join(imported)] if imports and imported else []
    return "\n\n\n".join(parts + [piece.text for piece in chosen]) + "\n"


def c_source(names: Iterable[str], dtype: str = "double", *, hosted: bool = False) -> str:
    """Return sections of the C and all that they need, after the guard.

    `hosted` C is loaded into a process whose floating-point settings others may have changed;
    `dsgec_enter` restores them.
    """
    source = _sections_source(_C_FILES[dtype], ["guard", *names])
    # Constants of single precision have a suffix, so no compiler flag changes their type.
    more = ["c/constants.c"] if dtype == "double" else []
    more += ["c/environment.c"] if hosted else []
    return "".join([source, *(TEMPLATES.joinpath(m).read_text(encoding="utf-8") for m in more)])


def arithmetic_header(names: Iterable[str]) -> str:
    """Return `arithmetic.h` for hosted C: sections and all that they need."""
    text = c_source(names, hosted=True)
    guard = "DSGEC_ARITHMETIC_H"
    return f'#ifndef {guard}\n#define {guard}\n#include "platform.h"\n{text}#endif\n'


def c_functions(names: Iterable[str], dtype: str = "double") -> list[str]:
    """Return the names in C of functions and of all that they call."""
    return [f"dsgec_{name}" for name in _closure(_sections(_C_FILES[dtype]), names)]


def js_source(names: Iterable[str]) -> str:
    """Return sections of the JavaScript and all that they need."""
    return _sections_source("js/printed/arithmetic.js", names)


def integer_source(
    language: Literal["c", "js"], names: Iterable[str], *, guarded: bool = True
) -> str:
    """Return sections of the arithmetic of fixed point and all that they need."""
    first = ["guard"] if language == "c" and guarded else []
    return _sections_source(f"{language}/printed/integer.{language}", [*first, *names])


def _sections_source(file: str, names: Iterable[str]) -> str:
    pieces = _sections(file)
    return "\n".join(pieces[name].text for name in _closure(pieces, names))


def _closure(pieces: Mapping[str, Piece], names: Iterable[str]) -> list[str]:
    """Return names and all that they need, directly or indirectly, in the order of the file."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(pieces[name].needs)
    return [name for name in pieces if name in found]


@cache
def _python_pieces(module: Module) -> dict[str, Piece]:
    text = _PYTHON_FILES[module].read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    imports = {
        alias.asname or alias.name: ast.unparse(node)
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    return {
        name: _python_piece(node, lines, functions, imports) for name, node in functions.items()
    }


def _python_piece(
    node: ast.FunctionDef,
    lines: list[str],
    functions: Mapping[str, ast.FunctionDef],
    imports: Mapping[str, str],
) -> Piece:
    used = {
        name.id
        for statement in node.body
        for name in ast.walk(statement)
        if isinstance(name, ast.Name)
    }
    arguments = [argument.arg for argument in node.args.args]
    if node.args.vararg:
        arguments.append("*" + node.args.vararg.arg)
    body = lines[node.body[0].lineno - 1 : node.end_lineno]
    return Piece(
        "\n".join([f"def {node.name}({', '.join(arguments)}):", *body]),
        frozenset(used & functions.keys()),
        frozenset(imports[name] for name in used & imports.keys()),
    )


@cache
def _sections(file: str) -> dict[str, Piece]:
    text = TEMPLATES.joinpath(file).read_text(encoding="utf-8")
    # re.split with two groups returns the text before the first section, then name, needs and body.
    parts = re.split(
        r"^/\* == (\w+)(?:: needs (\w+(?:, \w+)*))? == \*/\n", text, flags=re.MULTILINE
    )
    return {
        name: Piece(body, frozenset(needs.split(", ") if needs else ()), frozenset())
        for name, needs, body in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    }


def choose(text: str, dtype: Real) -> str:
    """Replace `{a|b}` by `a` in double and by `b` in single precision."""
    choice = 1 if dtype == "double" else 2
    return re.sub(r"\{([^{}|]*)\|([^{}]*)\}", rf"\{choice}", text)


def section(name: str, needs: set[str], lines: list[str]) -> str:
    """Return a section of a file, which `source.py` can copy on its own."""
    heading = f"{name}: needs {', '.join(sorted(needs))}" if needs else name
    return "\n".join([f"/* == {heading} == */", *lines]) + "\n"


def sections(text: str) -> dict[str, str]:
    """Return the sections of a file by name."""
    found = re.split(r"^(?=/\* == (\w+))", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))
