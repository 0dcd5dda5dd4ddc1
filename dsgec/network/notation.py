"""Write a Formula as plain text or LaTeX."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dsgec.errors import clean
from dsgec.network.evaluate import evaluate
from dsgec.network.formula import Formula, Monomial, Sum, feature_columns, make_formula
from dsgec.network.ir import Input
from dsgec.network.model import Column, Model
from dsgec.network.model_text import model_text
from dsgec.network.ranges import Range
from dsgec.network.rounding import (
    TOLERANCE,
    Array,
    atom_values,
    probe_rows,
    round_formula,
    round_number,
    scale_rows,
    sum_value,
)
from dsgec.network.syntax import quote, resolve_function

_PLAIN_NAME = re.compile(r"[^\W\d][\w .%°²³µ]*")
_LONGEST_INLINE = 200
_LONGEST = 1_000_000
_DIGITS = 5  # an unrounded formula is at most this many times as long as the rounded one
_OF_ABSOLUTE_VALUE = {"sqrt", "log"}
_SIGNS = {"lt": " < ", "le": " <= ", "gt": " > ", "ge": " >= ", "eq": " = ", "ne": " != "}
_TEX_SIGNS = {"le": r" \le ", "ge": r" \ge ", "ne": r" \ne "}
_TEX_FUNCTIONS = {
    **{name: rf"\{name}" for name in ("sin", "cos", "tanh", "exp", "min", "max")},
    "log": r"\ln",
    "sig": r"\sigma",
}
_TEX_SPECIAL = {
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True, slots=True)
class Notation:
    """The patterns by which sums, products and names are written: here in plain text."""

    times: str = " * "
    condition: str = "[{}]"
    indicator: str = "[{} = {}]"
    missing: str = "[{} is missing]"
    probability: str = "p({})"
    group: str = "({})"
    magnitude: str = "|{}|"
    raised: str = "{}^{}"
    quotient: str = "{} / {}"
    is_latex: bool = False

    def name(self, text: str) -> str:
        """Write the name of a column or a class."""
        text = clean(text)
        if self.is_latex:
            escaped = "".join(_TEX_SPECIAL.get(c, c) for c in text)
            return rf"\mathit{{{escaped}}}" if escaped.isalpha() else rf"\text{{{escaped}}}"
        is_plain = _PLAIN_NAME.fullmatch(text) and not text.endswith(" ")
        if is_plain and resolve_function(text) is None and not re.match(r"[hz]_\d", text):
            return text
        return quote(text)

    def symbol(self, name: str) -> str:
        """Write the name of a neuron or an unnamed output, such as h_1_2."""
        kind, *numbers = name.split("_")
        return f"{kind}_{{{','.join(numbers)}}}" if self.is_latex else name

    def number(self, value: float) -> str:
        digits = repr(value).removesuffix(".0")
        mantissa, _, exponent = digits.partition("e")
        if self.is_latex and exponent:
            return rf"{mantissa} \cdot 10^{{{int(exponent)}}}"
        return digits

    def call(self, name: str, arguments: Sequence[str]) -> str:
        if name == "abs":
            return self.magnitude.format(arguments[0])
        if name in _SIGNS:
            sign = _TEX_SIGNS.get(name, _SIGNS[name]) if self.is_latex else _SIGNS[name]
            return self.condition.format(sign.join(arguments))
        inner = ", ".join(arguments)
        if not self.is_latex:
            return f"{name}({inner})"
        if name == "sqrt":
            return rf"\sqrt{{{inner}}}"
        if name == "power":
            base, exponent = arguments
            return self.raised.format(self.magnitude.format(base), exponent)
        if name == "if":
            condition, yes, no = arguments
            return (
                rf"\begin{{cases}} {yes} & {condition} \\ {no} & \text{{otherwise}} \end{{cases}}"
            )
        function = _TEX_FUNCTIONS.get(name, rf"\operatorname{{{name.replace('_', '')}}}")
        return function + self.group.format(inner)

    def power(self, base: str, exponent: int) -> str:
        return base if exponent == 1 else self.raised.format(base, exponent)

    def fraction(self, above: list[str], below: list[str]) -> str:
        under = self.times.join(below)
        if len(below) > 1 and not self.is_latex:
            under = self.group.format(under)
        return self.quotient.format(self.times.join(above), under)

    def system(self, equations: list[tuple[str, str]]) -> str:
        """Write equations below one another."""
        if not self.is_latex or len(equations) == 1:
            return "\n".join(f"{left} = {right}" for left, right in equations)
        lines = " \\\\\n".join(f"{left} &= {right}" for left, right in equations)
        return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}"


TEXT = Notation()
LATEX = Notation(
    times=r" \, ",
    condition=r"\left[{}\right]",
    indicator=r"\left[{} = {}\right]",
    missing=r"\left[{}\text{{ is missing}}\right]",
    probability=r"p\left({}\right)",
    group=r"\left({}\right)",
    magnitude=r"\left|{}\right|",
    raised="{{{}}}^{{{}}}",
    quotient=r"\frac{{{}}}{{{}}}",
    is_latex=True,
)
"""The same in LaTeX, for math mode."""


def formula_text(
    model: Model, ranges: Sequence[Range | None] = (), notation: Notation = TEXT
) -> str:
    """Return the equations of a model in raw units, with the names of its columns.

    Constants have as many digits as keep predictions the same to 1e-4. A network that is too large
    for this is written exactly, by `model_text`.
    """
    found = readable_formula(model, ranges)
    if found is None:
        return model_text(model).removesuffix("\n")
    return write_formula(found, model, probe_rows(model.columns, ranges), notation)


def missing_text(model: Model) -> str:
    """Return the values that replace missing ones in the columns that the network reads."""
    columns = feature_columns(model.columns)
    read = {columns[node.column][0] for node in model.network.nodes if isinstance(node, Input)}
    found = []
    for column in model.columns:
        if column in read and column.fill is not None:
            fill = TEXT.number(round_number(column.fill, abs(column.fill) * TOLERANCE / 2))
            texts = column.categories
            found.append(f"{TEXT.name(column.name)} = {texts[int(column.fill)] if texts else fill}")
    return ", ".join(clean(one) for one in found)


def is_formula(model: Model, *, linear: bool = False) -> bool:
    """Return whether a model is shown as a formula.

    It has one output, and no layers unless the grammar has `%output linear`.
    """
    return len(model.network.outputs) == 1 and (linear or not model.network.layers)


def readable_formula(model: Model, ranges: Sequence[Range | None] = ()) -> Formula | None:
    """Return the shortest rounded formula of a model; None if all are too large.

    Neurons have equations of their own unless everything is short enough for one.
    """
    rows = probe_rows(model.columns, ranges)
    exact: Array | None = None
    for inline in (True, False):
        longest = _LONGEST_INLINE if inline and model.network.layers else _LONGEST
        made = [make_formula(model, inline=inline, expand=expand) for expand in (True, False)]
        candidates: list[tuple[int, int, Formula]] = []
        for formula in dict.fromkeys(made):
            if formula is None or not write_formula(formula, model, rows, TEXT, longest * _DIGITS):
                continue
            if exact is None:
                exact = evaluate(model.network, scale_rows(model.columns, rows))
            short = round_formula(formula, rows, exact)
            text = "" if short is None else write_formula(short, model, rows, TEXT, longest)
            if short is not None and text:
                candidates.append((len(text), len(candidates), short))
        if candidates:
            return min(candidates, key=lambda one: one[:2])[-1]
    return None


def write_formula(
    formula: Formula, model: Model, rows: Array, notation: Notation, longest: int = _LONGEST
) -> str:
    """Return the equations of a formula, or "" if they are longer than `longest` characters.

    The absolute value is written where an argument of sqrt or log is negative on one of the rows.
    """
    negative = _are_negative(formula, rows)
    atoms: list[str] = []
    columns, left = feature_columns(model.columns), _LONGEST

    def total(terms: Sum) -> str:
        return _sum_text(terms, atoms, notation)

    for number, atom in enumerate(formula.atoms):
        match atom.kind:
            case "feature":
                atoms.append(_feature_text(*columns[atom.number], notation))
            case "neuron":
                atoms.append(notation.symbol(formula.neurons[atom.number][0]))
            case "group":
                atoms.append(notation.group.format(total(atom.arguments[0])))
            case _:
                arguments = [total(one) for one in atom.arguments]
                if atom.name in _OF_ABSOLUTE_VALUE and negative[number]:
                    arguments = [notation.magnitude.format(arguments[0])]
                atoms.append(notation.call(atom.name, arguments))
        left -= len(atoms[-1])
        if len(atoms[-1]) > longest or left < 0:
            return ""
    equations = [(notation.symbol(name), total(terms)) for name, terms in formula.neurons]
    names = _output_names(model, notation)
    outputs = [total(terms) for terms in formula.outputs]
    if formula.softmax:
        sums = [notation.symbol(f"z_{number}") for number in range(1, len(outputs) + 1)]
        equations += zip(sums, outputs, strict=True)
        equations.append((", ".join(names), notation.call("softmax", sums)))
    else:
        equations += zip(names, outputs, strict=True)
    text = notation.system(equations)
    return text if len(text) <= longest else ""


def _are_negative(formula: Formula, rows: Array) -> list[bool]:
    """Return whether the first argument of each atom is negative on one of the rows."""
    if not any(atom.name in _OF_ABSOLUTE_VALUE for atom in formula.atoms):
        return [False] * len(formula.atoms)
    with np.errstate(all="ignore"):
        values = atom_values(formula, rows)
        return [
            atom.name in _OF_ABSOLUTE_VALUE
            and not bool((sum_value(atom.arguments[0], values, len(rows)) >= 0).all())
            for atom in formula.atoms
        ]


def _feature_text(column: Column, place: int, notation: Notation) -> str:
    """Return a feature of a column in raw units: its name, or a condition that is 1 or 0."""
    name = notation.name(column.name)
    if column.marked and place == len(column.features) - 1:
        return notation.missing.format(name)
    if column.categories:
        category = column.categories[place if column.kind == "category" else 1]
        return notation.indicator.format(name, notation.name(category))
    return name


def _output_names(model: Model, notation: Notation) -> list[str]:
    """Return the left sides of the equations of outputs."""
    count = len(model.network.outputs)
    if model.classes:
        labels = model.classes[1:] if count == 1 else model.classes
        return [notation.probability.format(notation.name(str(label))) for label in labels]
    if count == 1 and model.target:
        return [notation.name(model.target)]
    return [notation.symbol(f"y_{number}") for number in range(1, count + 1)]


def _sum_text(terms: Sum, atoms: list[str], notation: Notation) -> str:
    pieces: list[str] = []
    for coefficient, monomial in terms:
        term = _term_text(abs(coefficient), monomial, atoms, notation)
        if not pieces:
            pieces.append(f"-{term}" if coefficient < 0 else term)
        else:
            pieces.append(f" {'-' if coefficient < 0 else '+'} {term}")
    return "".join(pieces) or "0"


def _term_text(coefficient: float, monomial: Monomial, atoms: list[str], notation: Notation) -> str:
    above = [notation.power(atoms[atom], exponent) for atom, exponent in monomial if exponent > 0]
    below = [notation.power(atoms[atom], -exponent) for atom, exponent in monomial if exponent < 0]
    if coefficient != 1.0 or not above:
        above.insert(0, notation.number(coefficient))
    return notation.fraction(above, below) if below else notation.times.join(above)
