"""Source files in the subset of Python that `read.py` describes: their functions and constants."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files

from dsgec.program.ir import ArrayParameter, Parameter, Type, Variable


def read_text(name: str) -> str:
    """Return the text of a module of this package."""
    return files("dsgec.arithmetic").joinpath(f"{name}.py").read_text(encoding="utf-8")


class NotInSubset(Exception):
    """Source text that cannot be printed in other languages."""


@dataclass(frozen=True, slots=True)
class Annotations:
    """The types that annotations stand for, of scalars and of the elements of arrays."""

    real: Type
    whole: Type
    arrays: Mapping[str, Type] = field(default_factory=dict)
    written: frozenset[str] = frozenset()  # the arrays that functions write

    def parameter(self, name: str, annotation: str) -> Parameter:
        """Return a parameter of a function."""
        if annotation in self.arrays:
            return ArrayParameter(
                name, self.arrays[annotation], 0, is_written=annotation in self.written
            )
        scalars: dict[str, Type] = {
            "float": self.real,
            "int": self.whole,
            "bool": "bool",
            "Wide": "uint64",
        }
        return Variable(name, scalars[annotation])


DOUBLE = Annotations("double", "uint64")
FLOAT = Annotations("float", "uint32")
WHOLE = Annotations("int32", "int32", {"Table": "int16"})
ROWS = Annotations(
    "double",
    "int32",
    dict.fromkeys(("Row", "Columns", "Numbers", "Lanes"), "double"),
    frozenset(["Columns", "Lanes"]),
)
"""The annotations of `core.py`, `scalar.py`, `conditions.py` and `single.py`, of `integer.py`, and
of functions on one row."""


@dataclass(frozen=True, slots=True)
class Source:
    """The functions, constants and comments of a source file."""

    text: str
    functions: Mapping[str, ast.FunctionDef]
    constants: Mapping[str, tuple[int | float | str, ...]]
    comments: Mapping[int, str]  # of whole lines, by their numbers
    types: Annotations

    @classmethod
    def read(cls, text: str, types: Annotations) -> "Source":
        """Parse the text of a file."""
        tree = ast.parse(text)
        comments = {
            token.start[0]: token.string.removeprefix("#").strip()
            for token in tokenize.generate_tokens(io.StringIO(text).readline)
            if token.type == tokenize.COMMENT and token.start[1] == 0
        }
        constants: dict[str, tuple[int | float | str, ...]] = {}
        for node in tree.body:
            match node:
                case ast.Assign([ast.Name(name)], ast.Call(ast.Name("number"), values)):
                    value = values[1 if types.real == "float" else 0]
                    parts = value.elts if isinstance(value, ast.Tuple) else [value]
                    constants[name] = tuple(map(ast.literal_eval, parts))
                case ast.Assign([ast.Name(name)], ast.Constant(float() | int() as number)):
                    constants[name] = (number,)
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        return cls(text, functions, constants, comments, types)

    def comment_above(self, node: ast.FunctionDef) -> tuple[str, ...]:
        """Return the lines of the comment above a function."""
        line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        lines: list[str] = []
        while (line := line - 1) in self.comments:
            lines.insert(0, self.comments[line])
        choice = 2 if self.types.real == "float" else 1
        return tuple(re.sub(r"\{([^{}|]*)\|([^{}]*)\}", rf"\{choice}", line) for line in lines)

    def parameters(self, node: ast.FunctionDef | ast.Lambda) -> tuple[Parameter, ...]:
        """Return the parameters of a function; those of a lambda are floats."""
        return tuple(
            self.types.parameter(
                argument.arg, ast.unparse(argument.annotation) if argument.annotation else "float"
            )
            for argument in node.args.args
        )

    def result(self, node: ast.FunctionDef | ast.Lambda) -> Type:
        """Return the type of the result of a function; one that has none is as good as any."""
        match node:
            case ast.FunctionDef(returns=ast.Name("int")):
                return self.types.whole
            case _:
                return self.types.real

    def derivatives(self) -> Iterator[tuple[str, ast.Lambda, str]]:
        """Yield the name, the lambda and the docstring of each derivative in the entries."""
        for name, node in self.functions.items():
            arguments = [argument.arg for argument in node.args.args]
            for decorator in node.decorator_list:
                assert isinstance(decorator, ast.Call)
                found = [part for part in decorator.args if isinstance(part, ast.Lambda)]
                for derivative, argument in zip(found, arguments or [""], strict=bool(found)):
                    end, by = (f"_{argument}", f" by {argument}") if found[1:] else ("", "")
                    yield f"{name}_derivative{end}", derivative, f"The derivative of {name}{by}."


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters and the result of a function that can be called."""

    parameters: tuple[Parameter, ...]
    result: Type


Signatures = Mapping[str, Signature]
Constants = Mapping[str, tuple[int | float | str, ...]]


def signatures(*sources: Source) -> dict[str, Signature]:
    """Return what the functions of files take and return."""
    return {
        name: Signature(source.parameters(node), source.result(node))
        for source in sources
        for name, node in source.functions.items()
    }
