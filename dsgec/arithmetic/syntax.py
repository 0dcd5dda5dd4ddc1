"""A file of the one arithmetic to what stands in it, as Python's own parser sees it."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from dsgec.arithmetic.ir import Dtype, Kind, Literal

KINDS: dict[str, Kind] = {"float": "real", "int": "word", "Wide": "wide"}
"""What the annotations of `core.py`, `scalar.py` and `single.py` mean."""

WHOLE_KINDS: dict[str, Kind] = {"int": "whole", "Table": "table"}
"""What those of `integer.py` mean."""

Numbers = dict[str, tuple[Literal, ...]]


class NotInSubset(Exception):
    """Source text that cannot be printed."""


def choose(text: str, dtype: Dtype) -> str:
    """`{a|b}` is `a` in double and `b` in single precision."""
    choice = 1 if dtype == "double" else 2
    return re.sub(r"\{([^{}|]*)\|([^{}]*)\}", rf"\{choice}", text)


def parameters_of(
    node: ast.FunctionDef | ast.Lambda, kinds: dict[str, Kind] = KINDS
) -> dict[str, Kind]:
    """Those of a lambda are floats."""
    return {
        argument.arg: kinds[ast.unparse(argument.annotation) if argument.annotation else "float"]
        for argument in node.args.args
    }


def read_text(name: str) -> str:
    """A file of this package."""
    return files("dsgec.arithmetic").joinpath(f"{name}.py").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class File:
    """The text of a file, and what stands in it."""

    text: str
    starts: list[int]
    functions: dict[str, ast.FunctionDef]
    numbers: Numbers
    comments: dict[int, str]
    dtype: Dtype
    kinds: dict[str, Kind]

    @classmethod
    def read(cls, name: str, dtype: Dtype, kinds: dict[str, Kind] = KINDS) -> "File":
        """One of this package."""
        text = read_text(name)
        tree = ast.parse(text)
        starts = [0]
        for line in text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        comments = {
            token.start[0]: token.string.removeprefix("#").strip()
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT and token.start[1] == 0
        }
        file = cls(text, starts, functions, {}, comments, dtype, kinds)
        for node in tree.body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name("number"), values)):
                    value = values[0 if dtype == "double" else 1]
                    parts = value.elts if isinstance(value, ast.Tuple) else [value]
                    file.numbers[name] = tuple(map(file.literal, parts))
        return file

    def slice(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """The text between two places, each a line and a column."""
        text = self.text[self.starts[start[0] - 1] + start[1] : self.starts[end[0] - 1] + end[1]]
        if not text.isascii():
            raise NotInSubset(f"line {start[0]}: code is ASCII")
        return re.sub(r"(?<=\() | (?=\))", "", re.sub(r"\s+", " ", text))

    def literal(self, node: ast.expr) -> Literal:
        is_real = isinstance(ast.literal_eval(node), float)
        return Literal(
            self.slice(start_of(node), end_of(node)), "real" if is_real else self.kinds["int"]
        )

    def comment_above(self, node: ast.FunctionDef) -> tuple[str, ...]:
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        lines: list[str] = []
        while (line := line - 1) in self.comments:
            lines.insert(0, self.comments[line])
        return tuple(choose(line, self.dtype) for line in lines)

    def slopes(self) -> Iterator[tuple[str, ast.Lambda, str]]:
        """The slopes in the entries of functions: their names, and what they are."""
        for name, node in self.functions.items():
            arguments = list(parameters_of(node))
            for decorator in node.decorator_list:
                assert isinstance(decorator, ast.Call)
                found = [part for part in decorator.args if isinstance(part, ast.Lambda)]
                for slope, argument in zip(found, arguments or [""], strict=True):
                    end, by = (f"_{argument}", f" by {argument}") if found[1:] else ("", "")
                    yield f"{name}_slope{end}", slope, f"The derivative of {name}{by}."


def start_of(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def end_of(node: ast.expr) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset
